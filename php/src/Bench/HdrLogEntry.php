<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** One interval of a histogram log. */
final readonly class HdrLogEntry
{
    /**
     * @param float       $start  seconds since the log's start time
     * @param float       $length seconds
     * @param string|null $tag    of the phase or operation; no comma, space or line break in it
     */
    public function __construct(public float $start, public float $length, public Histogram $histogram, public ?string $tag = null)
    {
        if ($tag !== null && preg_match('~[\s,]~', $tag) === 1) {
            throw new \ValueError("the tag \"$tag\" has a comma, a blank or a line break in it");
        }
    }
}
