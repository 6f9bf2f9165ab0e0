<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** What a response must be. */
final class Expect
{
    /** @param list<int> $statuses */
    public static function status(Http $response, array $statuses): void
    {
        if (!in_array($response->status, $statuses, true)) {
            throw new Failed('expected ' . implode('/', $statuses) . ", got $response->status");
        }
    }

    /** After the last response: closed, still open and quiet, or (null) either. */
    public static function after(Wire $wire, ?bool $closes): void
    {
        if ($closes === true) {
            if (!$wire->readToEnd(6.0)) {
                throw new Failed('the connection was not closed');
            }
            if ($wire->in !== '') {
                throw new Failed('more came than the last answer: ' . Http::quote($wire->in));
            }
        } elseif ($closes === false) {
            $wire->chop = 0;
            $wire->write("GET /alive HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            Http::read($wire, 6.0);
        }
    }

    /** A 426 has Upgrade; and whoever sends Upgrade lists it in Connection (RFC 9110, 7.8). */
    public static function upgradeNamed(Http $response): void
    {
        $options = array_map(trim(...), explode(',', strtolower($response->header('connection') ?? '')));
        if ($response->header('upgrade') !== null && !in_array('upgrade', $options, true)) {
            throw new Failed('Upgrade, and Connection: ' . implode(', ', $options));
        }
        self::that($response->status !== 426 || $response->header('upgrade') !== null, '426 without Upgrade');
    }

    public static function that(bool $condition, string $otherwise): void
    {
        if (!$condition) {
            throw new Failed($otherwise);
        }
    }

    public static function same(mixed $wanted, mixed $got, string $what): void
    {
        if ($wanted !== $got) {
            throw new Failed("$what: expected " . json_encode($wanted) . ', got ' . json_encode($got));
        }
    }
}
