<?php

declare(strict_types=1);

namespace Tusk;

use Tusk\Parallel\Async;
use Tusk\Parallel\CannotTravel;
use Tusk\Parallel\Engine;
use Tusk\Parallel\NoJobs;
use Tusk\Parallel\Outcome;
use Tusk\Parallel\Pool;
use Tusk\Parallel\QueueFull;
use Tusk\Parallel\State;
use Tusk\Parallel\Task;

/**
 * Jobs side by side. A job is a closure, a callable string, or an array: class (or object) and method, or a closure or callable string, then
 * the arguments. Keys and order are the jobs' own everywhere.
 *
 * A deadline is in seconds from now and for each task; retry is how often a task is begun again when the process that ran it ended;
 * engine, where given, runs this one call.
 */
final class Parallel
{
    private const LOOK_NS = 1_000_000;

    private static ?Engine $engine = null;

    /** @var \WeakMap<\Throwable, list<\Throwable>>|null */
    private static ?\WeakMap $suppressed = null;

    private function __construct() {}

    /** The engine of all calls below, from now on: a pool made early, with the options that fit, or Sync. */
    public static function use(Engine $engine): void
    {
        self::$engine = $engine;
    }

    /** In a task: the pool that runs it. Else what use() said; else a new Pool, forked from this process as it is now. */
    public static function engine(): Engine
    {
        return Pool::current() ?? self::$engine ??= new Pool();
    }

    /**
     * Runs all and gives all results. Everything runs to its end; then the first failure in the jobs' order is thrown as it
     * is, and suppressed() tells the others.
     *
     * @param array<array-key, \Closure|string|array<mixed>> $jobs
     * @param bool $failFast the first failure in time cancels the others and is thrown
     * @return array<array-key, mixed>
     */
    public static function all(array $jobs, ?float $deadline = null, int $retry = 0, bool $failFast = false, ?Engine $engine = null): array
    {
        $engine ??= self::engine();
        $tasks = $engine->submit($jobs, $deadline, $retry);
        if ($failFast) {
            self::untilOneFails($engine, $tasks);
        }
        $results = [];
        $errors = [];
        foreach ($tasks as $key => $task) {
            $error = self::errorOf($task, $tasks);
            if ($error === null) {
                $results[$key] = $task->await();
            } else {
                $errors[] = $error;
            }
        }
        return $errors === [] ? $results : throw self::first($errors);
    }

    /**
     * As all(), in fibers of this process: side by side as far as the jobs wait through Tusk. In a handler of a Tusk server only that
     * handler waits meanwhile, in a task only that task.
     *
     * @param iterable<array-key, \Closure|string|array<mixed>> $jobs
     * @param int $concurrency jobs under way at once; the others wait in order
     * @return array<array-key, mixed>
     */
    public static function async(iterable $jobs, ?float $deadline = null, int $concurrency = 1000, bool $failFast = false): array
    {
        return self::all(\is_array($jobs) ? $jobs : self::collect($jobs), $deadline, failFast: $failFast, engine: new Async($concurrency));
    }

    /**
     * Runs all and tells of each what became of it; throws none of their errors. A job that cannot travel, or that a full queue
     * refuses, has such an error.
     *
     * @param array<array-key, \Closure|string|array<mixed>> $jobs
     * @return array<array-key, Outcome>
     */
    public static function settle(array $jobs, ?float $deadline = null, int $retry = 0, ?Engine $engine = null): array
    {
        $all = [];
        try {
            foreach (self::beginEach($engine ?? self::engine(), $jobs, $deadline, $retry) as $key => $of) {
                $all[$key] = $of;
            }
            return array_map(static fn (Task|Outcome $of): Outcome => $of instanceof Task ? Outcome::of($of) : $of, $all);
        } finally {
            self::cancel(array_filter($all, static fn (Task|Outcome $of): bool => $of instanceof Task));
        }
    }

