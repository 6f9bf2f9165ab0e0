<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Cost;

/**
 * What an idle connection holds of the heap: blocks or bytes. The most that was ever held with many idle connections, less the
 * most with few: what a handshake needs while it lasts is in both.
 */
final readonly class Held implements Meter
{
    /** Places in the file of bench/micro/alloc_count.c: what is held; MOST places behind it the most that ever was. */
    public const BLOCKS = 3;
    public const BYTES = 4;
    private const MOST = 2;

    public function __construct(private int $place)
    {
    }

    public function measure(Subject $subject, Load $load): array
    {
        $preload = new Preload($subject, $load, 'alloc_count', 'TUSK_ALLOC_COUNT');
        $most = [];
        foreach ([$load->few, $load->few, $load->many] as $idle) {
            $preload->write($this->place + self::MOST, $preload->read()[$this->place]);    // PHP's start held more
            $subject->drive($load, $preload->server, 10, ['--idle', (string) $idle]);
            usleep(300_000);
            $most[] = $preload->read()[$this->place + self::MOST];
        }
        $preload->server->end();

        return [($most[2] - $most[1]) / ($load->many - $load->few), sprintf('%d connections more held %d more', $load->many - $load->few, $most[2] - $most[1])];
    }
}
