<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** A name of a user or a room: how it is written, and the folded form under which two spellings are the same name. */
final readonly class Name implements \Stringable
{
    public const MAX = 24;

    /** Names that a route or an address already has. */
    private const RESERVED = [
        'all', 'assets', 'events', 'everyone', 'favicon', 'health', 'history', 'login', 'logout', 'me', 'messages', 'msg',
        'online', 'password', 'read', 'rooms', 'server', 'system', 'token', 'tusk', 'typing', 'ws',
    ];

    private function __construct(public string $text, public string $folded) {}

    /** @throws Refused with a sentence that says what a name looks like */
    public static function of(string $given, string $whose = 'A name'): self
    {
        if (!mb_check_encoding($given, 'UTF-8')) {
            throw Refused::badName("$whose has to be UTF-8.");
        }
        $text = self::normal(trim($given));
        $length = mb_strlen($text);
        if ($length === 0) {
            throw Refused::badName("$whose cannot be empty.");
        }
        if ($length > self::MAX) {
            throw Refused::badName("$whose has at most " . self::MAX . " characters; this one has $length.");
        }
        // Letters with their marks, digits, and - or _ inside: nothing invisible, nothing that a path or an address uses.
        if (preg_match('/^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?$/u', $text) !== 1) {
            throw Refused::badName("$whose consists of letters and digits, with - or _ between them.");
        }
        $folded = self::fold($text);
        if (in_array($folded, self::RESERVED, true)) {
            throw Refused::badName("\"$text\" is reserved; choose another name.");
        }
        return new self($text, $folded);
    }

    /** The form to look a given name up by; it need not be a good name. */
    public static function fold(string $text): string
    {
        if (!mb_check_encoding($text, 'UTF-8')) {
            return '';
        }
        return self::normal(mb_convert_case(self::normal(trim($text)), MB_CASE_FOLD, 'UTF-8'));
    }

    public function __toString(): string
    {
        return $this->text;
    }

    private static function normal(string $text): string
    {
        if (!class_exists(\Normalizer::class)) {
            return $text;
        }
        $normal = \Normalizer::normalize($text, \Normalizer::FORM_KC);
        return is_string($normal) ? $normal : $text;
    }
}
