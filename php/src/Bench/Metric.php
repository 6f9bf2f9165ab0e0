<?php

declare(strict_types=1);

namespace Tusk\Bench;

use Tusk\Terminal\Units;

/** A figure of a result that thresholds and comparisons name: `rate`, `p99`, `upgrade.p95`, `errors`, `server.rss`. */
final readonly class Metric
{
    public const HISTOGRAMS = [
        'response', 'service', 'blocked', 'late', 'tcp', 'tls', 'upgrade', 'first', 'close_frame', 'close_end', 'delivery', 'spread',
        'hiccup', 'reconnect',
    ];
    private const STATISTICS = ['min', 'mean', 'stddev', 'max', 'count'];
    private const FIGURES = [
        'rate' => 'number', 'errors' => 'number', 'reach' => 'number', 'bandwidth' => 'bytes',
        'generator.cpu' => 'number', 'generator.busiest' => 'number', 'generator.per_cpu_second' => 'number',
        'server.cpu' => 'number', 'server.rss' => 'bytes', 'server.per_connection' => 'bytes', 'server.per_cpu_second' => 'number',
    ];

    private function __construct(
        public string $name,
        private string $kind,
        private ?string $histogram = null,
        private ?string $statistic = null,
        private ?float $percentile = null,
    ) {}

    /** @throws \ValueError with the list of metrics */
    public static function parse(string $name, Mode $mode = Mode::WsEcho): self
    {
        if (isset(self::FIGURES[$name])) {
            return new self($name, self::FIGURES[$name]);
        }
        if (isset(Counters::NAMES[$name])) {
            return new self($name, 'number');
        }
        $dot = preg_match('~^([a-z_]+)\.(.+)$~', $name, $m) === 1 && in_array($m[1], self::HISTOGRAMS, true);
        [$histogram, $statistic] = $dot ? [$m[1], $m[2]] : [$mode->headline(), $name];
        $percentile = Percentiles::parse($statistic);
        if ($percentile === null && !in_array($statistic, self::STATISTICS, true)) {
            throw new \ValueError("there is no metric \"$name\"" . self::hint($name) . " there are:\n" . self::list());
        }

        return new self($name, $statistic === 'count' ? 'number' : 'time', $histogram, $statistic, $percentile);
    }

    /** The metrics, for people: a line or more for each kind. */
    public static function list(): string
    {
        $text = '';
        foreach ([
            'rates' => ['rate', 'errors', 'reach', 'bandwidth'],
            'latency' => ['p50', 'p90', 'p99', 'p99.9', '(any pNN.N)', ...self::STATISTICS],
            'of a part' => ['as service.p99:', ...self::HISTOGRAMS],
            'generator' => self::figures('generator.'),
            'with --pid' => self::figures('server.'),
            'counters' => array_keys(Counters::NAMES),
        ] as $kind => $names) {
            $text .= ($text === '' ? '' : "\n") . '  ' . str_pad($kind, 11) . wordwrap(implode(' ', $names), 66, "\n  " . str_repeat(' ', 11));
        }

        return $text;
    }

    /** @return list<string> */
    private static function figures(string $prefix): array
    {
        return array_values(array_filter(array_keys(self::FIGURES), static fn (string $name): bool => str_starts_with($name, $prefix)));
    }

    /** The metric that was meant, when one is near. */
    private static function hint(string $name): string
    {
        $names = [...array_keys(self::FIGURES), ...array_keys(Counters::NAMES), ...self::STATISTICS, 'p50', 'p90', 'p95', 'p99', 'p99.9'];
        $dot = strrpos($name, '.');
        if ($dot !== false) { // service.p99, of which either half may be wrong
            foreach (self::HISTOGRAMS as $histogram) {
                $names[] = $histogram . substr($name, $dot);
            }
        }
        $near = [];
        foreach ($names as $known) {
            $near[$known] = levenshtein($name, $known);
        }
        asort($near);
        $best = (string) array_key_first($near);

        return $near[$best] <= max(1, intdiv(strlen($name), 3)) ? ": did you mean \"$best\"?" : ';';
    }

    /** Whether it is only known when the server's process id is. */
    public function needsPid(): bool
    {
        return str_starts_with($this->name, 'server.');
    }

    /** Whether more of it is worse. */
    public function lowerIsBetter(): bool
    {
        return $this->kind === 'time' || in_array($this->name, ['errors', 'dropped', 'server.cpu', 'server.rss', 'server.per_connection', 'generator.cpu'], true);
    }

    /**
     * A limit in this metric's unit: nanoseconds for times.
     *
     * @throws \ValueError
     */
    public function limit(string $text): float
    {
        if ($this->kind === 'time') {
            if (!Units::isTime($text)) {
                throw new \ValueError("$this->name is a time: give its limit a unit, such as " . (is_numeric($text) ? $text : '20') . "ms, \"$text\" given");
            }

            return Units::seconds($text) * 1e9;
        }

        return $this->kind === 'bytes' ? (float) Units::bytes($text) : Units::number($text);
    }

    /** Null when the result has no such figure, or too few samples for the percentile. */
    public function of(Result $result): ?float
    {
        if ($this->histogram !== null) {
            return $this->ofHistogram($result->latency[$this->histogram] ?? null);
        }
        $server = $result->server;

        return match ($this->name) {
            'rate' => $result->rate(),
            'errors' => (float) $result->errors(),
            'reach' => $result->reach(),
            'bandwidth' => $result->per('bytes_received') + $result->per('bytes_sent'),
            'generator.cpu' => $result->generator->cpu(),
            'generator.busiest' => $result->generator->busiest(),
            'generator.per_cpu_second' => $result->generator->cpu() > 0 ? $result->rate() / $result->generator->cpu() : null,
            'server.cpu' => $server?->cpu,
            'server.rss' => $server === null ? null : (float) $server->rss,
            'server.per_connection' => $server?->bytesPerConnection,
            'server.per_cpu_second' => $server?->operationsPerSecond,
            default => (float) (($result->counters[$this->name] ?? 0)),
        };
    }

    private function ofHistogram(?Latency $latency): ?float
    {
        if ($latency === null || ($latency->count() === 0 && $this->statistic !== 'count')) {
            return null;
        }
        $value = $this->percentile !== null ? $latency->percentile($this->percentile) : match ($this->statistic) {
            'min' => $latency->min,
            'mean' => $latency->mean,
            'stddev' => $latency->stddev,
            'max' => $latency->max,
            default => $latency->count(),
        };

        return $value === null ? null : (float) $value;
    }

    /** Why of() gave null. */
    public function whyNot(Result $result): string
    {
        if ($this->histogram === null) {
            return $this->needsPid() ? 'give --pid, the process id of the server' : 'nothing was counted';
        }
        $count = isset($result->latency[$this->histogram]) ? $result->latency[$this->histogram]->count() : 0;
        if ($count === 0 || $this->percentile === null) {
            return "no sample of $this->histogram";
        }

        return sprintf('%s samples; it needs %s', number_format($count), number_format(Percentiles::support($this->percentile)));
    }

    public function text(float $value): string
    {
        return match ($this->kind) {
            'time' => Units::duration($value),
            'bytes' => Units::size($value),
            default => Units::short($value),
        };
    }
}
