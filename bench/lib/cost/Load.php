<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Cost;

use Tusk\Bench\Suite\Role;

/** A row of bench/budgets.php: what a server is asked to do, how much of it, and what one message of it may cost. */
final readonly class Load
{
    /**
     * @param Role                 $role    what the server must be
     * @param list<string>         $driver  arguments of the driver
     * @param int                  $few     messages of the short run; of `blocks` and `bytes`: idle connections
     * @param int                  $many    of the long one: what costs the same in both (connecting, starting) falls out
     * @param array<string, float> $budgets kind => the most that one message may cost; a kind that is not there is not measured
     * @param string               $text    what the budget consists of
     * @param string|null          $like    a row that this one must cost as much as, within WITHIN
     */
    public function __construct(
        public string $name,
        public Role $role,
        public array $driver,
        public int $few,
        public int $many,
        public array $budgets,
        public string $text,
        public ?string $like = null,
    ) {
    }

    /** The number behind an option of the driver. */
    public function option(string $name, int $default): int
    {
        $at = array_search("--$name", $this->driver, true);

        return $at === false ? $default : (int) ($this->driver[$at + 1] ?? $default);
    }
}
