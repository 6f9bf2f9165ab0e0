<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

use Tusk\Bench\Engines;
use Tusk\Bench\Mode;
use Tusk\Bench\Plan;

/** Idle upgraded connections, pipelined echo and broadcast, over ws, each server's own TLS and one TLS terminator for all. */
final readonly class MessageRuntimeSuite implements Suite
{
    private const PIPELINE = 16;

    /**
     * @param int    $messages  of each connection in the echo; published in all by the broadcast: as many as a connection has
     * @param string $transport ws, wss (own TLS, and through the terminator) or both
     */
    public function __construct(
        private Engines $engines,
        private int $connections = 50,
        private int $messages = 1000,
        private int $rounds = 3,
        private string $transport = 'ws',
        private int $payload = 64,
    ) {
        if (!in_array($transport, ['ws', 'wss', 'both'], true)) {
            throw new \ValueError("the transport is \"$transport\"; ws, wss and both are known");
        }
    }

    public static function arguments(): array
    {
        return ['connections' => '50', 'messages' => '1000', 'rounds' => '3', 'transport' => 'ws', 'payload' => '64'];
    }

    public static function summary(): string
    {
        return 'idle connections, pipelined echo, broadcast fan-out; ws, wss or both';
    }

    public static function of(Engines $engines, Arguments $arguments): self
    {
        return new self(
            $engines,
            $arguments->count('connections'),
            $arguments->count('messages'),
            $arguments->count('rounds'),
            $arguments->text('transport'),
            $arguments->count('payload'),
        );
    }

    public function run(array $peers, \Closure $progress): Table
    {
        $table = new Table('message-runtime');
        $scenarios = [];
        foreach ($this->ways() as $way) {
            $scenarios["idle, $way->name"] = [Role::Echo, $way];
            $scenarios["echo, $way->name"] = [Role::Echo, $way];
            $scenarios["broadcast, $way->name"] = [Role::Broadcast, $way];
        }
        (new Rounds($table, array_filter($peers, $table->peer(...)), $this->rounds, $progress))->run($scenarios, $this->measure(...));

        return $table;
    }

    /** @return list<Way> */
    private function ways(): array
    {
        $certificate = $this->transport === 'ws' ? null : Certificate::make();

        return [
            ...$this->transport === 'wss' ? [] : [Way::plain()],
            ...$certificate === null ? [] : [Way::ownTls($certificate), Way::terminator($certificate)],
        ];
    }

    private function measure(Table $table, string $scenario, Peer $peer, ServerProcess $server, string $url): void
    {
        $sample = (new Meter($this->engines))->measure($this->plan($scenario, $url), $server);
        $unit = match (strtok($scenario, ',')) {
            'idle' => 'connections',
            'echo' => 'messages',
            default => 'deliveries',
        };
        $table->add($scenario, "$unit/s", $peer, $sample->perSecond());
        $table->add("$scenario, by the server's clock", "$unit/CPU-s", $peer, $sample->perServerCpuSecond());
        $table->add("$scenario, client CPU", 'ms', $peer, $sample->generatorCpu * 1e3);
        if ($unit === 'connections') {
            $table->add("$scenario, server's memory", 'bytes/connection', $peer, $sample->bytesPerConnection ?? NAN);
        }
    }

    private function plan(string $scenario, string $url): Plan
    {
        $plan = match (strtok($scenario, ',')) {
            'idle' => new Plan(Mode::WsHandshake, $url, ['count' => $this->connections, 'hold' => 0.5]),
            'echo' => new Plan(Mode::WsEcho, $url, ['count' => $this->connections * $this->messages, 'pipeline' => self::PIPELINE, 'size' => $this->payload]),
            default => new Plan(Mode::Fanout, $url, ['count' => $this->messages, 'pipeline' => self::PIPELINE, 'size' => max(24, $this->payload)]),
        };

        return $plan->with(['connections' => $this->connections, 'warmup' => 0, 'tls-insecure' => str_starts_with($url, 'wss:')]);
    }
}
