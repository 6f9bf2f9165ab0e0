<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Parallel\Sync;
use Tusk\Resource\Adapter;
use Tusk\Resource\Application;
use Tusk\Resource\Client;
use Tusk\Resource\Engine\Fibers;
use Tusk\Resource\Engine\Parallel;
use Tusk\Resource\Exception\BadRequestException;
use Tusk\Resource\Exception\MethodNotAllowedException;
use Tusk\Resource\Exception\ParameterException;
use Tusk\Resource\Exception\ResourceNotFoundException;
use Tusk\Resource\Exception\UriException;
use Tusk\Resource\Method;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Uri;
use Tusk\Tests\Resource\Fixture\Color;
use Tusk\Tests\Resource\Fixture\Log;
use Tusk\Tests\Resource\Fixture\Point;
use Tusk\Tests\Resource\Fixture\Resource\App\Bird\SelfLink;

/** Verbs, parameters, addresses and identity: what no engine takes part in. */
final class ClientTest extends TestCase
{
    private Client $client;

    protected function setUp(): void
    {
        Log::start();
        $this->client = (new Application('Tusk\Tests\Resource\Fixture'))->client();
    }

    /** @param class-string<\Throwable> $class */
    private static function assertThrows(string $class, int $code, string $message, \Closure $do): void
    {
        try {
            $do();
        } catch (\Throwable $e) {
            self::assertInstanceOf($class, $e);
            self::assertSame($code, $e->getCode());
            self::assertStringContainsString($message, $e->getMessage());

            return;
        }
        self::fail("no $class was thrown");
    }

    public function test_verbs_run_at_once(): void
    {
        self::assertSame(['name' => 'x'], $this->client->get('app://self/item', ['name' => 'x'])->body);
        $made = $this->client->post('app://self/item', ['name' => 'x']);
        self::assertSame([201, ['name' => 'x']], [$made->code, $made->body]);
        self::assertSame(['put' => 'x'], $this->client->put('app://self/item?name=x')->body);
        self::assertSame('patched x', $this->client->patch('app://self/item', ['name' => 'x'])->body);
        $gone = $this->client->delete('app://self/item', ['name' => 'x']);
        self::assertSame([204, null, ['X-Gone' => 'x']], [$gone->code, $gone->body, $gone->headers]);
        $head = $this->client->head('app://self/item', ['name' => 'x']);
        self::assertSame([200, null, ['X-Name' => 'x']], [$head->code, $head->body, $head->headers]);
    }

    public function test_a_lazy_request_runs_when_it_is_used_and_keeps_its_result(): void
    {
        $request = $this->client->get->uri('app://self/echoing?q=1');
        self::assertSame($request, $request->request());
        self::assertSame([], Log::lines());
        self::assertSame(['limit' => '', 'q' => '1'], $request->body);
        self::assertSame('1', $request['q']);
        self::assertTrue(isset($request['q']));
        self::assertCount(2, $request);
        self::assertTrue(isset($request->code, $request->headers, $request->body, $request->eager)); // templates ask
        self::assertFalse(isset($request->limit));
        self::assertSame('{"limit":"","q":"1"}', (string) $request);
        self::assertSame(['echoing'], Log::lines());
        self::assertSame(['limit' => '', 'q' => '1'], $request()->body);
        self::assertSame(['limit' => '', 'q' => '1'], $request->eager->request()->body);
        self::assertSame(['echoing', 'echoing', 'echoing'], Log::lines());
    }

    public function test_withQuery_replaces_addQuery_merges_and_both_forget_the_result(): void
    {
        $request = $this->client->get->uri('app://self/echoing?q=1&limit=2');
        self::assertSame(['limit' => '2', 'q' => '1'], $request->body);
        self::assertSame(['limit' => '3', 'q' => '1'], $request->addQuery(['limit' => '3'])->body);
        self::assertSame(['limit' => '', 'q' => '4'], $request->withQuery(['q' => '4'])->body);
        self::assertSame(['q' => '4'], $request->uri()->query);
    }

