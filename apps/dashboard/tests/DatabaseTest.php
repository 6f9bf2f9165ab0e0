<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Tests;

use PHPUnit\Framework\TestCase;
use Tusk\Dashboard\Dashboard;
use Tusk\Dashboard\Database;
use Tusk\Dashboard\Ran;
use Tusk\Dashboard\Run;
use Tusk\Dashboard\Sheet;
use Tusk\Dashboard\Source;
use Tusk\Dashboard\Web;
use Tusk\Parallel;
use Tusk\Parallel\Async;
use Tusk\Parallel\Pool;
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\Tests\Servers\Postgres;

/** The panels that ask a real PostgreSQL. */
final class DatabaseTest extends TestCase
{
    private static ?Postgres $postgres = null;

    public static function setUpBeforeClass(): void
    {
        $why = extension_loaded('pgsql') ? Postgres::missing() : 'PHP has no extension pgsql';
        if ($why !== null) {
            self::markTestSkipped($why);
        }
        self::$postgres = Postgres::start();
    }

    public static function tearDownAfterClass(): void
    {
        self::$postgres?->stop();
        self::$postgres = null;
    }

    private static function dsn(): string
    {
        return self::$postgres?->dsn() ?? self::fail('not started');
    }

    public function test_queries_of_a_page_run_side_by_side_and_the_page_is_the_same(): void
    {
        $dashboard = new Dashboard(self::dsn());
        $expected = Run::of($dashboard->sequential(), Sheet::Large, 1, Source::Query);
        $run = Run::of($dashboard->fibers(), Sheet::Large, 100, Source::Query);
        $same = static fn (string $json): string => (string) preg_replace('~"(process|began|ended)":\d+~', '', $json);
        self::assertSame($same($expected->json), $same($run->json));
        self::assertCount(11, $run->parts);
        $last = max(0, ...array_map(static fn (Ran $ran): int => $ran->began, $run->parts));
        foreach ($run->parts as $ran) {
            self::assertLessThanOrEqual($ran->ended, $last);
        }
    }

    public function test_workers_have_connections_of_their_own(): void
    {
        putenv('DASHBOARD_DSN=' . self::dsn());
        $pool = new Pool(workers: 3, max: 11);
        try {
            $dashboard = new Dashboard(self::dsn());
            $run = Run::of($dashboard->workers($pool), Sheet::Large, 20, Source::Query);
            self::assertCount(11, $run->parts);
            self::assertNotContains(getmypid(), array_map(static fn (Ran $ran): int => $ran->process, $run->parts));
        } finally {
            $pool->close();
            putenv('DASHBOARD_DSN');
        }
    }

    public function test_a_server_goes_on_while_its_fibers_wait_for_the_database(): void
    {
        if (!class_exists(Server::class)) {
            self::markTestSkipped('the extension tusk is not there');
        }
        $dashboard = new Dashboard(self::dsn());
        $server = new Server();
        (new Web(['fibers' => $dashboard->fibers()], 10, $dashboard->database))->on($server);
        $answer = (new Loopback($server))->request('GET', '/?page=large&source=query');
        self::assertSame([200, 11], [$answer->status, substr_count($answer->body, '<rect ')]);
        self::assertStringContainsString('large (PostgreSQL)', $answer->body);
        self::assertStringContainsString('The one of this process: 11 open, 0 lent now, 11 lent so far, of which 0 had to wait, 0 discarded.', $answer->body);
    }

    public function test_connections_are_used_again_and_a_failed_query_says_why(): void
    {
        $database = new Database(self::dsn());
        $pid = static fn (): mixed => Parallel::async([static fn (): ?string => $database->row('SELECT pg_backend_pid() AS pid', [])['pid']])[0];
        self::assertSame($pid(), $pid());
        try {
            $database->row('SELECT no_such_column', []);
            self::fail('nothing was thrown');
        } catch (\RuntimeException $e) {
            self::assertStringContainsString('no_such_column', $e->getMessage());
        }
        self::assertNotNull($pid());
        self::assertStringContainsString('4 lent so far', (string) $database->told());
    }

    public function test_a_page_that_is_given_up_gives_its_connections_back(): void
    {
        $dashboard = new Dashboard(self::dsn());
        $engine = new Async();
        [$page] = $engine->submit([static fn (): Run => Run::of($dashboard->fibers(), Sheet::Small, 60_000, Source::Query)]);
        while (!str_contains((string) $dashboard->database->told(), ' 3 lent so far')) {
            $engine->wait([$page], 0.001);
        }
        $page->cancel();
        self::assertStringContainsString('0 open, 0 lent now, 3 lent so far, of which 0 had to wait, 3 discarded', (string) $dashboard->database->told());
    }

    public function test_a_database_that_is_not_there_is_said(): void
    {
        foreach (['' => 'no database', 'host=/nowhere' => '/nowhere'] as $dsn => $says) {
            try {
                (new Database($dsn))->row('SELECT 1', []);
                self::fail('nothing was thrown');
            } catch (\RuntimeException $e) {
                self::assertStringContainsString($says, $e->getMessage());
            }
        }
        self::assertNull((new Database(''))->told());
    }
}
