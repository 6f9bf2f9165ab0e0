<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Bench\Counters;
use Tusk\Bench\Interval;
use Tusk\Bench\Latency;
use Tusk\Bench\Result;

/** Comma-separated values (RFC 4180 with LF): the intervals of a run, or every recorded value. */
final class Csv
{
    private const COLUMNS = [
        'start', 'length', 'phase', 'rate', 'count', 'p50_ns', 'p90_ns', 'p99_ns', 'max_ns', 'errors', 'dropped', 'in_flight', 'open',
        'generator_cpu', 'server_cpu', 'server_rss',
    ];

    /** One line for each interval. */
    public static function intervals(Result $result): string
    {
        $text = implode(',', self::COLUMNS) . "\n";
        foreach ($result->intervals as $interval) {
            $text .= self::line(self::interval($interval, $result));
        }

        return $text;
    }

    /** Every recorded value of every histogram, to three digits, with its count. */
    public static function values(Result $result): string
    {
        $text = "histogram,value_ns,count\n";
        foreach ($result->latency as $name => $latency) {
            $text .= self::slots($name, $latency);
        }

        return $text;
    }

    /**
     * One line for each connection, nanoseconds; 0 for a phase that did not happen.
     *
     * @param iterable<array{start: int, tcp: int, tls: int, upgrade: int, close: int, failed: bool, ...}> $samples
     *
     * @return iterable<string> the lines
     */
    public static function connections(iterable $samples): iterable
    {
        yield "start_ns,tcp_ns,tls_ns,upgrade_ns,close_ns,failed\n";
        foreach ($samples as $sample) {
            yield self::line([$sample['start'], $sample['tcp'], $sample['tls'], $sample['upgrade'], $sample['close'], (int) $sample['failed']]);
        }
    }

    private static function slots(string $name, Latency $latency): string
    {
        $text = '';
        foreach ($latency->histogram->slots() as [$value, $count]) {
            $text .= self::line([$name, min($value, $latency->max), $count]);
        }

        return $text;
    }

    /** @return list<int|float|string|null> */
    private static function interval(Interval $interval, Result $result): array
    {
        $count = $interval->counters;

        return [
            round($interval->start, 3),
            round($interval->length, 3),
            $interval->phase,
            round($interval->rate($result->mode), 1),
            $interval->count,
            $interval->p50,
            $interval->p90,
            $interval->p99,
            $interval->count > 0 ? $interval->max : null,
            Counters::errors($count),
            $count['dropped'] ?? 0,
            $count['in_flight'] ?? 0,
            $count['open'] ?? 0,
            $interval->generatorCpu === null ? null : round($interval->generatorCpu, 3),
            $interval->serverCpu === null ? null : round($interval->serverCpu, 3),
            $interval->serverRss,
        ];
    }

    /** @param list<int|float|string|null> $cells */
    public static function line(array $cells): string
    {
        return implode(',', array_map(static function (int|float|string|null $cell): string {
            $text = (string) $cell;

            return strpbrk($text, ",\"\n\r") === false ? $text : '"' . str_replace('"', '""', $text) . '"';
        }, $cells)) . "\n";
    }
}
