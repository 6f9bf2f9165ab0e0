<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard;

use Tusk\Parallel\Engine as Workers;
use Tusk\Resource\Application;
use Tusk\Resource\Engine\Fibers;
use Tusk\Resource\Engine\Parallel;
use Tusk\Resource\Engine\Sequential;

/** The application, once for each engine. */
final class Dashboard
{
    public readonly Database $database;
    private readonly Application $application;

    /** @param string $dsn of PostgreSQL; "": none */
    public function __construct(string $dsn = '')
    {
        $this->database = new Database($dsn);
        $this->application = new Application(
            __NAMESPACE__,
            create: fn (string $class): object => $class === Resource\App\Query::class ? new $class($this->database) : new $class(),
            directory: dirname(__DIR__),
        );
    }

    /** What workers call. */
    public static function application(): Application
    {
        return (new self((string) getenv('DASHBOARD_DSN')))->application;
    }

    public function sequential(): Application
    {
        return $this->application->withEngine(new Sequential());
    }

    public function fibers(): Application
    {
        return $this->application->withEngine(new Fibers());
    }

    /** In workers of that pool, each of which builds the application for itself. */
    public function workers(Workers $pool): Application
    {
        return $this->application->withEngine(new Parallel($pool, self::class . '::application'));
    }
}
