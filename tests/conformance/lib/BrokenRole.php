<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** A peer's part with its faults: how one that is broken is started, and which cases it must fail. */
final class BrokenRole
{
    /** Cases side by side, for one fault. */
    private const SIDE_BY_SIDE = 6;

    /** A large case is played: select() knows no descriptors above 1023, which two of them together may reach. */
    private static bool $isTaken = false;

    /**
     * @param array<string, string>       $commands by kind of server or client; {fault} is put in
     * @param array<string, list<string>> $faults   name => ids of cases, or patterns with "*", that must fail
     * @param array<string, Script>       $cases    all of the role
     */
    private function __construct(
        public readonly string $name,
        private readonly array $commands,
        public readonly array $faults,
        public readonly array $cases,
        private readonly bool $sharesTopics,
    ) {}

    /** @return list<self> */
    public static function all(Suite $suite): array
    {
        $here = dirname(__DIR__) . '/broken';
        $php = PHP_BINARY . ' -n';
        $roles = [];
        $folder = Bridge::isBuilt() ? Bridge::certificate() : '';
        foreach (require "$here/faults.php" as $name => $faults) {
            if ($name === 'tls-server' && !Bridge::isBuilt()) {
                continue;
            }
            [$kinds, $commands] = match ($name) {
                'tls-server' => [['ws'], ['ws' => Bridge::program() . " --certificate $folder/cert.pem --key $folder/key.pem --fault {fault} open {port} {inner} -- $php $here/ws-server.php {inner}"]],
                'ws-server' => [['ws'], ['ws' => "$php -d extension=sockets $here/ws-server.php {port} {fault}"]],
                'http-server' => [['http', 'app'], ['http' => "$php $here/http-server.php {port} {dir} {fault}", 'app' => "$php $here/http-server.php {port} '' {fault}"]],
                'sse-server' => [['sse'], ['sse' => "$php $here/sse-server.php {port} {fault}"]],
                'ws-client' => [['ws', 'client'], ['ws' => "$php $here/ws-client.php {url} {fault}"]],
                'proxy' => [['http-client+proxy'], ['http-client+proxy' => "$php $here/proxied-client.php {fault}"]],
                'http-client' => [['http-client'], ['http-client' => "$php $here/http-client.php {fault}"]],
                'sse-client' => [['sse-client'], ['sse-client' => "$php $here/sse-client.php {fault}"]],
            };
            $role = str_ends_with($name, '-server') ? 'server' : 'client';
            $cases = array_filter($suite->cases, static fn (Script $c): bool => in_array($c->kind, $kinds, true) && in_array($role, $c->roles, true)
                && ($role === 'server' || $c->body === null));
            $roles[] = new self($name, $commands, $faults, $cases, $name === 'sse-server');
        }

        return $roles;
    }

    /** @param list<string> $patterns */
    public static function names(array $patterns, string $id): bool
    {
        foreach ($patterns as $pattern) {
            if ($pattern === $id || (strpbrk($pattern, '*?[') !== false && fnmatch($pattern, $id))) {
                return true;
            }
        }

        return false;
    }

    /** @return array<string, Script> the cases that a fault names by their whole id */
    public function pool(): array
    {
        $pool = [];
        foreach (array_merge(...array_values($this->faults)) as $id) {
            if (strpbrk($id, '*?[') === false) {
                $pool[$id] = $this->cases[$id] ?? throw new \LogicException("$this->name: no case $id");
            }
        }

        return $pool;
    }

    /**
     * @param list<string> $patterns
     *
     * @return array<string, Script> those that wait for a deadline of the peer
     */
    public function slow(array $patterns): array
    {
        return array_filter($this->cases, static fn (Script $c): bool => $c->isSlow && self::names($patterns, $c->id));
    }

    /**
     * What of the pool belongs to the families that the fault touches; without a fault (or `$whole`), all of it. Cases that must fail are
     * not waited for as long as those that must pass.
     *
     * @param list<string>          $patterns
     * @param array<string, Script> $pool
     *
     * @return array<string, array{title: string, result: Outcome, detail: string, seconds: float}>
     */
    public function play(string $fault, array $patterns, array $pool, bool $whole): array
    {
        $servers = [];
        $commands = array_map(static fn (string $c): string => str_replace('{fault}', $fault, $c), $this->commands);
        foreach ($commands as $kind => $command) {
            if (str_ends_with($this->name, '-server')) {
                $servers[$kind] = new Server($command, bridge: $this->name === 'tls-server' ? '--record 100' : null);
                $servers[$kind]->start();
            }
        }
        $target = new Target($servers);
        $runner = $servers === [] ? new ClientRunner($commands, '/dev/null', false) : new Runner($target, $target, 1, false);
        $touched = array_map(static fn (string $id): string => explode('/', $id)[0], $patterns);
        $queue = array_filter($pool, fn (Script $c): bool => $whole || $fault === 'none' || self::names($patterns, $c->id)
            || !$c->isSlow && !$c->isHeavy && (!$c->isAlone || $this->sharesTopics) && in_array(explode('/', $c->id)[0], $touched, true));
        uasort($queue, static fn (Script $a, Script $b): int => $b->isSlow <=> $a->isSlow);
        $running = $this->sharesTopics ? 1 : self::SIDE_BY_SIDE;
        for ($left = $running; $left > 0; $left--) {
            Loop::spawn(static function () use (&$queue, &$running, $runner, $target, $patterns, $fault): void {
                while (($case = array_shift($queue)) !== null) {
                    Loop::hurry(self::names($patterns, $case->id) || $patterns === [] && $fault !== 'none' ? 0.25 : null);
                    $isLarge = $case->isHeavy || str_starts_with($case->id, 'attack/');
                    while ($isLarge && self::$isTaken) {
                        Loop::sleep(0.05);
                    }
                    self::$isTaken = self::$isTaken || $isLarge;
                    $runner instanceof Runner ? $runner->one($case, $target) : $runner->one($case);
                    self::$isTaken = self::$isTaken && !$isLarge;
                }
                $running--;
            });
        }
        while ($running > 0) { /* @phpstan-ignore greater.alwaysTrue */
            Loop::sleep(0.02);
        }
        foreach ($servers as $server) {
            $server->stop();
        }
        if ($runner instanceof ClientRunner) {
            $runner->stop();
        }

        return $runner->results;
    }
}
