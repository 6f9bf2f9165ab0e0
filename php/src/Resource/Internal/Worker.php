<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Parallel\Engine as Workers;
use Tusk\Parallel\Pool;
use Tusk\Parallel\Sync;
use Tusk\Resource\Application;
use Tusk\Resource\Engine\Parallel;
use Tusk\Resource\Engine\Sequential;
use Tusk\Resource\Exception\EngineException;

/** The other end of the pool: runs one request in a worker process. */
final class Worker
{
    /** @var array<int, Application> by number(): it is warm, builds its application once and serves no other */
    private static array $serves = [];
    /** @var array<string, Application> the same by number and plan, as an engine may be another for the same pool */
    private static array $planned = [];
    /** @var array<int, string> the function that gave it */
    private static array $factory = [];
    /** Whose worker built them, and outside of a worker which process: what a fork finds here belongs to its parent, connections and all. */
    private static ?Pool $pool = null;
    private static int $builder = 0;
    /** @var \WeakMap<Sync, int>|null */
    private static ?\WeakMap $numbers = null;
    private static int $last = 0;
    /** @var array<string, Head> requests to it, by the text of their heads; only those that it has a resource for */
    private static array $known = [];
    private const KNOWN_MAX = 256;
    private const SERVES_MAX = 8;

    /** Of all workers of a pool one, as each is a process; each Sync of a process has its own. */
    public static function number(Workers $workers): int
    {
        if (!$workers instanceof Sync) {
            return 0;
        }
        /** @var \WeakMap<Sync, int> $numbers */
        $numbers = self::$numbers ??= new \WeakMap();

        return $numbers[$workers] ??= ++self::$last;
    }

    /**
     * All of it runs on cold caches, as a worker has slept and others used them: each call and object here is paid for by every embed.
     *
     * @param string                  $head      as Head::text() makes it
     * @param array<array-key, mixed> $query
     * @param list<string>            $ancestors
     *
     * @return list<mixed> as Crossing::pack() gives it
     */
    public static function run(string $head, array $query, array $ancestors): array
    {
        $pool = Pool::current(); // a child that a task forks has none: no system call tells it apart for each request
        if (self::$pool !== $pool || ($pool === null && self::$builder !== getmypid())) {
            self::begin($pool);
        }
        $known = self::$known[$head] ?? self::meet($head);
        $application = self::$planned[$known->served] ?? self::plan($known);
        $place = $known->place ?? $application->invoker->find($known->method, $known->uri($query));
        $result = $application->invoker->answer($place, $query, [$place->class, $place->method, [$known, $query], $application, $known->links, $ancestors]);

        return Crossing::pack($result, true);
    }

    /** @throws EngineException another application asks */
    private static function meet(string $text): Head
    {
        $head = Head::read($text);
        $application = self::$serves[$head->server] ?? self::serve($head);
        $factory = self::$factory[$head->server];
        if ($head->identity !== $application->name || $head->factory !== $factory) {
            throw EngineException::otherApplication($application->identity(), $factory, explode("\0", $head->identity), $head->factory);
        }
        $place = $application->invoker->find($head->method, $head->uri([]));
        if (!$place->stays()) {
            return $head;
        }
        if (\count(self::$known) >= self::KNOWN_MAX) {
            self::$known = [];
        }

        return self::$known[$text] = $head->at($place);
    }

    private static function begin(?Pool $pool): void
    {
        self::$serves = self::$planned = self::$factory = self::$known = [];
        self::$pool = $pool;
        self::$builder = (int) getmypid();
    }

    private static function serve(Head $head): Application
    {
        $application = self::build($head->factory);
        if (\count(self::$serves) >= self::SERVES_MAX) { // each of a Sync, most of which will be gone
            self::begin(self::$pool);
        }
        self::$factory[$head->server] = $head->factory;

        return self::$serves[$head->server] = $application;
    }

    private static function build(string $factory): Application
    {
        $application = is_callable($factory) ? $factory() : throw EngineException::noFactory($factory);
        if (!$application instanceof Application) {
            throw EngineException::noApplication($factory, $application);
        }

        return $application;
    }

    /** What a method reads of its own embeds goes to the same pool, which runs it here if nobody else is free. */
    private static function plan(Head $head): Application
    {
        $pool = self::$pool;
        $plan = Plan::read($head->plan, InWorkers::REQUESTS_MAX);
        $engine = $pool === null ? new Sequential() : new Parallel($pool, $head->factory, $plan->dedup, $plan->levels, $plan->concurrency);
        if (\count(self::$planned) >= self::SERVES_MAX) {
            self::$planned = [];
        }

        return self::$planned[$head->served] = self::$serves[$head->server]->withEngine($engine);
    }
}
