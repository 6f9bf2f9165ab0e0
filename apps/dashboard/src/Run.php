<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard;

use Tusk\Resource\Application;

/** One rendering of a sheet, timed. */
final readonly class Run
{
    /**
     * @param int       $began microseconds of the machine's clock
     * @param list<Ran> $parts
     */
    private function __construct(
        public string $json,
        public int $began,
        public int $ended,
        public array $parts,
    ) {}

    /** @param float $delay milliseconds of each part */
    public static function of(Application $application, Sheet $sheet, float $delay, Source $source = Source::Panel): self
    {
        $request = $application->client()->get->uri("app://self/$sheet->value", ['delay' => $delay]);
        if ($sheet === Sheet::Users) {
            $request->linkCrawl('tree');
        } else {
            $request->addQuery(['source' => $source->value]);
        }
        $began = Ran::clock();
        $page = $request(); // its own method runs in this process, as with Client::get(); what it embeds runs where the engine says
        $json = $page->toString(); // it is kept: that it goes again is no part of the time until its text
        $ended = Ran::clock();

        return new self($json, $began, $ended, Ran::in(json_decode($json, true, flags: JSON_THROW_ON_ERROR)));
    }

    public function milliseconds(): float
    {
        return ($this->ended - $this->began) / 1000;
    }

    /** What engine and rendering took beside the longest part. */
    public function overhead(): float
    {
        $parts = array_map(static fn (Ran $ran): int => $ran->ended - $ran->began, $this->parts);

        return ($this->ended - $this->began - ($parts === [] ? 0 : max($parts))) / 1000;
    }
}
