<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/**
 * Limits as words: `checkMs=2s ejectFailures=5 http.poolSize=100`. A name is that of a parameter of Limits, or with `http.` before it of HttpLimits;
 * its end says the unit: milliseconds (Ms), seconds (S) or bytes, else a count. A number alone is in that unit.
 */
final readonly class LimitWords
{
    private const HTTP = 'http.';
    private const TIMES = ['ms' => 1, 's' => 1000, 'm' => 60_000, 'h' => 3_600_000];
    private const SIZES = ['' => 1, 'k' => 1000, 'm' => 1_000_000, 'kib' => 1024, 'mib' => 1_048_576];

    /**
     * @param array<string, int> $limits by the names of Limits
     * @param array<string, int> $http   by the names of HttpLimits
     */
    private function __construct(public array $limits, public array $http) {}

    /**
     * @param list<string> $words
     * @param string       $option what they were given by, for messages
     *
     * @throws BadSetting for a word that is none; whether a value is in range is Limits' to say
     */
    public static function of(array $words, string $option, Kind $kind): self
    {
        $limits = $http = [];
        foreach ($words as $word) {
            if (preg_match('~^((?:http\.)?\w+)=(\d{1,9}[a-zA-Z]*)$~D', $word, $m) !== 1) {
                throw BadSetting::of($option, $word, 'NAME=VALUE such as checkMs=2s');
            }
            [, $name, $text] = $m;
            self::known($name, $option, $kind);
            $value = self::number($name, $text) ?? throw BadSetting::of($option, $word, self::example($name));
            if (str_starts_with($name, self::HTTP)) {
                $http[substr($name, strlen(self::HTTP))] = $value;
            } else {
                $limits[$name] = $value;
            }
        }

        return new self($limits, $http);
    }

    private static function known(string $name, string $option, Kind $kind): void
    {
        $names = self::names(Limits::class);
        if ($kind === Kind::Http) {
            array_push($names, ...array_map(static fn (string $one): string => self::HTTP . $one, self::names(HttpLimits::class)));
        }
        if (!in_array($name, $names, true)) {
            throw BadSetting::noneOf($option, $name, $names);
        }
    }

    /**
     * @param class-string $class
     *
     * @return list<string>
     */
    private static function names(string $class): array
    {
        return array_map(static fn (\ReflectionParameter $one): string => $one->getName(), (new \ReflectionMethod($class, '__construct'))->getParameters());
    }

    private static function example(string $name): string
    {
        return match (true) {
            str_ends_with($name, 'Ms') => "a whole number of milliseconds, such as $name=500ms or $name=2s",
            str_ends_with($name, 'S') => "a whole number of seconds, such as $name=30s or $name=2m",
            default => "a whole number, such as $name=500, $name=10k or, of bytes, $name=64KiB",
        };
    }

    /** A number with the unit that its name says, or that stands behind it; null: a unit that is none of it, or not a whole number of its own. */
    public static function number(string $name, string $text): ?int
    {
        if (preg_match('~^(\d{1,9})([a-zA-Z]*)$~D', $text, $m) !== 1) {
            return null;
        }
        [$number, $unit] = [(int) $m[1], strtolower($m[2])];
        $in = match (true) {
            str_ends_with($name, 'Ms') => 1,
            str_ends_with($name, 'S') => 1000,
            default => 0,
        };
        if ($in === 0) {
            $factor = self::SIZES[$unit] ?? null;

            return $factor === null ? null : $number * $factor;
        }
        $factor = $unit === '' ? $in : (self::TIMES[$unit] ?? null);

        return $factor === null || $number * $factor % $in !== 0 ? null : intdiv($number * $factor, $in);
    }
}
