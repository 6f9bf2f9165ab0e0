<?php

// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Tusk\Tests\Docs;

/**
 * A block of what somebody types ("$ command") and sees, against an example that runs: the commands are run as printed but for the port,
 * each after what the one before it shows is there. Positions ("5e2f1c86a40b9d37:1") are other ones each time.
 */
final class Session
{
    private const PATIENCE_S = 30.0;

    /** @var list<resource> */
    private array $processes = [];

    private function __construct(private readonly string $folder) {}

    public static function against(string $example, string $text): void
    {
        Conversation::with($example, function (Conversation $here) use ($text): void {
            $self = new self($here->folder);
            try {
                foreach ($self->steps(strtr($text, [':8080/' => ":$here->port/", ':8443/' => ":$here->port/"])) as [$command, $shown]) {
                    $self->begin($command);
                    $self->await($shown);
                }
            } finally {
                $self->end();
            }
        }, Front::certificate(...));
    }

    /** @return list<array{string, list<string>}> a command and the lines that are seen before the next one */
    private function steps(string $text): array
    {
        $steps = [];
        foreach (explode("\n", trim($text)) as $line) {
            if (str_starts_with($line, '$ ')) {
                $steps[] = [substr($line, 2), []];
            } elseif ($line !== '' && $steps !== []) {
                $steps[array_key_last($steps)][1][] = $line;
            }
        }
        return $steps === [] ? throw new \LogicException('no command') : $steps;
    }

    private function begin(string $command): void
    {
        $background = str_ends_with($command, '&');
        $seen = ['file', "$this->folder/seen.txt", 'a'];
        // setsid: what runs in the background ends with its group.
        $process = proc_open(['setsid', 'bash', '-c', rtrim($command, ' &')], [['file', '/dev/null', 'r'], $seen, $seen], $pipes, $this->folder);
        if ($process === false) {
            throw new \RuntimeException("cannot run $command");
        }
        $this->processes[] = $process;
        $background || $this->until(fn (): bool => !proc_get_status($process)['running'], "$command does not end");
    }

    /** @param list<string> $lines */
    private function await(array $lines): void
    {
        foreach ($lines as $line) {
            $pattern = '~' . preg_replace('~[0-9a-f]{16}(?=\\\\?:\d)~', '[0-9a-f]{16}', preg_quote($line, '~')) . '~';
            $this->until(fn (): bool => preg_match($pattern, $this->seen()) === 1, "\"$line\" is not seen");
        }
    }

    private function until(\Closure $holds, string $otherwise): void
    {
        $until = microtime(true) + self::PATIENCE_S;
        while (!$holds()) {
            if (microtime(true) > $until) {
                throw new \LogicException("$otherwise:\n" . $this->seen());
            }
            usleep(10_000); // a poll: what a command prints is told by nobody
        }
    }

    private function seen(): string
    {
        return (string) @file_get_contents("$this->folder/seen.txt");
    }

    private function end(): void
    {
        foreach ($this->processes as $process) {
            $status = proc_get_status($process);
            if ($status['running']) {
                posix_kill(-$status['pid'], SIGTERM);
            }
            proc_close($process);
        }
    }
}
