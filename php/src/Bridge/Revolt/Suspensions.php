<?php

declare(strict_types=1);

namespace Tusk\Bridge\Revolt;

use Tusk\Scope;

/**
 * One for each fiber, handler and task that asked for it, as long as somebody holds it.
 *
 * @internal
 */
final class Suspensions
{
    /** @var \WeakMap<object, \WeakReference<Suspension>> by fiber or scope */
    private \WeakMap $all;

    public function __construct(private readonly Turns $turns)
    {
        $this->all = new \WeakMap();
    }

    public function current(): Suspension
    {
        $key = \Fiber::getCurrent() ?? Scope::current();
        $suspension = ($this->all[$key] ?? null)?->get();
        if ($suspension === null) {
            $suspension = new Suspension($this->turns, $this);
            $this->all[$key] = \WeakReference::create($suspension);
        }

        return $suspension;
    }

    public function forget(?object $key): void
    {
        if ($key !== null) {
            unset($this->all[$key]);
        }
    }

    /** Where all fibers stand that wait. */
    public function traces(): string
    {
        gc_collect_cycles();
        $text = '';
        foreach ($this->all as $suspension) {
            $trace = $suspension->get()?->trace();
            $text .= $trace === null ? '' : "\n\n$trace";
        }

        return $text;
    }
}
