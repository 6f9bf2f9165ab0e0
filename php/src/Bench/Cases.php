<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The performance cases of the Autobahn test suite, 9.1 to 9.8: one connection, echoes, a time limit. */
final readonly class Cases
{
    private const K = 1024;
    private const M = 1 << 20;
    private const SIZES = [64 * self::K, 256 * self::K, self::M, 4 * self::M, 8 * self::M, 16 * self::M];
    private const FRAGMENTS = [64, 256, self::K, 4 * self::K, 16 * self::K, 64 * self::K, 256 * self::K, self::M, 4 * self::M];
    private const CHOPS = [64, 128, 256, 512, 1024, 2048];
    private const SMALL = [0, 16, 64, 256, 1024, 4096];
    private const ROUND_TRIPS = 1000;

    /** @param array<string, string|int|bool> $options of ws-echo */
    private function __construct(public string $number, public string $title, public array $options, public int $count, public int $limit) {}

    /** @return list<self> all 54, in the order of their numbers */
    public static function all(): array
    {
        $cases = [];
        foreach ([1 => [10, 10, 100, 100, 100, 100], 2 => [10, 10, 10, 10, 100, 100]] as $group => $limits) {
            foreach (self::SIZES as $i => $size) {
                $cases[] = self::one($group, $i, self::kind($group) . ' message of ' . self::size($size), ['size' => $size], 1, $limits[$i]);
            }
        }
        foreach ([3, 4] as $group) {
            foreach (self::FRAGMENTS as $i => $fragment) {
                $title = self::kind($group) . ' message of 4M in fragments of ' . self::size($fragment);
                $cases[] = self::one($group, $i, $title, ['size' => 4 * self::M, 'fragment' => $fragment], 1, 100);
            }
        }
        foreach ([5, 6] as $group) {
            foreach (self::CHOPS as $i => $chop) {
                $title = self::kind($group) . ' message of 1M in writes of ' . $chop;
                $cases[] = self::one($group, $i, $title, ['size' => self::M, 'chop' => $chop], 1, 1000);
            }
        }
        foreach ([7, 8] as $group) {
            foreach (self::SMALL as $i => $size) {
                $title = self::ROUND_TRIPS . ' ' . self::kind($group) . ' messages of ' . self::size($size);
                $cases[] = self::one($group, $i, $title, ['size' => $size], self::ROUND_TRIPS, [60, 60, 60, 120, 240, 480][$i]);
            }
        }

        return $cases;
    }

    /**
     * Those whose numbers begin with one of these: `9.1`, `9.7.3`.
     *
     * @param list<string> $prefixes none: all
     *
     * @return list<self>
     *
     * @throws \ValueError when a prefix fits nothing
     */
    public static function matching(array $prefixes): array
    {
        $fits = static fn (self $case, string $prefix): bool => str_starts_with("$case->number.", rtrim($prefix, '.') . '.');
        foreach ($prefixes as $prefix) {
            if (array_filter(self::all(), static fn (self $case): bool => $fits($case, $prefix)) === []) {
                throw new \ValueError("there is no case $prefix: they are 9.1.1 to 9.8.6");
            }
        }

        return $prefixes === [] ? self::all() : array_values(array_filter(
            self::all(),
            static fn (self $case): bool => array_filter($prefixes, static fn (string $prefix): bool => $fits($case, $prefix)) !== [],
        ));
    }

    /** @param array<string, string|int|float|bool> $more options of the connection, such as tls-insecure */
    public function plan(string $url, array $more = []): Plan
    {
        return new Plan(Mode::WsEcho, $url, [...$more, ...$this->options], scenario: "case {$this->number}");
    }

    /** @param array<string, string|int> $options */
    private static function one(int $group, int $index, string $title, array $options, int $count, int $limit): self
    {
        $number = "9.$group." . ($index + 1);

        return new self($number, $title, [
            ...$options,
            'binary' => $group % 2 === 0,
            'connections' => 1,
            'workers' => 1,
            'count' => $count,
            'verify' => true,
            'warmup' => '0',
            'duration' => "{$limit}s",
            'timeout' => "{$limit}s",
            'drain' => "{$limit}s",
        ], $count, $limit);
    }

    private static function kind(int $group): string
    {
        return $group % 2 === 0 ? 'binary' : 'text';
    }

    private static function size(int $bytes): string
    {
        return match (true) {
            $bytes >= self::M => intdiv($bytes, self::M) . 'M',
            $bytes >= 4 * self::K => intdiv($bytes, self::K) . 'K',
            default => (string) $bytes,
        };
    }
}