    /**
     * Outcomes as they arrive, under their jobs' keys (an iterator's may be of any type, and come again); at most $concurrency at
     * once, taken from $jobs as places become free. Leaving the loop early cancels what is under way. A job that cannot travel, or
     * that a full queue refuses, has its outcome when it is taken.
     *
     * @template K
     * @param iterable<K, \Closure|string|array<mixed>> $jobs
     * @return \Generator<K, Outcome>
     */
    public static function each(iterable $jobs, int $concurrency = 8, ?float $deadline = null, int $retry = 0, ?Engine $engine = null): \Generator
    {
        if ($concurrency < 1) {
            throw new \ValueError("concurrency must be at least 1, $concurrency was given");
        }
        $engine ??= self::engine();
        $open = $keys = [];
        $number = 0;
        $taken = false; // the job that the iterator stands at
        $jobs = (static fn (): \Generator => yield from $jobs)();
        try {
            while (true) {
                while (\count($open) < $concurrency) {
                    if ($taken) {
                        $taken = false;
                        $jobs->next(); // not before there is a place: it may wait, or fail
                    }
                    if (!$jobs->valid()) {
                        break;
                    }
                    $task = self::begin($engine, $jobs->current(), $deadline, $retry);
                    $taken = true;
                    if ($task instanceof Outcome) {
                        yield $jobs->key() => $task;
                        continue;
                    }
                    $open[$number] = $task;
                    $keys[$number++] = $jobs->key();
                }
                if ($open === []) {
                    return;
                }
                $ended = $engine->wait($open);
                \assert($ended !== null);
                [$key, $task] = [$keys[$ended], $open[$ended]];
                unset($keys[$ended], $open[$ended]);
                yield $key => Outcome::of($task);
            }
        } finally {
            self::cancel($open);
        }
    }

    /**
     * The first result; the others are cancelled, and those that a full queue holds up are not submitted any more. When all fail, the first
     * failure in the jobs' order. A job that cannot travel, or that a full queue refuses, is a failure like any other.
     *
     * @param array<array-key, \Closure|string|array<mixed>> $jobs
     */
    public static function any(array $jobs, ?float $deadline = null, int $retry = 0, ?Engine $engine = null): mixed
    {
        $engine ??= self::engine();
        $all = $open = [];
        $looked = hrtime(true);
        try {
            foreach (self::beginEach($engine, self::some($jobs, 'any'), $deadline, $retry) as $key => $of) {
                $all[$key] = $of;
                if ($of instanceof Task) {
                    $open[$key] = $of;
                }
                if (self::looks($looked)) {
                    foreach (self::ended($open) as $ended => $task) {
                        if ($task->error() === null) {
                            return $task->await();
                        }
                        unset($open[$ended]);
                    }
                }
            }
            while ($open !== []) {
                $key = $engine->wait($open);
                \assert($key !== null);
                if ($open[$key]->error() === null) {
                    return $open[$key]->await();
                }
                unset($open[$key]);
            }
        } finally {
            self::cancel($open);
        }
        throw self::first(array_values(array_filter(array_map(static fn (Task|Outcome $of): ?\Throwable => $of instanceof Task ? $of->error() : $of->error, $all))));
    }

    /**
     * What ends first, result or failure; the others are cancelled. Only as many run as the engine has places, and they begin in the jobs' order:
     * of more, those behind run only where the race is still open. A job that cannot travel, or that a full queue refuses, ends when its
     * turn comes to be submitted; of those that ended before all were, the first in the jobs' order counts.
     *
     * @param array<array-key, \Closure|string|array<mixed>> $jobs
     */
    public static function race(array $jobs, ?float $deadline = null, int $retry = 0, ?Engine $engine = null): mixed
    {
        $engine ??= self::engine();
        $tasks = [];
        $looked = hrtime(true);
        try {
            foreach (self::beginEach($engine, self::some($jobs, 'race'), $deadline, $retry) as $key => $of) {
                if ($of instanceof Task) {
                    $tasks[$key] = $of;
                }
                if ($of instanceof Outcome || self::looks($looked)) {
                    foreach (self::ended($tasks) as $ended) {
                        return $ended->await();
                    }
                    if ($of instanceof Outcome) {
                        return $of->value();
                    }
                }
            }
            \assert($tasks !== []);
            $key = $engine->wait($tasks);
            \assert($key !== null);
            return $tasks[$key]->await();
        } finally {
            self::cancel($tasks);
        }
    }

    /**
     * $function of every item, under the same keys.
     *
     * @param array<array-key, mixed> $items
     * @param int $chunk items per task; 0: as many as make 32 tasks, at least one
     * @return array<array-key, mixed>
     */
    public static function map(array $items, callable $function, int $chunk = 0, ?float $deadline = null, int $retry = 0, ?Engine $engine = null): array
    {
        if ($chunk < 0) {
            throw new \ValueError("chunk must be at least 0, $chunk was given");
        }
        $size = $chunk === 0 ? max(1, (int) ceil(\count($items) / 32)) : $chunk;
        $jobs = array_map(static fn (array $piece): array => ['array_map', $function, $piece], array_chunk($items, $size, true));
        $results = [];
        foreach (self::all($jobs, $deadline, $retry, engine: $engine) as $piece) {
            \assert(\is_array($piece));
            $results += $piece;
        }
        return $results;
    }

    /**
     * One task that goes on while the caller does. Arguments have no names, as those of any job.
     *
     * @param \Closure|string|array<mixed> $job
     */
    public static function task(\Closure|string|array $job, mixed ...$arguments): Task
    {
        if (!array_is_list($arguments)) {
            throw new \ArgumentCountError(__METHOD__ . '() does not accept unknown named parameters'); // as Pool::task(): their names would be lost
        }
        if ($arguments !== []) {
            $job = [...(\is_array($job) ? $job : [$job]), ...$arguments];
        }
        return self::engine()->submit([$job])[0];
    }

