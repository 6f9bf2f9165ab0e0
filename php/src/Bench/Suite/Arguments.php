<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** A suite's own arguments as typed, in the order of their names. */
final readonly class Arguments
{
    /** @var array<string, string> */
    private array $values;

    /**
     * @param array<string, string> $defaults by name, in order
     * @param list<string>          $given
     *
     * @throws \ValueError when there are more than that
     */
    public function __construct(array $defaults, array $given)
    {
        $names = array_keys($defaults);
        if (count($given) > count($names)) {
            throw new \ValueError('this suite takes ' . implode(', ', $names) . ", and nothing like \"{$given[count($names)]}\"");
        }
        $this->values = [...$defaults, ...array_combine(array_slice($names, 0, count($given)), $given)];
    }

    public function text(string $name): string
    {
        return $this->values[$name] ?? '';
    }

    /** @throws \ValueError naming argument and value */
    public function count(string $name): int
    {
        $number = filter_var($this->text($name), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 100_000_000]]);

        return $number !== false ? $number : throw new \ValueError("$name is \"{$this->text($name)}\"; a whole number from 1 to 100000000 is wanted");
    }
}