    public function test_parameters_are_matched_by_name_or_its_snake_case(): void
    {
        $get = fn (array $query): mixed => $this->client->get('app://self/params', $query)->body;
        $none = ['color' => null, 'rank' => null, 'x' => null, 'y' => null];
        self::assertSame(['user' => '7', 'limit' => 10] + $none, $get(['userId' => '7', 'unknown' => 1]));
        self::assertSame(['user' => '7', 'limit' => 3] + $none, $get(['user_id' => 7, 'limit' => '3']));
        self::assertSame(['user' => '7', 'limit' => 3] + $none, $this->client->get('app://self/params?user_id=7&limit=3')->body);
        self::assertSame(
            ['user' => '7', 'limit' => 10, 'color' => 'Red', 'rank' => 'Second', 'x' => 1, 'y' => 2],
            $get(['userId' => '7', 'color' => 'red', 'rank' => '2', 'point' => ['x' => '1', 'y_axis' => '2']]),
        );
        self::assertSame(
            ['user' => '7', 'limit' => 10, 'color' => 'Blue', 'rank' => null, 'x' => 3, 'y' => 5],
            $get(['userId' => '7', 'color' => Color::Blue, 'point' => new Point(3)]),
        );
    }

    public function test_parameters_that_do_not_fit_are_the_clients_fault(): void
    {
        $get = fn (array $query): mixed => $this->client->get('app://self/params', $query);
        self::assertThrows(ParameterException::class, 400, 'userId', static fn () => $get([]));
        foreach ([['userId' => []], ['limit' => 'many'], ['color' => 'green'], ['rank' => 'x'], ['rank' => '9'], ['point' => ['x' => 'y']], ['point' => 'text']] as $query) {
            self::assertThrows(BadRequestException::class, 400, 'Invalid parameter type', static fn () => $get($query + ['userId' => '1']));
        }
        try {
            $get(['userId' => []]);
        } catch (BadRequestException $e) {
            self::assertInstanceOf(\TypeError::class, $e->getPrevious());
        }
        self::assertThrows(ParameterException::class, 400, 'x', static fn () => $get(['userId' => '1', 'point' => []]));
    }

    public function test_a_class_without_a_constructor_takes_its_public_properties(): void
    {
        $put = fn (array $box): mixed => $this->client->put('app://self/params', ['box' => $box])->body;
        self::assertSame('7 by 5 mm, ours', $put(['width' => '7', 'unit' => 'inch', 'label' => 'theirs', 'more' => 1]));
        self::assertSame('7 by 8 mm, ours', $put(['width' => 7, 'full_height' => '8']));
        self::assertThrows(ParameterException::class, 400, 'width', static fn () => $put([]));
        self::assertThrows(BadRequestException::class, 400, 'Invalid parameter type', static fn () => $put(['width' => 'broad']));
    }

    public function test_properties_are_built_as_parameters_are_and_any_class_takes_any_key(): void
    {
        self::assertSame('Red at 3', $this->client->put('app://self/built', ['box' => ['width' => 1, 'color' => 'red', 'corner' => ['x' => '3']]])->body);
        self::assertThrows(BadRequestException::class, 400, 'Invalid parameter type', fn () => $this->client->put('app://self/built', ['box' => ['width' => 1, 'color' => 'pink']]));
        self::assertSame(['a' => '1', 'b' => ['c' => 2]], $this->client->get('app://self/built', ['any' => ['a' => '1', 'b' => ['c' => 2]]])->body);
    }

    public function test_a_class_that_nobody_can_make_is_the_clients_fault(): void
    {
        foreach (['abstract', 'private'] as $name) {
            self::assertThrows(BadRequestException::class, 400, 'Invalid parameter type', fn () => $this->client->post('app://self/built', [$name => ['x' => 1]]));
        }
        self::assertSame('ran', $this->client->post('app://self/built')->body);
    }

    public function test_a_type_error_of_the_methods_own_is_no_bad_request(): void
    {
        self::assertThrows(\TypeError::class, 0, 'strlen()', fn () => $this->client->post('app://self/params?name=x'));
    }

    public function test_nor_is_one_of_the_constructor_that_a_parameter_is_built_by(): void
    {
        self::assertThrows(\TypeError::class, 0, 'strlen()', fn () => $this->client->patch('app://self/built?picky[name]=x'));
        self::assertThrows(BadRequestException::class, 400, 'Invalid parameter type', fn () => $this->client->patch('app://self/built?picky[name][]=x'));
    }

    public function test_methods_that_are_not_there_are_not_allowed(): void
    {
        self::assertThrows(MethodNotAllowedException::class, 405, 'onPost', fn () => $this->client->post('app://self/tag'));
        self::assertThrows(MethodNotAllowedException::class, 405, 'HIDDEN', fn () => $this->client->request('HIDDEN', 'app://self/item'));
        self::assertThrows(MethodNotAllowedException::class, 405, 'TRACE', fn () => $this->client->request('TRACE', 'app://self/item'));
    }

