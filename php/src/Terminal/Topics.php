<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** A command with more options than a screen holds: `--help=TOPIC` tells those of a topic, `--help=all` all of them. */
interface Topics extends OneScreen
{
    public const ALL = 'all';

    /** @return list<string> without "all" */
    public function topics(): array;

    public function topic(string $topic): string;
}
