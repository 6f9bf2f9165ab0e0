<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Bench\HdrLog;
use Tusk\Bench\HdrLogEntry;
use Tusk\Bench\Hgrm;
use Tusk\Bench\Result;

/** Histograms for other people's plotters: a log of intervals, or the percentiles of the whole window. */
final class HdrFile
{
    /** The log; intervals outside the measuring window carry their phase as a tag, whole histograms their name. */
    public static function log(Result $result): string
    {
        $entries = [];
        foreach ($result->intervals as $interval) {
            $entries[] = new HdrLogEntry($interval->start, $interval->length, $interval->histogram(), $interval->phase === 'measure' ? null : $interval->phase);
        }
        $start = $result->measured()[0]->start ?? 0.0;
        foreach ($result->latency as $name => $latency) {
            $entries[] = new HdrLogEntry($start, $result->seconds, $latency->histogram, "whole-$name");
        }

        return HdrLog::write($result->started, $entries, "tusk bench {$result->version} {$result->mode->value} {$result->url}, nanoseconds");
    }

    /** Milliseconds by percentile, of the headline histogram. */
    public static function percentiles(Result $result): string
    {
        return Hgrm::write($result->headline()->histogram);
    }
}
