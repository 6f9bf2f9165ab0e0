<?php

declare(strict_types=1);

// Where programs under test listen.

namespace Tusk\Tests;

/**
 * A port of 127.0.0.1 that is free, below those that the kernel gives to connections, so that nobody gets it before the program does; never the
 * same twice in a process. Processes begin at places of their own, as suites run side by side.
 */
function free_port(): int
{
    static $next = null;
    [$first, $count] = [15000, 17000];
    for ($tries = 0; $tries < $count; $tries++) {
        $next = $next === null ? (int) getmypid() * 101 % $count : ($next + 1) % $count;
        $port = $first + $next;
        $probe = @stream_socket_server("tcp://127.0.0.1:$port");
        if ($probe !== false) {
            fclose($probe);

            return $port;
        }
    }
    throw new \RuntimeException("no free port from $first to " . ($first + $count - 1));
}
