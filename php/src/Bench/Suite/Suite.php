<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

use Tusk\Bench\Engines;

/** A comparison of peers: what it is called, what it takes, and its table. */
interface Suite
{
    /** @return array<string, string> arguments in order: name => default */
    public static function arguments(): array;

    /** One line for help. */
    public static function summary(): string;

    /** @throws \ValueError for arguments that are out of range */
    public static function of(Engines $engines, Arguments $arguments): self;

    /**
     * @param array<string, Peer>           $peers    those that are absent are told, not left out
     * @param \Closure(string, float): void $progress what goes on now, and the share that is done
     */
    public function run(array $peers, \Closure $progress): Table;
}
