<?php

declare(strict_types=1);

namespace Tusk\Console\Tune;

/** What the machine is for. */
enum Profile: string
{
    /** Every limit as far as a load test may want it. */
    case Benchmark = 'benchmark';
    /** A machine that serves people: limits are raised, but ports of services and the kernel's own memory policy are left alone. */
    case Production = 'production';

    private const PAGE = 4096;

    /**
     * In the order in which they must be written: fs.nr_open bounds what a process may ask for.
     *
     * @param int|null $memory bytes that the machine has
     *
     * @return list<Setting>
     */
    public function settings(?int $memory): array
    {
        $all = $this === self::Benchmark;
        $settings = [
            Setting::atLeast('fs.file-max', '2097152', 'descriptors of all processes'),
            Setting::atLeast('fs.nr_open', '2097152', 'what LimitNOFILE= and ulimit -n may ask for'),
            Setting::atLeast('net.core.somaxconn', '65535', 'connections that wait to be accepted'),
            Setting::atLeast('net.ipv4.tcp_max_syn_backlog', '65535', 'half-open connections'),
            Setting::atLeast('net.core.netdev_max_backlog', $all ? '65535' : '16384', 'packets that wait for a CPU'),
            Setting::atLeast('net.core.rmem_max', '16777216', 'receive buffer that may be asked for'),
            Setting::atLeast('net.core.wmem_max', '16777216', 'send buffer that may be asked for'),
            Setting::widest('net.ipv4.tcp_rmem', $all ? '4096 16384 16777216' : '4096 131072 16777216', 'receive buffer: least, first, most'),
            Setting::widest('net.ipv4.tcp_wmem', '4096 16384 16777216', 'send buffer: least, first, most'),
            Setting::exactly('net.ipv4.ip_local_port_range', $all ? '1024 65535' : '10240 65535', $all
                ? 'connections out per target: every port'
                : 'connections out per target; services below 10240 keep their ports'),
            Setting::exactly('net.ipv4.tcp_tw_reuse', '1', 'a port in TIME_WAIT serves a new connection out'),
            Setting::atMost('net.ipv4.tcp_fin_timeout', $all ? '10' : '30', 'seconds in FIN_WAIT_2 that nobody holds'),
            Setting::atLeast('net.ipv4.tcp_max_tw_buckets', $all ? '2000000' : '262144', 'connections in TIME_WAIT'),
            Setting::atLeast('net.ipv4.tcp_max_orphans', $all ? '262144' : '65536', 'closed connections that still send'),
            Setting::atMost('net.ipv4.tcp_keepalive_time', $all ? '60' : '300', 'idle seconds before a probe, where none are set'),
            Setting::atMost('net.ipv4.tcp_keepalive_intvl', $all ? '10' : '30', 'seconds between probes'),
            Setting::atMost('net.ipv4.tcp_keepalive_probes', $all ? '3' : '5', 'probes without an answer'),
        ];
        if ($all && $memory !== null) {
            $pages = intdiv($memory, self::PAGE);
            $settings[] = Setting::exactly(
                'net.ipv4.tcp_mem',
                sprintf('%d %d %d', intdiv($pages, 4), intdiv($pages, 3), intdiv($pages, 2)),
                'pages of all sockets: a quarter, a third, half of the memory',
            );
        }

        return $settings;
    }
}
