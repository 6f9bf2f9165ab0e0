<?php

declare(strict_types=1);

namespace Tusk\Bench;

/**
 * How many connections a server on this machine can still take, by its limit of descriptors in /proc: a plan that needs more
 * would wait for the timeout of each connection over it, and measure the queue of the listener.
 */
final readonly class ServerRoom
{
    private const FEW = 200;    // no server has so low a limit; below it nobody is looked up
    private const LISTENING = '0A';
    private const PORTS = ['ws' => 80, 'http' => 80, 'wss' => 443, 'https' => 443];

    /** @param non-empty-array<int, int> $free descriptors by process id: of those that listen, and of all their descendants, who may get connections from them */
    private function __construct(private array $free, private int $port) {}

    /**
     * @throws \RuntimeException saying what does not fit; where it cannot be known, nothing is said: another machine, another
     *                           user's process, no /proc
     */
    public static function check(string $url, int $connections): void
    {
        $room = $connections < self::FEW ? null : self::of($url);
        if ($room === null || $connections <= array_sum($room->free)) {
            return;
        }
        $one = count($room->free) === 1;

        throw new \RuntimeException(sprintf(
            '%s connections do not fit: the server%s (process%s %s%s) can open %s more descriptor%s; start it with a higher `ulimit -n`, or plan fewer connections',
            number_format($connections),
            $one ? '' : "'s " . count($room->free) . ' processes',
            $one ? '' : 'es',
            implode(', ', array_slice(array_keys($room->free), 0, 8)),
            $one ? '' : ": who listens on port $room->port, and all children",
            number_format(array_sum($room->free)),
            array_sum($room->free) === 1 ? '' : 's',
        ));
    }

    private static function of(string $url): ?self
    {
        $parts = parse_url($url);
        $host = trim($parts['host'] ?? '', '[]');
        $port = $parts['port'] ?? self::PORTS[$parts['scheme'] ?? ''] ?? 0;
        if (preg_match('~^(127\.|::1$|localhost$)~i', $host) !== 1 || $port === 0) {
            return null;
        }
        $sockets = self::listeners($port);
        $free = [];
        $processes = $sockets === [] ? [] : (glob('/proc/[0-9]*', GLOB_NOSORT | GLOB_ONLYDIR) ?: []);
        foreach ($processes as $process) {
            $links = array_map(static fn (string $name): string => (string) @readlink("$process/fd/$name"), @scandir("$process/fd") ?: []);
            if (array_intersect($sockets, $links) !== []) {
                $free[(int) basename($process)] = 0;
            }
        }
        for ($todo = array_keys($free); $todo !== [];) {
            $pid = array_pop($todo);
            $left = self::left($pid);
            if ($left === null) {
                return null;
            }
            $free[$pid] = $left;
            $todo = [...$todo, ...array_diff(ProcessTree::children($pid), array_keys($free))];
        }

        return $free === [] ? null : new self($free, $port);
    }

    /** Descriptors that a process can still open; null where that is not told. */
    private static function left(int $pid): ?int
    {
        $used = @scandir("/proc/$pid/fd");
        $told = preg_match('~^Max open files\s+(\d+)~m', (string) @file_get_contents("/proc/$pid/limits"), $limit) === 1;

        return $used === false || !$told ? null : max(0, (int) $limit[1] - (count($used) - 2));      // . and ..
    }

    /** @return list<string> the links in /proc/PID/fd that are listeners of this port */
    private static function listeners(int $port): array
    {
        $found = [];
        foreach (['/proc/net/tcp', '/proc/net/tcp6'] as $table) {
            foreach (@file($table) ?: [] as $line) {
                // number: address:port remote:port state queues timer retransmissions user timeout inode
                if (preg_match('~^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ ' . self::LISTENING . '(?: \S+){2}\s+\S+\s+\d+\s+\d+ (\d+) ~', $line, $m) === 1 && hexdec($m[1]) === $port) {
                    $found[] = "socket:[$m[2]]";
                }
            }
        }

        return $found;
    }
}
