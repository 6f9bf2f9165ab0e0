<?php

declare(strict_types=1);

namespace Tusk\Terminal;

use Symfony\Component\Console\Output\ConsoleOutput;

/** The terminal, a pipe or a file, which takes everything or says why not: symfony's own looks at no write. */
final class Output extends ConsoleOutput
{
    /** A pipe whose reader has all that it wanted. */
    private const NOBODY_READS = 32;

    /** @throws LostOutput */
    protected function doWrite(string $message, bool $newline): void
    {
        $rest = $newline ? $message . PHP_EOL : $message;
        $stream = $this->getStream();
        while ($rest !== '') {
            error_clear_last();
            $written = @fwrite($stream, $rest);
            $fault = error_get_last();
            if ($fault !== null) {
                self::failed($fault['message']);

                return;
            }
            $rest = substr($rest, (int) $written);
            if ($rest !== '') { // somebody made the pipe one that does not wait
                [$read, $write, $except] = [[], [$stream], []];
                @stream_select($read, $write, $except, 1);
            }
        }
        fflush($stream);
    }

    private static function failed(string $said): void
    {
        preg_match('~errno=(\d+) (.*)$~', $said, $m);
        if ((int) ($m[1] ?? 0) !== self::NOBODY_READS) {
            throw LostOutput::because(lcfirst($m[2] ?? $said));
        }
    }
}
