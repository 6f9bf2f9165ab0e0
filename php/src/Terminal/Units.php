<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** Figures with units, read from people and written for them: `10k`, `2s`, `64KiB`, `1.24 ms`. The core reads those of a load by the same rules (src/load/value.c). */
final class Units
{
    private const SECONDS = ['ns' => 1e-9, 'us' => 1e-6, 'µs' => 1e-6, 'ms' => 1e-3, 's' => 1.0, 'm' => 60.0, 'min' => 60.0, 'h' => 3600.0];
    private const FACTORS = ['' => 1.0, 'k' => 1e3, 'm' => 1e6, 'g' => 1e9, '%' => 0.01];
    private const BYTES = [
        '' => 1, 'b' => 1, 'k' => 1 << 10, 'kib' => 1 << 10, 'kb' => 1000, 'm' => 1 << 20, 'mib' => 1 << 20, 'mb' => 1_000_000,
        'g' => 1 << 30, 'gib' => 1 << 30, 'gb' => 1_000_000_000,
    ];

    private const TIME = 'a time such as 500ms, 10s or 2m';
    private const SIZE = 'a size such as 64, 4KiB or 1MiB';
    /** Figures above are no longer exact as a float. */
    private const MOST = 1e15;

    /** @throws \ValueError when the text is no time; a bare number is seconds */
    public static function seconds(string $text): float
    {
        [$value, $unit] = self::split($text);

        return $value * (self::SECONDS[$unit === '' ? 's' : strtolower($unit)] ?? throw self::bad($text, self::TIME));
    }

    /**
     * @param 's'|'ms' $bare what a number without a unit is
     *
     * @throws \ValueError when the text is no time, is negative or has a fraction of a millisecond
     */
    public static function milliseconds(string $text, string $bare = 's'): int
    {
        $unit = self::split($text)[1] === '' ? $bare : '';

        return self::whole(self::seconds("$text$unit") * 1000, $text, self::TIME);
    }

    /** @throws \ValueError when the text is no number, or one that is negative or has a fraction; `k`, `m` and `g` are factors */
    public static function count(string $text): int
    {
        return self::whole(self::number($text), $text, 'a whole number such as 500 or 10k');
    }

    /** @throws \ValueError when the text is no number; `k`, `m`, `g` and `%` are factors */
    public static function number(string $text): float
    {
        [$value, $unit] = self::split($text);

        return $value * (self::FACTORS[strtolower($unit)] ?? throw self::bad($text, 'a number such as 500, 10k or 2%'));
    }

    /** @throws \ValueError when the text is no size in bytes, or a negative one; `k` and `KiB` are 1024, `kB` is 1000 */
    public static function bytes(string $text): int
    {
        [$value, $unit] = self::split($text);
        $factor = self::BYTES[strtolower($unit)] ?? throw self::bad($text, self::SIZE);

        return self::whole(round($value * $factor), $text, self::SIZE);
    }

    /** Whether the text carries a unit of time. */
    public static function isTime(string $text): bool
    {
        return preg_match('~^[\d._]+\s*(ns|us|µs|ms|s|min|h)$~', trim($text)) === 1;
    }

    /** Nanoseconds with three figures and the unit that suits them. */
    public static function duration(float $nanoseconds): string
    {
        [$value, $unit] = match (true) {
            abs($nanoseconds) < 1e3 => [$nanoseconds, 'ns'],
            abs($nanoseconds) < 1e6 => [$nanoseconds / 1e3, 'µs'],
            abs($nanoseconds) < 1e9 => [$nanoseconds / 1e6, 'ms'],
            default => [$nanoseconds / 1e9, 's'],
        };

        return ($unit === 'ns' ? sprintf('%.0f', $value) : self::figures($value)) . " $unit";
    }

    /** A count or a rate: `97`, `4,210`, `81.2k`, `1.24M`. */
    public static function short(float $value): string
    {
        return match (true) {
            abs($value) < 1e4 => abs($value) < 10 && $value !== round($value) ? self::figures($value) : number_format($value),
            abs($value) < 1e6 => self::figures($value / 1e3) . 'k',
            abs($value) < 1e9 => self::figures($value / 1e6) . 'M',
            default => self::figures($value / 1e9) . 'G',
        };
    }

    /** Bytes: `64 B`, `1.50 KiB`, `24.0 MiB`. */
    public static function size(float $bytes): string
    {
        foreach (['GiB' => 1 << 30, 'MiB' => 1 << 20, 'KiB' => 1 << 10] as $unit => $factor) {
            if (abs($bytes) >= $factor) {
                return self::figures($bytes / $factor) . " $unit";
            }
        }

        return number_format($bytes) . ' B';
    }

    public static function percent(float $share): string
    {
        return self::figures($share * 100) . ' %';
    }

    /** Three significant figures, as many digits before the point as there are. */
    private static function figures(float $value): string
    {
        $digits = $value === 0.0 ? 0 : max(0, 2 - (int) floor(log10(abs($value))));

        return number_format($value, min(2, $digits));
    }

    /** @return array{float, string} */
    private static function split(string $text): array
    {
        if (preg_match('~^(-?\d[\d_]*(?:\.\d+)?|-?\.\d+)\s*([a-zA-Zµ%]*)$~u', trim($text), $m) !== 1) {
            throw self::bad($text, 'a number with an optional unit');
        }

        return [(float) str_replace('_', '', $m[1]), $m[2]];
    }

    private static function whole(float $value, string $text, string $wanted): int
    {
        if ($value < 0 || $value > self::MOST || abs($value - round($value)) > 1e-6) {
            throw self::bad($text, $wanted);
        }

        return (int) round($value);
    }

    private static function bad(string $text, string $wanted): \ValueError
    {
        return new \ValueError("\"$text\" is not $wanted");
    }
}
