<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Dashboard\Dashboard;
use Tusk\Dashboard\Web;
use Tusk\Parallel\Pool;
use Tusk\Server;
use Tusk\Testing\Loopback;

/** The dashboard in a server. */
final class WebTest extends TestCase
{
    private Loopback $loopback;
    private ?Pool $pool = null;

    protected function setUp(): void
    {
        if (!class_exists(Server::class)) {
            self::markTestSkipped('the extension tusk is not there');
        }
        $this->pool = new Pool(workers: 3, max: 11);
        $dashboard = new Dashboard();
        $server = new Server();
        (new Web(['sequential' => $dashboard->sequential(), 'fibers' => $dashboard->fibers(), 'workers' => $dashboard->workers($this->pool)], 0.1, $dashboard->database))->on($server);
        $this->loopback = new Loopback($server);
    }

    protected function tearDown(): void
    {
        $this->pool?->close();
    }

    /** @return array{int, string} */
    private function get(string $target): array
    {
        $answer = $this->loopback->request('GET', $target);

        return [$answer->status, $answer->body];
    }

    public function test_the_page_has_colours_for_the_dark_and_drawings_that_a_telephone_does_not_shrink(): void
    {
        [, $html] = $this->get('/');
        self::assertSame(1, preg_match('~@media\(prefers-color-scheme:dark\)\{((?:[^{}]*\{[^{}]*\})*)\}~', $html, $dark));
        preg_match_all('~ class="([a-z]+\d*)"~', $html, $classes);
        foreach (array_diff(array_unique($classes[1]), ['timeline']) as $class) {
            self::assertStringContainsString(".$class{", $dark[1] ?? '');
        }
        self::assertMatchesRegularExpression('~@media\(max-width:700px\)\{[^@]*section\{overflow-x:auto;[^@]*svg\{width:\d{3}px\}\}~', $html);
    }

    public function test_the_page_shows_a_timeline_for_each_engine(): void
    {
        [$status, $html] = $this->get('/');
        self::assertSame(200, $status);
        self::assertSame(3, substr_count($html, '<svg '));
        self::assertSame(33, substr_count($html, '<rect '));
        self::assertStringContainsString('Large dashboard (11 embeds)', $html);
        self::assertStringContainsString('href="/?page=users', $html);
        self::assertStringNotContainsString('PostgreSQL', $html);
        self::assertMatchesRegularExpression('~sequential <small>[\d.]+ ms in one process</small>~', $html);
        self::assertMatchesRegularExpression('~fibers <small>[\d.]+ ms in one process, [\d.]+ times as fast as sequential</small>~', $html);
        self::assertMatchesRegularExpression('~workers <small>[\d.]+ ms in (one process|\d+ processes), [\d.]+ times as fast as sequential</small>~', $html);
    }

    public function test_the_picture_and_the_JSON_come_alone(): void
    {
        foreach (['sequential', 'fibers', 'workers'] as $engine) {
            [$status, $svg] = $this->get("/timeline.svg?page=small&engine=$engine");
            self::assertSame([200, 3], [$status, substr_count($svg, '<rect ')]);
        }
        [$status, $json] = $this->get('/dashboard.json?page=users&engine=fibers');
        self::assertSame(200, $status);
        self::assertStringStartsWith('[{"id":1,"name":"user 1"', $json);
        self::assertStringContainsString('"text":"comment on 42"', $json);
    }

    /** @return iterable<string, array{string, int}> */
    public static function wrong(): iterable
    {
        yield 'a page that is none' => ['/?page=huge', 400];
        yield 'a delay that is too long' => ['/?delay=5000', 400];
        yield 'a delay that is none' => ['/dashboard.json?delay=x', 400];
        yield 'a source that is none' => ['/timeline.svg?source=disk', 400];
        yield 'an engine that is none' => ['/timeline.svg?engine=steam', 400];
        yield 'a database that is not there' => ['/dashboard.json?source=query', 503];
    }

    #[DataProvider('wrong')]
    public function test_what_cannot_be_shown_is_said(string $target, int $status): void
    {
        self::assertSame($status, $this->get($target)[0]);
    }
}
