<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Cost;

/** User instructions of a message, by callgrind. What was counted stays in build/bench/callgrind.out.3 for callgrind_annotate. */
final class Instructions implements Meter
{
    private const PATIENCE = 60.0;

    public function measure(Subject $subject, Load $load): array
    {
        $counts = $m = [];
        foreach ([2 => $load->few, 3 => $load->few + intdiv($load->many - $load->few, 4)] as $i => $messages) {
            $out = "build/bench/callgrind.out.$i";
            @unlink($out);
            $server = $subject->start($load, ['valgrind', '--tool=callgrind', "--callgrind-out-file=$out", '-q'], self::PATIENCE);
            $m[] = $subject->drive($load, $server, $messages);
            $server->end(30.0);
            preg_match('/^(?:summary|totals): (\d+)/m', is_file($out) ? (string) file_get_contents($out) : '', $match);
            $counts[] = (float) ($match[1] ?? throw new \RuntimeException('valgrind wrote nothing'));
        }

        return [($counts[1] - $counts[0]) / ($m[1] - $m[0]), 'user instructions'];
    }
}
