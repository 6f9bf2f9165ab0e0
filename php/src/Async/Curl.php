<?php

declare(strict_types=1);

namespace Tusk\Async;

use Tusk\Wait;

/** PHP's curl without blocking: in a task of Parallel::async() or a handler of a Tusk server only that one waits. */
final class Curl
{
    /** @var \WeakMap<\CurlHandle, \CurlMultiHandle>|null as curl_exec() keeps connections per handle */
    private static ?\WeakMap $multis = null;
    /** @var \WeakMap<\CurlHandle, true>|null of transfers under way */
    private static ?\WeakMap $busy = null;

    private function __construct() {}

    /**
     * As curl_exec(): the body when CURLOPT_RETURNTRANSFER is set, true or false otherwise; curl_errno() and curl_getinfo() tell the rest.
     *
     * @throws \LogicException when another task waits for a transfer of this handle, which goes on
     * @throws TimedOut when $timeout seconds are over; CURLOPT_TIMEOUT_MS does the same as an error of curl
     */
    public static function exec(\CurlHandle $handle, ?float $timeout = null): string|bool
    {
        self::$multis ??= new \WeakMap();
        self::$busy ??= new \WeakMap();
        $multi = self::$multis[$handle] ??= curl_multi_init();
        // To add it again is refused, but PHP has let go by then of what has come of the transfer under way.
        if (isset(self::$busy[$handle]) || curl_multi_add_handle($multi, $handle) !== CURLM_OK) {
            throw new \LogicException('This handle is in the middle of another transfer');
        }
        self::$busy[$handle] = true;
        try {
            if (!Wait::curl($multi, $timeout)) {
                throw TimedOut::after($timeout ?? 0.0, (string) curl_getinfo($handle, CURLINFO_EFFECTIVE_URL));
            }
            $told = curl_multi_info_read($multi);
            return ($told['result'] ?? null) === CURLE_OK ? curl_multi_getcontent($handle) ?? true : false;
        } finally {
            unset(self::$busy[$handle]);
            curl_multi_remove_handle($multi, $handle);
        }
    }
}
