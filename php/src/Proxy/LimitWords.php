<?php

declare(strict_types=1);

namespace Tusk\Proxy;

use Tusk\Terminal\Units;

/**
 * Limits as words: `checkMs=2s ejectFailures=5 http.poolSize=100`. A name is that of a parameter of Limits, or with `http.` before it of HttpLimits;
 * its end says the unit: milliseconds (Ms), seconds (S) or bytes (Bytes), else a count. A number alone is in that unit.
 */
final readonly class LimitWords
{
    private const HTTP = 'http.';

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
            if (preg_match('~^((?:http\.)?\w+)=(\S+)$~D', $word, $m) !== 1) {
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

    /** What a word such as this one holds, for messages. */
    public static function example(string $name): string
    {
        return match (true) {
            str_ends_with($name, 'Ms') => "a whole number of milliseconds, such as $name=500ms or $name=2s",
            str_ends_with($name, 'S') => "a whole number of seconds, such as $name=30s or $name=2m",
            str_ends_with($name, 'Bytes') => "a number of bytes, such as $name=500 or $name=64KiB",
            default => "a whole number, such as $name=500 or $name=10k",
        };
    }

    /** A number in the unit that its name says; null: a unit that is none of it, or not a whole number of its own. */
    public static function number(string $name, string $text): ?int
    {
        try {
            return match (true) {
                str_ends_with($name, 'Ms') => Units::milliseconds($text, 'ms'),
                str_ends_with($name, 'S') => self::seconds(Units::milliseconds($text)),
                str_ends_with($name, 'Bytes') => Units::bytes($text),
                default => Units::count($text),
            };
        } catch (\ValueError) {
            return null;
        }
    }

    private static function seconds(int $milliseconds): ?int
    {
        return $milliseconds % 1000 === 0 ? intdiv($milliseconds, 1000) : null;
    }
}
