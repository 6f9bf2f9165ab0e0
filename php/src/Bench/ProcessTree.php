<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** One look at a process with all its threads and children, from /proc. */
final readonly class ProcessTree
{
    /**
     * @param array<int, float> $cpu     seconds by process id, all threads
     * @param int               $private bytes of memory that only these processes have
     */
    private function __construct(public array $cpu, public int $threads, public int $rss, public int $private) {}

    /** Null when there is no such process, or no /proc. */
    public static function look(int $pid): ?self
    {
        $cpu = [];
        $threads = $rss = $private = 0;
        for ($todo = [$pid]; $todo !== [];) {
            $one = (int) array_pop($todo);
            $tasks = @scandir("/proc/$one/task");
            if ($tasks === false || isset($cpu[$one])) {
                continue;
            }
            $cpu[$one] = 0.0;
            foreach (array_filter($tasks, ctype_digit(...)) as $task) {
                $threads++;
                $cpu[$one] += (float) strtok((string) @file_get_contents("/proc/$one/task/$task/schedstat"), ' ') / 1e9;
            }
            $todo = [...$todo, ...self::children($one)];
            $rss += 1024 * self::field("/proc/$one/status", 'VmRSS');
            $private += 1024 * (self::field("/proc/$one/smaps_rollup", 'Private_Dirty') + self::field("/proc/$one/smaps_rollup", 'Private_Clean'));
        }

        return $cpu === [] ? null : new self($cpu, $threads, $rss, $private);
    }

    /** @return list<int> those that this process has now, whichever of its threads forked them */
    public static function children(int $pid): array
    {
        $found = [];
        foreach (array_filter(@scandir("/proc/$pid/task") ?: [], ctype_digit(...)) as $task) {
            $words = preg_split('~\s+~', (string) @file_get_contents("/proc/$pid/task/$task/children"), -1, PREG_SPLIT_NO_EMPTY) ?: [];
            $found = [...$found, ...array_map(intval(...), $words)];
        }

        return $found;
    }

    /** CPU seconds that these processes used since an earlier look; a process born since then counts whole. */
    public function since(self $earlier): float
    {
        $seconds = 0.0;
        foreach ($this->cpu as $pid => $now) {
            $seconds += max(0.0, $now - ($earlier->cpu[$pid] ?? 0.0));
        }

        return $seconds;
    }

    private static function field(string $file, string $name): int
    {
        return preg_match("~^$name:\s+(\d+)~m", (string) @file_get_contents($file), $m) === 1 ? (int) $m[1] : 0;
    }
}
