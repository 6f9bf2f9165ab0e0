<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Bench\BadFile;
use Tusk\Bench\Store;
use Tusk\Bench\Result;

/** Where stored results are read from: a JSON file, the newest of a store, or `store.sqlite#7`. */
final class Source
{
    private const SQLITE = "SQLite format 3\0";

    /** @throws BadFile */
    public static function result(string $reference): Result
    {
        [$file, $id] = self::split($reference);
        if (self::isStore($file)) {
            return (new Store($file, true))->get($id);
        }
        if ($id !== null) {
            throw BadFile::at($file, null, 'no store of results, so it has no numbers');
        }
        if (self::isWsperf($file)) {
            return WsperfJson::read($file)->toResult();
        }
        try {
            return Result::fromJson(BadFile::contents($file));
        } catch (BadFile $fault) {
            throw str_starts_with($fault->getMessage(), $file) ? $fault : BadFile::at($file, null, $fault->getMessage());
        }
    }

    public static function isStore(string $reference): bool
    {
        [$file] = self::split($reference);
        $head = is_file($file) ? @file_get_contents($file, false, null, 0, strlen(self::SQLITE)) : false;

        return $head === self::SQLITE;
    }

    /** Whether it is a result file of wsperf. */
    public static function isWsperf(string $file): bool
    {
        $head = is_file($file) ? (string) @file_get_contents($file, false, null, 0, 1 << 16) : '';

        return str_contains($head, '"connection_stats"') || (str_contains($head, '"total_duration"') && !str_contains($head, '"schema"'));
    }

    /** @return array{string, int|null} */
    private static function split(string $reference): array
    {
        return preg_match('~^(.+)#(\d+)$~', $reference, $m) === 1 ? [$m[1], (int) $m[2]] : [$reference, null];
    }
}
