<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Cost;

/**
 * User instructions that a task costs the process that submits it, by callgrind: workers are processes of their own, counted apart and left out.
 *
 * On one core, where nobody spins: how long a wait spins depends on the machine, and would be counted.
 */
final class Caller implements Meter
{
    private const OUT = 'build/bench/callgrind.caller';

    public function measure(Subject $subject, Load $load): array
    {
        $counts = [];
        foreach ([$load->few, $load->many] as $tasks) {
            array_map(unlink(...), glob(self::OUT . '.*') ?: []);
            $pid = $subject->run($load, $tasks, ['taskset', '-c', '0', 'valgrind', '--tool=callgrind', '--callgrind-out-file=' . self::OUT . '.%p', '-q']);
            $out = self::OUT . ".$pid";
            preg_match('/^(?:summary|totals): (\d+)/m', is_file($out) ? (string) file_get_contents($out) : '', $match);
            $counts[] = (float) ($match[1] ?? throw new \RuntimeException('valgrind wrote nothing (build/bench/cost.log)'));
        }

        return [($counts[1] - $counts[0]) / ($load->many - $load->few), 'user instructions of the caller'];
    }
}
