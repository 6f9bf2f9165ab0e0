<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

use Tusk\Bench\Engines;
use Tusk\Bench\Mode;
use Tusk\Bench\Plan;

/** The chat: its page beside nginx and a bare C server, messages posted while a subscriber listens, events to many. */
final readonly class ChatSuite implements Suite
{
    private const PAGE = 'page, a connection each';
    private const KEPT = 'page, kept connections';
    private const POST = 'post, one listening';
    private const LISTENS = 'events to the one that listens, notices included';
    private const EVENTS = 'events';
    private const SECONDS = 2.0;
    private const WARMUP = 0.3;

    public function __construct(private Engines $engines, private int $connections = 10, private int $subscribers = 100, private int $rounds = 3) {}

    public static function arguments(): array
    {
        return ['connections' => '10', 'subscribers' => '100', 'rounds' => '3'];
    }

    public static function summary(): string
    {
        return 'the chat\'s page, messages posted while a subscriber listens, events to subscribers';
    }

    public static function of(Engines $engines, Arguments $arguments): self
    {
        return new self($engines, $arguments->count('connections'), $arguments->count('subscribers'), $arguments->count('rounds'));
    }

    public function run(array $peers, \Closure $progress): Table
    {
        $table = new Table('chat');
        (new Rounds($table, array_filter($peers, $table->peer(...)), $this->rounds, $progress))->run([
            self::PAGE => [Role::Page, Way::plain()],
            self::KEPT => [Role::Page, Way::plain()],
            self::POST => [Role::Chat, Way::plain()],
            self::EVENTS => [Role::Events, Way::plain()],
        ], $this->measure(...));

        return $table;
    }

    private function measure(Table $table, string $scenario, Peer $peer, ServerProcess $server, string $url): void
    {
        $base = rtrim((string) preg_replace('~^ws~', 'http', $url), '/');
        $listener = $scenario === self::POST ? $this->listener($base) : null;
        try {
            $sample = (new Meter($this->engines))->measure($this->plan($scenario, $base, $peer), $server);
            usleep(200_000);
        } finally {
            $listener?->stop();
        }
        $unit = match ($scenario) {
            self::POST => 'messages',
            self::EVENTS => 'events',
            default => 'requests',
        };
        $table->add($scenario, "$unit/s", $peer, $sample->perSecond());
        $table->add("$scenario, by the server's clock", "$unit/CPU-s", $peer, $sample->perServerCpuSecond());
        $table->add("$scenario, client CPU", 'ms', $peer, $sample->generatorCpu * 1e3);
        $table->add("$scenario, server's memory", 'MiB', $peer, ($server->look()->rss ?? 0) / (1 << 20));
        if ($listener !== null) {
            while ($listener->poll(1.0)) {
            }
            $table->add(self::LISTENS, '% of those posted', $peer, 100 * ($listener->counters()['received'] ?? 0) / max(1.0, $sample->all));
        }
    }

    private function listener(string $base): \Tusk\Bench\Engine
    {
        $listener = $this->engines->create(Mode::Sse, "$base/events?as=bob", ['connections' => 1, 'duration' => 60, 'publishers' => 0, 'workers' => 1, 'hiccup' => false]);
        $listener->start();
        for ($until = hrtime(true) / 1e9 + 5; ($listener->counters()['opened'] ?? 0) === 0 && hrtime(true) / 1e9 < $until;) {
            $listener->poll(0.05);
        }

        return $listener;
    }

    private function plan(string $scenario, string $base, Peer $peer): Plan
    {
        $common = ['connections' => $this->connections, 'duration' => self::SECONDS, 'warmup' => self::WARMUP, 'workers' => 1];

        return match ($scenario) {
            self::POST => new Plan(Mode::Http, "$base/msg/ada/all%20hello", $common),
            self::EVENTS => new Plan(Mode::Fanout, "$base/events", [
                ...$common, 'connections' => $this->subscribers, 'transport' => 'sse', 'publish' => 'http', 'publish-url' => "$base/publish", 'pipeline' => 8,
            ]),
            default => new Plan(Mode::Http, $base . $peer->path(Role::Page), [...$common, 'keep-alive' => $scenario === self::KEPT]),
        };
    }
}