    /**
     * The failures that all() or any() did not throw, in the jobs' order.
     *
     * @return list<\Throwable>
     */
    public static function suppressed(\Throwable $error): array
    {
        return self::$suppressed[$error] ?? [];
    }

    /**
     * An array has each key once: a job whose key came before would be lost.
     *
     * @param iterable<array-key, \Closure|string|array<mixed>> $jobs
     * @return array<array-key, \Closure|string|array<mixed>>
     */
    private static function collect(iterable $jobs): array
    {
        $all = [];
        foreach ($jobs as $key => $job) {
            if (\array_key_exists($key, $all)) {
                throw new \ValueError("two jobs have the key $key: give each its own, or iterator_to_array(\$jobs, false)");
            }
            $all[$key] = $job;
        }
        return $all;
    }

    /**
     * One by one, as nobody knows of several at once which have run when one is refused. A full queue holds up the later ones, whose time
     * is running.
     *
     * @param array<array-key, \Closure|string|array<mixed>> $jobs
     * @return \Generator<array-key, Task|Outcome>
     */
    private static function beginEach(Engine $engine, array $jobs, ?float $deadline, int $retry): \Generator
    {
        $begun = hrtime(true);
        $engine->submit([], $deadline, $retry); // which says what the options cannot be
        foreach ($jobs as $key => $job) {
            $left = $deadline > 0 ? max(0.0, $deadline - (hrtime(true) - $begun) / 1e9) : $deadline;
            yield $key => self::begin($engine, $job, $left, $retry);
        }
    }

    /**
     * One job, of which others know nothing: what is refused has an outcome without a task.
     *
     * @param \Closure|string|array<mixed> $job
     */
    private static function begin(Engine $engine, mixed $job, ?float $deadline, int $retry): Task|Outcome
    {
        try {
            return $engine->submit([$job], $deadline, $retry)[0];
        } catch (CannotTravel|QueueFull $e) {
            return Outcome::refused($e);
        }
    }

    /** Whether it is time to look at what has ended meanwhile: where submitting waits for a place, and else not at each of many. */
    private static function looks(int|float &$last): bool
    {
        $now = hrtime(true);
        if ($now - $last < self::LOOK_NS) {
            return false;
        }
        $last = $now;
        return true;
    }

    /**
     * Those that have ended, in their order.
     *
     * @param array<array-key, Task> $tasks
     * @return \Generator<array-key, Task>
     */
    private static function ended(array $tasks): \Generator
    {
        foreach ($tasks as $key => $task) {
            if (!\in_array($task->state(), [State::Queued, State::Running], true)) {
                yield $key => $task;
            }
        }
    }

    /** @param array<array-key, Task> $tasks */
    private static function untilOneFails(Engine $engine, array $tasks): void
    {
        $open = $tasks;
        try {
            while ($open !== []) {
                $key = $engine->wait($open);
                \assert($key !== null);
                $error = $open[$key]->error();
                unset($open[$key]);
                if ($error !== null) {
                    throw $error;
                }
            }
        } finally {
            self::cancel($open); // also when waiting is no longer possible
        }
    }

    /**
     * Its failure, or null; when waiting itself is no longer possible, nothing goes on behind the caller's back.
     *
     * @param array<array-key, Task> $tasks
     */
    private static function errorOf(Task $task, array $tasks): ?\Throwable
    {
        try {
            return $task->error();
        } catch (\Throwable $error) {
            self::cancel($tasks);
            throw $error;
        }
    }

    /** @param array<array-key, Task> $tasks */
    private static function cancel(array $tasks): void
    {
        foreach ($tasks as $task) {
            $task->cancel();
        }
    }

    /** @param list<\Throwable> $errors */
    private static function first(array $errors): \Throwable
    {
        $first = array_shift($errors);
        \assert($first !== null);
        $errors = array_values(array_filter($errors, static fn (\Throwable $error): bool => $error !== $first)); // one that holds itself would never go
        if ($errors !== []) {
            /** @var \WeakMap<\Throwable, list<\Throwable>> $map */
            $map = self::$suppressed ?? new \WeakMap();
            $map[$first] = $errors;
            self::$suppressed = $map;
        }
        return $first;
    }

    /**
     * @param array<array-key, \Closure|string|array<mixed>> $jobs
     * @return array<array-key, \Closure|string|array<mixed>>
     */
    private static function some(array $jobs, string $method): array
    {
        return $jobs === [] ? throw NoJobs::ofNothing($method) : $jobs;
    }
}
