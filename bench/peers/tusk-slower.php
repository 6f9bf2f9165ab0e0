<?php
// SPDX-License-Identifier: MIT
// The echo server of bench/resolution: `/` echoes, `/slower` does, too, and uses SHARE more CPU for it.
// php -d extension=tusk.so tusk-slower.php PORT SHARE
declare(strict_types=1);

use Tusk\{Limits, Server};
use Tusk\WebSocket\{Connection, MessageType};

/** Every so many messages the share is burnt, so that asking for the time costs next to nothing. */
const EVERY = 32;

[, $port, $share] = $argv;
$cpu = static function (): float {
    $use = getrusage();

    return $use['ru_utime.tv_sec'] + $use['ru_stime.tv_sec'] + ($use['ru_utime.tv_usec'] + $use['ru_stime.tv_usec']) / 1e6;
};
$count = 0;
$since = 0.0;
$server = new Server(listen: "127.0.0.1:$port", limits: new Limits(connections: 1000));
$server->websocket('/', message: static fn (Connection $connection, string $data, MessageType $type) => $connection->send($data, $type));
$server->websocket(
    '/slower',
    open: static function () use (&$since, &$count, $cpu): void {
        [$since, $count] = [$cpu(), 0];
    },
    message: static function (Connection $connection, string $data, MessageType $type) use (&$since, &$count, $cpu, $share): void {
        $connection->send($data, $type);
        if (++$count % EVERY === 0) {
            $now = $cpu();
            for ($until = $now + ($now - $since) * (float) $share; $now < $until; $now = $cpu()) {
            }
            $since = $now;
        }
    },
);
exit($server->run());
