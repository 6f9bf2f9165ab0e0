<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** Rounds over peers and scenarios: interleaved, every second one backwards, a fresh server each time. */
final readonly class Rounds
{
    /**
     * @param array<string, Peer>           $peers    those that are here
     * @param \Closure(string, float): void $progress
     */
    public function __construct(private Table $table, private array $peers, private int $rounds, private \Closure $progress) {}

    /**
     * @param array<string, array{Role, Way}>                                         $scenarios
     * @param \Closure(Table, string, Peer, ServerProcess, string): void $measure gets the server's address last
     */
    public function run(array $scenarios, \Closure $measure): void
    {
        $all = max(1, $this->rounds * count($scenarios) * count($this->peers));
        $done = 0;
        for ($round = 0; $round < $this->rounds; $round++) {
            foreach ($scenarios as $scenario => [$role, $way]) {
                foreach ($round % 2 === 0 ? $this->peers : array_reverse($this->peers) as $peer) {
                    ($this->progress)(sprintf('%s, %s (%d of %d)', $peer->name(), $scenario, $round + 1, $this->rounds), $done++ / $all);
                    $this->once($scenario, $role, $way, $peer, $measure);
                }
            }
        }
    }

    /** @param \Closure(Table, string, Peer, ServerProcess, string): void $measure */
    private function once(string $scenario, Role $role, Way $way, Peer $peer, \Closure $measure): void
    {
        $port = Ports::free();
        $command = $peer->command($role, $port, $way->own);
        if ($command === null || is_string($this->table->cell($scenario, $peer))) {
            return;
        }
        $log = (string) tempnam(sys_get_temp_dir(), 'tusk-bench-');
        try {
            $server = new ServerProcess($command, $port, $log);
            $terminator = null;
            try {
                $terminator = $way->shared === null ? null : new Terminator($way->shared, $port, $log);
                $measure($this->table, $scenario, $peer, $server, $way->url($terminator->port ?? $port));
            } finally {
                $terminator?->end();
                $server->end();
            }
        } catch (\RuntimeException $fault) {
            $this->table->fail($scenario, $peer, $fault->getMessage());
        } finally {
            @unlink($log);
        }
    }
}
