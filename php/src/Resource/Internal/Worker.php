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
    /** Who built it: what a fork finds here belongs to its parent, connections and all. */
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
        if (self::$serves === null || self::$builder !== getmypid()) {
            self::$serves = self::build($factory);
            self::$builder = (int) getmypid();
        }
        $application = self::$serves;
        if ($application->identity() !== $identity) {
            throw EngineException::otherApplication($application->identity(), $identity);
        }
        $uri = Uri::of($scheme, $host, $path, $query);

        $request = new Request($application->client(), Method::from($method), $uri, $ancestors);
        Parcel::link($request, $links);

        return Crossing::pack($application->invoker->invoke($request), $uri);
    }

    private static function build(string $factory): Application
    {
        $application = is_callable($factory) ? $factory() : throw EngineException::noFactory($factory);
        if (!$application instanceof Application) {
            throw EngineException::noApplication($factory, $application);
        }
        $pool = Pool::current();

        // What a method reads of its own embeds goes to the same pool, which runs it here if nobody else is free.
        return $application->withEngine($pool === null ? new Sequential() : new Parallel($pool, $factory));
    }
}
