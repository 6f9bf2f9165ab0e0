<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Parallel\Pool;
use Tusk\Resource\Application;
use Tusk\Resource\Engine\Parallel;
use Tusk\Resource\Engine\Sequential;
use Tusk\Resource\Exception\EngineException;
use Tusk\Resource\Method;
use Tusk\Resource\Request;
use Tusk\Resource\Uri;

/** The other end of the pool: runs one request in a worker process. */
final class Worker
{
    /** A worker is warm: it builds its application once, and serves no other. */
    private static ?Application $serves = null;
    /** Whose worker built it, and outside of a worker which process: what a fork finds here belongs to its parent, connections and all. */
    private static ?Pool $pool = null;
    private static int $builder = 0;

    /**
     * @param list<string>            $identity  of the application that asks
     * @param array<array-key, mixed> $query
     * @param list<string>            $ancestors
     * @param array<array-key, mixed> $links     part of what the request is to those that it embeds; followed where it came from
     *
     * @return list<mixed> as Crossing::pack() gives it
     */
    public static function run(string $factory, array $identity, string $method, string $scheme, string $host, string $path, array $query, array $ancestors, array $links): array
    {
        $application = self::served($factory);
        if ($application->identity() !== $identity) {
            throw EngineException::otherApplication($application->identity(), $identity);
        }
        $uri = Uri::of($scheme, $host, $path, $query);

        $request = new Request($application->client(), Method::from($method), $uri, $ancestors);
        Parcel::link($request, $links);

        return Crossing::pack($application->invoker->invoke($request), $uri);
    }

    /** A worker is told apart by its pool, which a child that a task forks does not have: no system call for each request. */
    private static function served(string $factory): Application
    {
        $pool = Pool::current();
        if (self::$serves === null || self::$pool !== $pool || ($pool === null && self::$builder !== getmypid())) {
            self::$serves = self::build($factory, $pool);
            self::$pool = $pool;
            self::$builder = (int) getmypid();
        }

        return self::$serves;
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
