<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

/** One measurement: a role that servers play, how it is driven, and what the subject is held against. */
final readonly class Scenario
{
    /**
     * @param Role                 $role   what a server must do
     * @param list<string>         $driver arguments of the driver
     * @param array<string, float> $targets peer => least ratio subject / peer (of the lower 95 % bound for the floor)
     * @param string               $metric field of the driver's JSON, "a/b" for fields within fields
     * @param bool                 $less   whether less is better (the ratio is then peer / subject)
     * @param float|null           $limit  absolute bound of the metric
     * @param array<string, Role> $roles peer => another role for that peer
     * @param array<string, list<string>> $drivers peer => other arguments of the driver for that peer
     * @param bool                 $fresh  a new server for every run
     * @param bool                 $restart the driver ends the server and runs it again
     * @param string|null          $counts library of bench/micro that the servers are preloaded with; its file goes to the driver
     * @param string|null          $within peer whose figures are in the subject's own runs: the first of each of the driver's `pairs_us`
     */
    public function __construct(
        public string $id,
        public string $title,
        public Role $role,
        public array $driver,
        public array $targets,
        public string $metric = 'per_cpu_second',
        public bool $less = false,
        public ?float $limit = null,
        public array $roles = [],
        public array $drivers = [],
        public bool $fresh = false,
        public bool $restart = false,
        public bool $short = false,
        public string $unit = '/CPU-s',
        public ?string $within = null,
        public ?string $counts = null,
    ) {
    }

    public function roleOf(string $peer): Role
    {
        return $this->roles[$peer] ?? $this->role;
    }
}