    public function test_a_class_that_an_adapter_names_and_that_is_not_there_is_its_fault(): void
    {
        $adapter = new class () implements Adapter {
            public function find(Uri $uri): string
            {
                return 'Shop\Resource\App\Mistyped'; /* @phpstan-ignore return.type */
            }

            public function create(string $class): ResourceObject
            {
                throw new \LogicException('nothing is built');
            }
        };
        $client = (new Application('Tusk\Tests\Resource\Fixture', adapters: ['app://other' => $adapter]))->client();
        self::assertThrows(ResourceNotFoundException::class, 500, 'an adapter named the class Shop\Resource\App\Mistyped, which is not there', fn () => $client->get('app://other/x'));
    }

    public function test_paths_name_classes(): void
    {
        self::assertInstanceOf(SelfLink::class, $this->client->get('app://self/bird/self-link'));
        self::assertSame(['at' => 'index'], $this->client->get('app://self/')->body);
        self::assertSame(['at' => 'index'], $this->client->get('app://self')->body);
        self::assertSame(['at' => 'birds'], $this->client->get('app://self/bird/')->body);
        self::assertSame('page', $this->client->get('page://self/')['title']);
    }

    /** @return iterable<string, array{string}> */
    public static function strangers(): iterable
    {
        foreach (['/nothing-here', '/BIRD/Self-Link', '/bird//self-link', '/..%5cTag', '/../tag', '/tag\\x', '/-tag', '/tag-', '/1tag', '/tag.php'] as $path) {
            yield $path => ["app://self$path"];
        }
        yield 'another host' => ['app://other/tag'];
        yield 'another scheme' => ['file://self/tag'];
    }

    #[DataProvider('strangers')]
    public function test_what_is_not_there_is_not_found(string $uri): void
    {
        class_exists(SelfLink::class); // a class that is loaded has no case
        $this->expectException(ResourceNotFoundException::class);
        $this->expectExceptionCode(404);
        $this->client->get($uri);
    }

    public function test_malformed_URIs_are_refused_by_name(): void
    {
        foreach (['', 'tag', '/tag', 'app:/self', 'app://', '1app://self/', 'app://self/tag#part', "app://self/ta\ng", 'app:///tag'] as $uri) {
            self::assertThrows(UriException::class, 400, $uri, fn () => $this->client->get($uri));
        }
    }

    public function test_equal_requests_have_one_identity(): void
    {
        $id = fn (string $uri, array $query = []): string => $this->client->get->uri($uri, $query)->identity();
        self::assertSame($id('app://self/x?a=1&b=2'), $id('app://self/x?b=2&a=1'));
        self::assertSame($id('app://self/x', ['a' => 1, 'b' => true]), $id('APP://Self/x?a=1&b=1'));
        self::assertSame($id('app://self/x', ['m' => ['p' => 1, 'q' => 2]]), $id('app://self/x', ['m' => ['q' => '2', 'p' => '1']]));
        self::assertNotSame($id('app://self/x', ['l' => [1, 2]]), $id('app://self/x', ['l' => [2, 1]]));
        self::assertNotSame($id('app://self/x?a=1'), $id('app://self/y?a=1'));
        self::assertNotSame($id('app://self/x?a=1'), $id('page://self/x?a=1'));
        self::assertNotSame($id('app://self/x', ['a' => null]), $id('app://self/x', ['a' => '']));
        self::assertNotSame($id('app://self/x'), $this->client->head->uri('app://self/x')->identity());
        self::assertNotSame($id('app://self/x'), $this->client->get->uri('app://self/x')->linkSelf('a')->identity());
        self::assertNotSame($this->client->get->uri('app://self/x')->linkSelf('a')->identity(), $this->client->get->uri('app://self/x')->linkNew('a')->identity());
        $request = $this->client->get->uri('app://self/x');
        $before = $request->identity();
        self::assertNotSame($before, $request->addQuery(['a' => 1])->identity());
    }

    public function test_a_URI_is_written_as_it_was_read(): void
    {
        self::assertSame('app://self/a/b?x=1&y=a%20b&z%5B0%5D=1', (string) Uri::parse('app://self/a/b?x=1', ['y' => 'a b', 'z' => [1]]));
        self::assertSame('app://self/', (string) Uri::parse('app://self'));
        self::assertSame('app://self/x?c=red&d%5B0%5D=red', (string) Uri::parse('app://self/x', ['c' => Color::Red, 'd' => [Color::Red]]));
    }

