<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Symfony\Component\Console\Exception\InvalidArgumentException;

/** Who can reach an address can start load: beyond this machine only with a token. */
final class Exposure
{
    /** @throws InvalidArgumentException when the address is open to others and there is no token */
    public static function check(string $listen, ?string $token): void
    {
        $host = (string) preg_replace('~:\d+$~', '', $listen);
        $here = str_starts_with($listen, 'unix:') || $host === 'localhost' || $host === '[::1]' || preg_match('~^127(\.\d{1,3}){3}$~', $host) === 1;
        if (!$here && $token === null) {
            throw new InvalidArgumentException("$listen can be reached from elsewhere: give a --token, or listen on 127.0.0.1");
        }
    }
}
