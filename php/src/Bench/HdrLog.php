<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The histogram log, format 1.3: comments, a legend and one line per interval, as the usual plotters read it. */
final class HdrLog
{
    private const LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"';
    /** Interval_Max is in milliseconds while the values are nanoseconds. */
    private const MAX_UNIT = 1e6;
    /** A start time under this many seconds is counted from StartTime, as no run lasts ten years. */
    private const RELATIVE_MAX = 365 * 86400.0 * 10;

    /**
     * @param float                 $startTime seconds since the epoch
     * @param iterable<HdrLogEntry> $entries
     */
    public static function write(float $startTime, iterable $entries, string $comment = ''): string
    {
        $text = $comment === '' ? '' : '#[' . strtr($comment, ["\n" => ' ', ']' => ')']) . "]\n";
        $text .= "#[Histogram log format version 1.3]\n";
        $text .= sprintf("#[StartTime: %.3f (seconds since epoch), %s]\n", $startTime, gmdate('D M d H:i:s \U\T\C Y', (int) $startTime));
        $text .= self::LEGEND . "\n";
        foreach ($entries as $entry) {
            $text .= sprintf(
                "%s%.3f,%.3f,%.3f,%s\n",
                $entry->tag === null ? '' : "Tag=$entry->tag,",
                $entry->start,
                $entry->length,
                $entry->histogram->max() / self::MAX_UNIT,
                Hdr::pack($entry->histogram),
            );
        }

        return $text;
    }

    /**
     * @return array{startTime: float|null, entries: list<HdrLogEntry>} starts are seconds since StartTime
     *
     * @throws \ValueError naming the line
     */
    public static function read(string $text): array
    {
        $startTime = null;
        $baseTime = null;
        $entries = [];
        foreach (explode("\n", $text) as $i => $line) {
            $line = rtrim($line, "\r");
            if (preg_match('~^#\[(StartTime|BaseTime): ([\d.]+)~', $line, $m) === 1) {
                if ($m[1] === 'StartTime') {
                    $startTime = (float) $m[2];
                } else {
                    $baseTime = (float) $m[2];
                }
            } elseif ($line !== '' && $line[0] !== '#' && $line[0] !== '"') {
                try {
                    $entries[] = self::entry($line, $startTime ?? 0.0, $baseTime);
                } catch (\ValueError $fault) {
                    throw new \ValueError('line ' . ($i + 1) . ": {$fault->getMessage()}", 0, $fault);
                }
            }
        }

        return ['startTime' => $startTime, 'entries' => $entries];
    }

    private static function entry(string $line, float $startTime, ?float $baseTime): HdrLogEntry
    {
        if (preg_match('~^(?:Tag=([^,\s]+),)?([\d.]+),([\d.]+),[\d.]+,(\S+)$~', $line, $m, PREG_UNMATCHED_AS_NULL) !== 1) {
            throw new \ValueError('not [Tag=name,]start,length,max,histogram');
        }
        $start = (float) $m[2];
        if ($baseTime !== null) {
            $start += $baseTime - $startTime;
        } elseif ($start > self::RELATIVE_MAX) {
            $start -= $startTime;
        }

        return new HdrLogEntry($start, (float) $m[3], Hdr::unpack((string) $m[4]), $m[1]);
    }
}
