<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** A request that is answered with a status, a short code for programs and a sentence for people. */
final class Refused extends \RuntimeException
{
    public function __construct(
        public readonly int $status,
        public readonly string $reason,
        string $sentence,
        public readonly float $retryAfter = 0.0,
    ) {
        parent::__construct($sentence);
    }

    public static function notLoggedIn(): self
    {
        return new self(401, 'not-logged-in', 'Log in first.');
    }

    public static function crossSite(): self
    {
        return new self(403, 'cross-site', 'This request came from another site.');
    }

    public static function malformed(string $what): self
    {
        return new self(400, 'malformed', $what);
    }

    public static function missing(string $field): self
    {
        return new self(422, 'missing-field', "The field \"$field\" is missing.");
    }

    public static function badName(string $why): self
    {
        return new self(422, 'bad-name', $why);
    }

    public static function lookAlike(string $name, string $taken): self
    {
        return new self(409, 'look-alike', "\"$name\" looks like \"$taken\", which somebody has; choose another name.");
    }

    public static function inUse(string $name, int $minutes): self
    {
        return new self(
            409,
            'in-use',
            "\"$name\" is in use. Is it you? Set a password where you are logged in, and use it here;"
            . " or come back when nobody has used the name for $minutes minutes.",
        );
    }

    public static function notFirst(string $name): self
    {
        return new self(403, 'not-first', "\"$name\" is in use on a device that had it before this one: only there a password can be set.");
    }

    public static function wrongPassword(string $name): self
    {
        return new self(403, 'wrong-password', "\"$name\" is protected and the password is not right.");
    }

    public static function unknownUser(string $name): self
    {
        return new self(404, 'unknown-user', 'Nobody called "' . self::short($name) . '" has ever been here.');
    }

    public static function unknownRoom(string $name): self
    {
        return new self(404, 'unknown-room', 'There is no room "#' . self::short($name) . '".');
    }

    public static function notMember(string $room): self
    {
        return new self(403, 'not-member', "Join #$room first.");
    }

    public static function tooLong(string $what, int $given, int $limit): self
    {
        return new self(422, 'too-long', "$what has $given characters; at most $limit are possible.");
    }

    public static function tooFast(float $seconds): self
    {
        return new self(429, 'too-fast', sprintf('Too fast: try again in %.1f seconds.', max(0.1, $seconds)), $seconds);
    }

    public static function notStored(): self
    {
        return new self(503, 'not-stored', 'The message could not be stored; try again.');
    }

    private static function short(string $text): string
    {
        return mb_strlen($text) > 40 ? mb_substr($text, 0, 40) . '…' : $text;
    }
}
