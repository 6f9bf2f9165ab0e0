<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** A name of a user or a room: how it is written, the folded form under which two spellings are one name, and what it looks like. */
final readonly class Name implements \Stringable
{
    public const MAX = 24;

    /** Names that a route or an address already has. */
    private const RESERVED = [
        'all', 'assets', 'events', 'everyone', 'favicon', 'health', 'history', 'login', 'logout', 'me', 'messages', 'msg',
        'online', 'password', 'read', 'rooms', 'server', 'system', 'token', 'tusk', 'typing', 'ws',
    ];

    /** Letters and marks that show nothing: fillers, joiners, variation selectors. */
    private const INVISIBLE = '/[\x{34F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{180B}-\x{180F}\x{3164}\x{FE00}-\x{FE0F}\x{FFA0}\x{E0100}-\x{E01EF}]/u';

    private const MARKS = 3;

    private function __construct(public string $text, public string $folded, public string $skeleton) {}

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
        // Letters with their marks, digits, and - or _ inside: nothing that a path or an address uses.
        if (preg_match('/^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?$/u', $text) !== 1 || preg_match(self::INVISIBLE, $text) === 1) {
            throw Refused::badName("$whose consists of letters and digits, with - or _ between them.");
        }
        if (preg_match('/\p{M}{' . (self::MARKS + 1) . '}/u', $text) === 1) {
            throw Refused::badName("$whose has at most " . self::MARKS . ' marks on a letter.');
        }
        if (!class_exists(\Normalizer::class) && preg_match('/[\p{M}\x{2100}-\x{2BFF}\x{F900}-\x{FFFF}\x{1D400}-\x{1D7FF}]/u', $text) === 1) {
            // Without PHP's intl two spellings of such letters could not be told to be the same name.
            throw Refused::badName("$whose consists of plain letters and digits here.");
        }
        if (!Lookalike::isOneScript($text)) {
            throw Refused::badName("$whose is written in one alphabet; this one mixes several.");
        }
        $folded = self::fold($text);
        if (in_array($folded, self::RESERVED, true)) {
            throw Refused::badName("\"$text\" is reserved; choose another name.");
        }
        return new self($text, $folded, Lookalike::skeleton($text));
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
