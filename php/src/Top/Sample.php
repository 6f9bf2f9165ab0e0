<?php

declare(strict_types=1);

namespace Tusk\Top;

/** What one answer of /metrics says (OpenMetrics), read at one moment. */
final readonly class Sample
{
    /**
     * @param 'proxy'|'server'                                                     $kind
     * @param array<string, float>                                                 $values     by the names of stats()
     * @param array<string, true>                                                  $counters   which of them only rise
     * @param array<string, array<string, array<string, float>>>                   $labelled   by label ("target", "route", "limit"), its value, and name
     * @param array<string, array<string, array<string, array<int|string, float>>>> $histograms by label, its value, name and upper bound: counts up to it
     */
    private function __construct(
        public string $kind,
        public float $at,
        public float $clock,
        public array $values,
        public array $counters,
        public array $labelled,
        public array $histograms,
    ) {}

    /**
     * @param float      $at    a date, in seconds
     * @param float|null $clock of a clock that nobody sets, in seconds: what passes between two of them; null: as $at
     *
     * @throws Unreadable
     */
    public static function parse(string $text, string $from, float $at, ?float $clock = null): self
    {
        $values = $counters = $labelled = $histograms = [];
        $kind = null;
        foreach (explode("\n", $text) as $line) {
            if (preg_match('~^tusk_(proxy|server)_([a-z0-9_]+)(?:\{(.*)\})? (\S+)$~', $line, $m) !== 1 || !is_numeric($m[4]) || is_infinite((float) $m[4])) {
                continue; // comments, and what others put beside ours
            }
            $kind ??= $m[1];
            $name = preg_replace('~_total$~', '', $m[2]) ?? '';
            $labels = self::labels($m[3]);
            $label = array_key_first($labels);
            if ($label === null) {
                $values[$name] = (float) $m[4];
                $counters += $name === $m[2] ? [] : [$name => true];
                continue;
            }
            $name = preg_replace("~^{$label}_~", '', $name) ?? '';
            if (isset($labels['le'])) {
                $histograms[$label][$labels[$label]][preg_replace('~_bucket$~', '', $name)][$labels['le']] = (float) $m[4];
            } else {
                $labelled[$label][$labels[$label]][isset($labels['code']) ? "{$name}_{$labels['code']}" : $name] = (float) $m[4];
            }
        }
        if ($kind === null) {
            throw Unreadable::text($from, 'there is no tusk_proxy_… and no tusk_server_…');
        }

        return new self($kind === 'proxy' ? 'proxy' : 'server', $at, $clock ?? $at, $values, $counters, $labelled, $histograms);
    }

    public function value(string $name): float
    {
        return $this->values[$name] ?? 0.0;
    }

    /** @return array<string, string> */
    private static function labels(string $text): array
    {
        $labels = [];
        preg_match_all('~([a-z_]+)="((?:[^"\\\\]|\\\\.)*)"~', $text, $found, PREG_SET_ORDER);
        foreach ($found as [, $name, $value]) {
            $labels[$name] = strtr($value, ['\\\\' => '\\', '\\"' => '"', '\\n' => "\n"]);
        }

        return $labels;
    }
}
