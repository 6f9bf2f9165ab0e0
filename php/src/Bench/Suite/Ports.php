<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** Where programs that are measured or tested listen. It stands alone: tests/ports.php takes it without Composer. */
final class Ports
{
    private const FIRST = 15000;
    private const COUNT = 17000;

    private static ?int $next = null;

    /**
     * A port of 127.0.0.1 that nobody listens on, below those that the kernel gives to connections, so that nobody gets it before the program does;
     * never the same twice in a process. Processes begin at places of their own, as several run side by side.
     *
     * @throws \RuntimeException when none is free
     */
    public static function free(): int
    {
        for ($tries = 0; $tries < self::COUNT; $tries++) {
            self::$next = self::$next === null ? (int) getmypid() * 101 % self::COUNT : (self::$next + 1) % self::COUNT;
            $port = self::FIRST + self::$next;
            $probe = @stream_socket_server("tcp://127.0.0.1:$port");
            if ($probe !== false) {
                fclose($probe);

                return $port;
            }
        }
        throw new \RuntimeException('no free port from ' . self::FIRST . ' to ' . (self::FIRST + self::COUNT - 1));
    }
}