    public function test_the_result_of_a_request_is_read_only(): void
    {
        $this->expectException(\LogicException::class);
        $request = $this->client->get->uri('app://self/tag');
        $request['x'] = 1;
    }

    public function test_the_properties_of_a_request_are_read_only(): void
    {
        foreach (['body', 'code', 'headers'] as $name) {
            self::assertThrows(\LogicException::class, 0, 'read only', fn () => $this->client->get->uri('app://self/tag')->{$name} = 1);
        }
    }

    public function test_as_a_string_only_an_error_handler_throws(): void
    {
        set_error_handler(static fn (int $level, string $text) => $level === E_DEPRECATED ? true : throw new \ErrorException($text)); // PHP 8.4 says one, hidden by @
        try {
            foreach ([$this->client->get->uri('app://self/errors'), $this->client->get('app://self/errors')] as $failing) {
                self::assertThrows(\ErrorException::class, 0, 'second', static fn () => (string) $failing);
            }
        } finally {
            restore_error_handler();
        }
    }

    public function test_a_resource_is_its_body_as_an_array(): void
    {
        $resource = $this->client->get('app://self/item?name=pen');
        $resource['ink'] = 'blue';
        unset($resource['name']);
        self::assertSame([1, ['ink' => 'blue'], true, false], [count($resource), iterator_to_array($resource), isset($resource['ink']), isset($resource['name'])]);
        $this->expectException(\OutOfBoundsException::class);
        self::fail((string) json_encode($resource['name']));
    }

    public function test_a_resource_that_nobody_requested_says_so(): void
    {
        $this->expectException(\LogicException::class);
        (new SelfLink())->toString();
    }

    public function test_the_names_that_are_taken_are_those_that_the_guide_says(): void
    {
        preg_match('~^Taken names: .*$~m', (string) file_get_contents(__DIR__ . '/../../../docs/guide/resource.md'), $said);
        $class = new \ReflectionClass(ResourceObject::class);
        $taken = array_merge(
            array_map(static fn (\ReflectionMethod $method): string => $method->isPrivate() ? '' : "`{$method->getName()}()`", $class->getMethods()),
            array_map(static fn (\ReflectionProperty $property): string => $property->isPrivate() ? '' : "`\${$property->getName()}`", $class->getProperties()),
        );
        self::assertGreaterThan(15, \count($taken));
        foreach ($taken as $name) {
            self::assertStringContainsString($name, $said[0] ?? '');
        }
    }

    public function test_limits_are_positive(): void
    {
        self::assertThrows(\ValueError::class, 0, 'maxDepth', static fn () => new Application('X', maxDepth: 0));
        self::assertThrows(\ValueError::class, 0, 'maxCrawl', static fn () => new Application('X', maxCrawl: -1));
        self::assertThrows(\ValueError::class, 0, 'concurrency must be between 1 and 10000, 10001 given', static fn () => new Fibers(concurrency: 10_001));
        self::assertThrows(\ValueError::class, 0, 'concurrency must be between 1 and 65536, 70000 given', static fn () => new Parallel(new Sync(), 'strrev', concurrency: 70_000));
        self::assertThrows(\ValueError::class, 0, 'maxRequests', static fn () => new Application('X', maxRequests: 0));
        foreach ([-1.0, NAN, 1e10] as $seconds) { // when the engine is made, not when the first page is
            self::assertThrows(\ValueError::class, 0, 'deadline must be', static fn () => new Fibers(deadline: $seconds));
            self::assertThrows(\ValueError::class, 0, 'deadline must be', static fn () => new Parallel(new Sync(), 'phpversion', deadline: $seconds));
        }
    }

    public function test_a_resource_is_not_built_before_its_request_runs(): void
    {
        $built = [];
        $application = new Application('Tusk\Tests\Resource\Fixture', create: static function (string $class) use (&$built): object {
            $built[] = substr((string) strrchr($class, '\\'), 1);

            return new $class();
        });
        $dash = $application->client()->get('app://self/dash?id=1');
        self::assertSame(['Dash'], $built);
        $dash->toString();
        self::assertSame(['Dash', 'User', 'Tag', 'Tag'], $built);
    }

    public function test_a_request_is_made_for_a_method_by_name_in_any_case(): void
    {
        self::assertSame(Method::Post, $this->client->request('PoSt', 'app://self/item')->method);
        self::assertInstanceOf(Request::class, $this->client->delete->uri('app://self/item'));
    }
}
