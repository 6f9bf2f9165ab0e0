<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Bench\BadFile;
use Tusk\Bench\Fields;

/** wsperf's result file: one JSON object, read in pieces as it may hold millions of connections. */
final class WsperfJson
{
    private const CHUNK = 1 << 16;

    /** @return iterable<string> the text in pieces */
    public static function write(WsperfRun $run): iterable
    {
        yield sprintf(
            '{"total_duration":%d,"started":%d,"ended":%d,"handshake_throttle_count":%d,"handshake_resume_count":%d,"connection_stats":[',
            $run->duration,
            $run->started,
            $run->ended,
            $run->throttled,
            $run->resumed,
        );
        foreach ($run->connections as $i => $connection) {
            yield sprintf(
                '%s{"tcp_pre_init":%d,"tcp_post_init":%d,"open":%d,"close":%d,"failed":%s}',
                $i === 0 ? "\n" : ",\n",
                $connection[0],
                $connection[1],
                $connection[2],
                $connection[3],
                $connection[4] ? 'true' : 'false',
            );
        }
        yield "\n]}\n";
    }

    /** @throws BadFile naming the member that is wrong */
    public static function read(string $file): WsperfRun
    {
        $handle = is_file($file) ? @fopen($file, 'rb') : false;
        if ($handle === false) {
            throw BadFile::unreadable($file);
        }
        try {
            return self::parse($handle);
        } catch (BadFile $fault) {
            throw BadFile::at($file, null, "not a result of wsperf: {$fault->getMessage()}");
        } finally {
            fclose($handle);
        }
    }

    /**
     * Elements hold no object, so each is what lies between two braces without another in between.
     *
     * @param resource $handle
     */
    private static function parse($handle): WsperfRun
    {
        $connections = [];
        $rest = '';
        $outside = '';
        while (!feof($handle)) {
            $rest .= fread($handle, self::CHUNK);
            $end = 0;
            preg_match_all('~\{[^{}]*\}~', $rest, $found, PREG_OFFSET_CAPTURE);
            foreach ($found[0] as [$element, $at]) {
                $outside .= self::between(substr($rest, $end, $at - $end));
                if (str_contains($outside, '{')) {
                    $connections[] = self::connection($element, count($connections));
                } else {
                    $outside .= $element;       // an object around no other: the file's own
                }
                $end = $at + strlen($element);
            }
            $rest = substr($rest, $end);
        }
        $fields = Fields::ofJson($outside . self::between($rest));
        if (!$fields->has('connection_stats')) {
            throw new BadFile('connection_stats is missing');
        }

        return new WsperfRun(
            $fields->int('total_duration'),
            $fields->int('started'),
            $fields->int('ended'),
            $fields->int('handshake_throttle_count'),
            $fields->int('handshake_resume_count'),
            $connections,
        );
    }

    /** What separates two elements is a comma, and no part of the object around them. */
    private static function between(string $text): string
    {
        return preg_match('~^\s*,\s*$~', $text) === 1 ? '' : $text;
    }

    /** @return array{int, int, int, int, bool} */
    private static function connection(string $element, int $index): array
    {
        try {
            $fields = Fields::ofJson($element);
            $failed = $fields->bool('failed');
            if ($failed) {
                return [0, 0, max(0, $fields->int('open')), 0, true];     // its other phases mean nothing
            }

            return [...array_map($fields->int(...), WsperfRun::PHASES), false];
        } catch (BadFile $fault) {
            throw new BadFile("connection_stats[$index]: {$fault->getMessage()}", previous: $fault);
        }
    }
}
