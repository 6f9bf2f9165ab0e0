<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The compressed form of a histogram: base64 of a cookie, a length and a zlib stream; it begins with `HIST`. */
final class Hdr
{
    private const COOKIE = 0x1C849314;

    public static function pack(Histogram $histogram): string
    {
        $body = (string) gzcompress($histogram->encode());

        return base64_encode(pack('NN', self::COOKIE, strlen($body)) . $body);
    }

    /**
     * @param int $bytesMax what the payload may grow to when it is unpacked
     *
     * @throws \ValueError when the text is no compressed histogram
     */
    public static function unpack(string $text, int $bytesMax = 4 << 20): Histogram
    {
        $bytes = base64_decode($text, true);
        if ($bytes === false || strlen($bytes) < 8) {
            throw new \ValueError('not the base64 of a compressed histogram');
        }
        if (self::word($bytes, 0) !== self::COOKIE || self::word($bytes, 4) !== strlen($bytes) - 8) {
            throw new \ValueError('not a compressed histogram of version 2: its first bytes or its length are others');
        }
        $payload = @gzuncompress(substr($bytes, 8), $bytesMax);
        if ($payload === false) {
            throw new \ValueError("its zlib stream is damaged, or holds over $bytesMax bytes");
        }

        return Histogram::decode($payload);
    }

    private static function word(string $bytes, int $at): int
    {
        return ord($bytes[$at]) << 24 | ord($bytes[$at + 1]) << 16 | ord($bytes[$at + 2]) << 8 | ord($bytes[$at + 3]);
    }
}
