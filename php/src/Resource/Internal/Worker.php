<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Parallel\Pool;
use Tusk\Resource\Application;
use Tusk\Resource\Engine\Parallel;
use Tusk\Resource\Engine\Sequential;
use Tusk\Resource\Exception\EngineException;

/** The other end of the pool: runs one request in a worker process. */
final class Worker
{
    /** A worker is warm: it builds its application once, and serves no other. */
    private static ?Application $serves = null;
    /** Whose worker built it, and outside of a worker which process: what a fork finds here belongs to its parent, connections and all. */
    private static ?Pool $pool = null;
    private static int $builder = 0;
    /** Of what it serves, as requests name it. */
    private static string $identity = '';
    /** @var array<string, Head> requests to it, by the text of their heads; only those that it has a resource for */
    private static array $known = [];
    private const KNOWN_MAX = 256;

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
        $application = self::$serves;
        if ($application === null || self::$pool !== $pool || ($pool === null && self::$builder !== getmypid())) {
            $application = self::serve(Head::read($head)->factory, $pool);
        }
        $known = self::$known[$head] ?? self::meet($head, $application);
        $place = $known->place ?? $application->invoker->find($known->method, $known->uri($query));
        $result = $application->invoker->answer($place, $query, [$place->class, $place->method, [$known, $query], $application, $known->links, $ancestors]);

        return Crossing::pack($result, true);
    }

    /** @throws EngineException another application asks */
    private static function meet(string $text, Application $application): Head
    {
        $head = Head::read($text);
        if ($head->identity !== self::$identity) {
            throw EngineException::otherApplication(explode("\0", self::$identity), explode("\0", $head->identity));
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

    private static function serve(string $factory, ?Pool $pool): Application
    {
        $application = self::build($factory, $pool);
        self::$serves = $application;
        self::$identity = $application->name;
        self::$known = [];
        self::$pool = $pool;
        self::$builder = (int) getmypid();

        return $application;
    }

    private static function build(string $factory, ?Pool $pool): Application
    {
        $application = is_callable($factory) ? $factory() : throw EngineException::noFactory($factory);
        if (!$application instanceof Application) {
            throw EngineException::noApplication($factory, $application);
        }

        // What a method reads of its own embeds goes to the same pool, which runs it here if nobody else is free.
        return $application->withEngine($pool === null ? new Sequential() : new Parallel($pool, $factory));
    }
}
