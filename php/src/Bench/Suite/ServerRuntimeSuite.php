<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

use Tusk\Bench\Engines;
use Tusk\Bench\Mode;
use Tusk\Bench\Plan;

/** Upgrade and close, with and without a subprotocol; a fresh server process for each round. */
final readonly class ServerRuntimeSuite implements Suite
{
    private const IN_PROGRESS = 100;

    public function __construct(private Engines $engines, private int $connections = 1000, private int $rounds = 3) {}

    public static function arguments(): array
    {
        return ['connections' => '1000', 'rounds' => '3'];
    }

    public static function summary(): string
    {
        return 'upgrade and close, with and without a subprotocol; a fresh server for each round';
    }

    public static function of(Engines $engines, Arguments $arguments): self
    {
        return new self($engines, $arguments->count('connections'), $arguments->count('rounds'));
    }

    public function run(array $peers, \Closure $progress): Table
    {
        $table = new Table('server-runtime');
        $rounds = new Rounds($table, array_filter($peers, $table->peer(...)), $this->rounds, $progress);
        $rounds->run(['upgrade + close' => [Role::Echo, Way::plain()], 'subprotocol upgrade + close' => [Role::Handshake, Way::plain()]], $this->measure(...));

        return $table;
    }

    private function measure(Table $table, string $scenario, Peer $peer, ServerProcess $server, string $url): void
    {
        $options = ['connections' => $this->connections, 'count' => $this->connections, 'high' => min(self::IN_PROGRESS, $this->connections), 'warmup' => 0];
        if ($scenario !== 'upgrade + close') {
            $options['subprotocol'] = 'chat.v1';
        }
        $sample = (new Meter($this->engines))->measure(new Plan(Mode::WsHandshake, $url, $options), $server);
        $table->add($scenario, 'connections/s', $peer, $sample->perSecond());
        $table->add("$scenario, by the server's clock", 'connections/CPU-s', $peer, $sample->perServerCpuSecond());
        $table->add("$scenario, client loop", 'ms', $peer, $sample->seconds * 1e3);
        $table->add("$scenario, client CPU", 'ms', $peer, $sample->generatorCpu * 1e3);
    }
}
