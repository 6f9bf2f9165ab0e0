<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Cost;

/** Fairness: the most bytes that one connection was read in one turn, by strace. A turn is what lies between two waits of the poller. */
final class Turn implements Meter
{
    private const FILE = 'build/bench/turns.strace';

    public function measure(Subject $subject, Load $load): array
    {
        $server = $subject->start($load);
        $trace = proc_open(
            ['strace', '-qq', '-s', '0', '-e', 'trace=recvfrom,recvmsg,readv,epoll_wait,epoll_pwait,epoll_pwait2', '-e', 'signal=none', '-o', self::FILE, '-p', (string) $server->pid],
            [2 => ['file', 'build/bench/strace.log', 'w']],
            $pipes,
        );
        if ($trace === false) {
            throw new \RuntimeException('strace did not start');
        }
        usleep(500_000);
        $subject->drive($load, $server, $load->many);
        proc_terminate($trace, SIGINT);
        while (proc_get_status($trace)['running']) {
            usleep(10_000);
        }
        $server->end();

        return self::most(file(self::FILE) ?: []);
    }

    /**
     * @param list<string> $lines
     *
     * @return array{float, string}
     */
    private static function most(array $lines): array
    {
        $most = $turns = $all = 0;
        $turn = [];
        foreach ($lines as $line) {
            if (str_starts_with($line, 'epoll_')) {
                $turns += $turn !== [];
                $turn = [];
            } elseif (preg_match('/^\w+\((\d+),.* = (\d+)$/', $line, $match) === 1) {
                $turn[$match[1]] = ($turn[$match[1]] ?? 0) + (int) $match[2];
                $most = max($most, $turn[$match[1]]);
                $all += (int) $match[2];
            }
        }
        if ($all === 0) {
            throw new \RuntimeException('strace saw nothing (build/bench/strace.log)');
        }

        return [(float) $most, sprintf('the most bytes of one connection in one turn; %d bytes in %d turns', $all, $turns)];
    }
}
