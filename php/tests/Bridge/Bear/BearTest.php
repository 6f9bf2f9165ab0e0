<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear;

use BEAR\Resource\AbstractRequest;
use BEAR\Resource\RenderInterface;
use BEAR\Resource\ResourceObject;
use PHPUnit\Framework\TestCase;
use Ray\Di\AbstractModule;
use Tusk\Bridge\Bear\ApplicationProvider;
use Tusk\Bridge\Bear\ParallelModule;
use Tusk\Bridge\Bear\ParallelRenderer;
use Tusk\Parallel\Pool;
use Tusk\Resource\Application;
use Tusk\Resource\Exception\EngineException;

/** The bridge, against stand-ins of the packages that it bridges to. */
final class BearTest extends TestCase
{
    private static ?Application $application = null;

    public static function setUpBeforeClass(): void
    {
        if (interface_exists(\BEAR\Resource\ResourceInterface::class)) {
            self::markTestSkipped('BEAR.Resource is installed: these tests are about stand-ins');
        }
        if (!class_exists(Pool::class)) {
            self::markTestSkipped('the extension tusk is not there');
        }
        require_once __DIR__ . '/stand-ins.php';
        self::$application = (new ApplicationProvider(Shop::class . '::application', 2))->get();
    }

    public static function tearDownAfterClass(): void
    {
        self::$application = null;
    }

    private function render(string $uri): string
    {
        $json = new class () implements RenderInterface {
            public function render(ResourceObject $ro): string
            {
                return json_encode($ro->body, JSON_THROW_ON_ERROR);
            }
        };
        $shop = new Shop();
        $page = $shop->get->uri($uri)->eager->request();

        return (new ParallelRenderer($json, $shop, self::$application ?? self::fail('not there')))->render($page);
    }

    public function test_embeds_run_in_workers_and_the_bytes_are_those_of_the_own_renderer(): void
    {
        $page = json_decode($this->render('app://self/page'), true);
        self::assertIsArray($page);
        self::assertSame(['user', 'fails', 'again', 'where', 'here', 'wrote', 'rows'], array_keys($page));
        self::assertSame(['name' => 'user 1', 'tag' => ['a', 'b']], $page['user']);
        self::assertSame([['user' => ['name' => 'user 2', 'tag' => ['a', 'b']]]], $page['rows']);
        self::assertNotSame(getmypid(), $page['where']);
    }

    public function test_what_writes_or_is_served_elsewhere_stays_in_its_process(): void
    {
        $page = json_decode($this->render('app://self/page'), true);
        self::assertIsArray($page);
        self::assertSame([getmypid(), getmypid()], [$page['here'], $page['wrote']]);
    }

    public function test_a_renderer_finds_code_headers_and_the_requests_within_and_links_stay_in_their_process(): void
    {
        $found = new class () implements RenderInterface {
            /** @var array<array-key, mixed> */
            public array $body = [];

            public function render(ResourceObject $ro): string
            {
                $this->body = is_array($ro->body) ? $ro->body : [];

                return '';
            }
        };
        $shop = new Shop();
        (new ParallelRenderer($found, $shop, self::$application ?? self::fail('not there')))->render($shop->get->uri('app://self/parts')->request());
        [$kept, $linked] = [$found->body['kept'] ?? null, $found->body['linked'] ?? null];
        self::assertInstanceOf(AbstractRequest::class, $kept);
        self::assertInstanceOf(AbstractRequest::class, $linked);
        self::assertSame(getmypid(), $linked()->body);
        $part = $kept();
        self::assertSame([203, '/kept', false], [$part->code, $part->uri->path, ($part->headers['X-Process'] ?? getmypid()) === getmypid()]);
        self::assertNotSame($part, $kept->resourceObject);
        self::assertIsArray($part->body);
        $tag = $part->body['tag'];
        self::assertInstanceOf(AbstractRequest::class, $tag);
        self::assertSame(['a', 'b'], $tag()->body);
        self::assertSame('[{"user":{"name":"user 3","tag":["a","b"]}}]', json_encode($part->body['deep'] ?? null));
    }

    public function test_the_first_error_in_order_comes_out_as_it_was(): void
    {
        $this->expectException(\DomainException::class);
        $this->expectExceptionCode(7);
        $this->expectExceptionMessage('{"which":"first"}');
        $this->render('app://self/page?fail=1');
    }

    public function test_the_module_puts_the_renderer_around_the_one_that_was_there(): void
    {
        $inner = new class () extends AbstractModule {
            protected function configure(): void {}
        };
        $module = new ParallelModule('Shop\Workers::application', $inner, 5);
        self::assertSame([[RenderInterface::class, ParallelModule::ORIGINAL]], $module->renamed);
        self::assertSame([
            '-tusk_factory' => ['instance', 'Shop\Workers::application'],
            '-tusk_workers' => ['instance', 5],
            Application::class . '-tusk_application' => ['provider', ApplicationProvider::class, 'Singleton'],
            RenderInterface::class => ['to', ParallelRenderer::class],
        ], $module->bindings);
    }

    public function test_a_factory_that_is_none_is_refused(): void
    {
        $this->expectException(EngineException::class);
        (new ApplicationProvider('no\such\function', 1))->get();
    }
}
