<?php

declare(strict_types=1);

namespace Tusk\Async;

use Tusk\Wait;

/**
 * The descriptor of a client that shows none: what became open while it connected (/proc/self/fd, one listing before and one after).
 * @internal
 */
final class Sockets
{
    /** @var \WeakMap<object, array{int, string}>|null its descriptor, and what names the socket behind it */
    private static ?\WeakMap $known = null;

    private function __construct() {}

    /**
     * What $connect gives, with its descriptor remembered.
     *
     * @template C of object
     * @param \Closure(): C $connect
     * @return C
     */
    public static function connect(\Closure $connect): object
    {
        $before = self::open();
        $connection = $connect();
        $new = array_diff(self::open(), $before);
        if (\count($new) === 1) {
            self::$known ??= new \WeakMap();
            self::$known[$connection] = [array_key_first($new), current($new)];
        }
        return $connection;
    }

    /** @return int|null where it is not known, or not one */
    public static function of(object $connection): ?int
    {
        return self::$known[$connection][0] ?? null;
    }

    /** Whether its socket is the one that it connected with: there are clients that connect anew by themselves. True where it is not known. */
    public static function isSame(object $connection): bool
    {
        [$fd, $name] = self::$known[$connection] ?? [null, null];
        return $fd === null || @readlink("/proc/self/fd/$fd") === $name;
    }

    /** Waits for an answer, by no fiber: where one cannot. False: none came. Where its descriptor is not known, reading will wait: true. */
    public static function answers(object $connection, float $seconds): bool
    {
        $socket = self::of($connection);
        $end = hrtime(true) + $seconds * 1e9;
        for ($pause = 10; $socket !== null && !Wait::readable($socket, 0.0); $pause = min(1000, 2 * $pause)) {
            if (hrtime(true) > $end) {
                return false;
            }
            usleep($pause); // select() takes no high numbers
        }
        return true;
    }

    /** @return array<int, string> what names a socket, by its descriptor */
    private static function open(): array
    {
        $sockets = [];
        foreach (@scandir('/proc/self/fd') ?: [] as $fd) {
            $name = ctype_digit($fd) ? (string) @readlink("/proc/self/fd/$fd") : '';
            if (str_starts_with($name, 'socket:')) {
                $sockets[(int) $fd] = $name;
            }
        }
        return $sockets;
    }
}
