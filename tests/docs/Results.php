<?php

// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Tusk\Tests\Docs;

/** Files of bench/results: each is what a figure or a page of the documents goes back to, and each that they name is there. */
final class Results
{
    private const FOLDER = 'bench/results';
    private const NAME = '~\b\d{4}-\d\d-\d\d(?:-[a-z-]+)?\.json\b~';

    /** @throws \LogicException that names the files */
    public static function check(): void
    {
        $named = [];
        foreach (['bench/figures.php', ...glob('docs/*.md') ?: [], ...glob('docs/*/*.md') ?: []] as $page) {
            preg_match_all(self::NAME, (string) file_get_contents($page), $m);
            array_push($named, ...$m[0]);
        }
        $kept = array_map(basename(...), glob(self::FOLDER . '/*') ?: []);
        $unread = array_diff($kept, $named);
        $gone = array_diff($named, $kept);
        if ($unread !== [] || $gone !== []) {
            throw new \LogicException('nothing names: ' . implode(', ', $unread) . '; not there: ' . implode(', ', $gone));
        }
    }
}
