<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Cost;

/** System calls of a message, by perf's tracepoints. */
final class Calls implements Meter
{
    private const FILE = 'build/bench/perf.csv';

    public function measure(Subject $subject, Load $load): array
    {
        $server = $subject->start($load);
        $subject->drive($load, $server, $load->few);
        $m = [];
        $run = static function (int $messages) use ($subject, $load, $server, &$m): array {
            return self::count($server->pid, static function () use ($subject, $load, $server, $messages, &$m): void {
                $m[] = $subject->drive($load, $server, $messages);
            });
        };
        $few = $run($load->few);
        $many = $run($load->many);
        $server->end();
        $parts = [];
        $sum = 0.0;
        foreach ($many as $call => $count) {
            $each = ($count - ($few[$call] ?? 0)) / ($m[1] - $m[0]);
            $sum += $each;
            if (abs($each) >= 0.0005) {
                $parts[$call] = sprintf('%s %.3f', $call, $each);
            }
        }

        return [$sum, implode(', ', $parts)];
    }

    /** @return array<string, float> by call */
    private static function count(int $pid, \Closure $work): array
    {
        @unlink(self::FILE);
        $handle = proc_open(['perf', 'stat', '-x', ',', '-e', 'syscalls:sys_enter_*', '-o', self::FILE, '-p', (string) $pid], [1 => ['file', '/dev/null', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
        if ($handle === false) {
            throw new \RuntimeException('perf did not start');
        }
        usleep(1_500_000);
        $work();
        proc_terminate($handle, SIGINT);
        while (proc_get_status($handle)['running']) {
            usleep(10_000);
        }
        $counts = [];
        foreach (is_file(self::FILE) ? file(self::FILE) ?: [] : [] as $line) {
            $cells = explode(',', $line);
            if (count($cells) > 3 && (float) $cells[0] > 0) {
                $counts[str_replace('syscalls:sys_enter_', '', $cells[2])] = (float) $cells[0];
            }
        }
        if ($counts === []) {
            throw new \RuntimeException('perf counted nothing: it needs its tracepoints (root)');
        }

        return $counts;
    }
}
