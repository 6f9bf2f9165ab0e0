<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Resource\Adapter;
use Tusk\Resource\Application;
use Tusk\Resource\Client;
use Tusk\Resource\Exception\EngineException;
use Tusk\Resource\Internal\Binding;
use Tusk\Resource\Internal\Crossing;
use Tusk\Resource\Internal\Head;
use Tusk\Resource\Internal\Parcel;
use Tusk\Resource\Internal\Received;
use Tusk\Resource\Internal\Tree;
use Tusk\Resource\NamespaceAdapter;
use Tusk\Resource\Method;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Uri;
use Tusk\Tests\Resource\Fixture\Fixture;
use Tusk\Tests\Resource\Fixture\Log;
use Tusk\Tests\Resource\Fixture\Resource\App\Tag;

/** What comes back from a worker, in its short form and in its long one. */
final class ParcelTest extends TestCase
{
    private Client $client;

    protected function setUp(): void
    {
        Log::start();
        $this->client = Fixture::application()->client();
    }

    /** As a worker runs it. */
    private function ran(string $uri): ResourceObject
    {
        $application = $this->client->application;
        $uri = Uri::parse($uri);
        $head = Head::read(Head::text(Head::prefix(0, '', 'factory', $application->name), Method::Get, $uri, ''));
        $place = $application->invoker->find(Method::Get, $uri);

        return $application->invoker->answer($place, $uri->query, [$place->class, $place->method, [$head, $uri->query], $application, '', []]);
    }

    private function pack(string $uri, ?string $view = null): mixed
    {
        $resource = $this->ran($uri);
        $resource->view = $view;

        return Crossing::pack($resource, true);
    }

    private function answer(mixed $given, string $uri): ResourceObject
    {
        return Parcel::answer($given, $this->client->get->uri($uri));
    }

    public function test_a_plain_body_travels_in_the_short_form(): void
    {
        $given = $this->pack('app://self/tag');
        self::assertSame([200, [], ['a', 'b'], Tag::class], $given);
        $answer = $this->answer($given, 'app://self/tag');
        self::assertSame(['a', 'b'], $answer->body);
        self::assertSame('app://self/tag', (string) $answer->uri());
        self::assertSame(Tag::class, Binding::origin($answer)?->class);
        self::assertSame([], Tree::runnable($answer));
    }

    public function test_who_asks_a_resource_for_its_uri_does_not_change_its_form(): void
    {
        $resource = $this->ran('app://self/user?id=1');
        self::assertSame('app://self/user?id=1', (string) $resource->uri());
        self::assertTrue(Binding::origin($resource)?->asked);
        $given = Crossing::pack($this->ran('app://self/tag'), true);
        $asked = $this->ran('app://self/tag');
        $asked->uri();
        self::assertSame($given, Crossing::pack($asked, true));
        self::assertNotSame($given, Crossing::pack($asked), 'of another resource its request is told, too');
    }

    public function test_a_view_and_embeds_travel_in_the_long_form(): void
    {
        $given = $this->pack('app://self/tag', 'rendered');
        self::assertIsArray($given);
        self::assertCount(\count(Parcel::FIELDS), $given);
        self::assertSame('rendered', $this->answer($given, 'app://self/tag')->view);
        $page = $this->answer($this->pack('app://self/dash?id=1'), 'app://self/dash?id=1');
        self::assertCount(2, Tree::runnable($page));
        self::assertSame('{"u":{"tag":["a","b"],"name":"n1"},"t":["a","b"],"id":1}', $page->toString());
    }

    public function test_a_result_in_several_places_travels_once_and_stays_one(): void
    {
        $page = $this->ran('app://self/dash?id=1');
        $tag = $this->client->get('app://self/tag');
        foreach ($page->body as $member) { // @phpstan-ignore foreach.nonIterable
            $member instanceof Request && $member->settle($tag); // as an engine does with equal requests
        }
        $given = Crossing::pack($page, true);
        self::assertSame(1, substr_count(serialize($given), '"a";i:1;s:1:"b"'));
        $body = $this->answer($given, 'app://self/dash?id=1')->body;
        self::assertIsArray($body);
        self::assertInstanceOf(Request::class, $body['u']);
        self::assertInstanceOf(Request::class, $body['t']);
        self::assertSame(['a', 'b'], $body['u']->body);
        self::assertSame($body['u']->result(), $body['t']->result());
        self::assertNotSame($tag, $body['u']->result());
    }

    public function test_a_body_that_was_changed_since_it_came_is_searched_for_requests(): void
    {
        $answer = $this->answer($this->pack('app://self/tag'), 'app://self/tag');
        self::assertInstanceOf(Received::class, $answer);
        self::assertTrue($answer->isPlain());
        $answer->body = ['a', 'tag' => $request = $this->client->get->uri('app://self/tag')];
        self::assertFalse($answer->isPlain());
        self::assertSame([$request], Tree::runnable($answer));
        self::assertSame(['a', 'tag' => ['a', 'b']], Tree::plain($answer, []));
    }

    /** @return iterable<string, array{mixed, string}> */
    public static function rubbish(): iterable
    {
        yield 'no array' => [7, 'it'];
        yield 'another length' => [[200, [], null], 'it'];
        yield 'other keys' => [['a' => 200, 'b' => [], 'c' => null, 'd' => Tag::class], 'code'];
        yield 'a code that is none' => [['200', [], null, Tag::class], 'code'];
        yield 'headers that are none' => [[200, 'x', null, Tag::class], 'headers'];
        yield 'a header that is none' => [[200, ['a' => []], null, Tag::class], 'headers'];
        yield 'a class that is none' => [[200, [], null, self::class], 'class'];
        yield 'no class' => [[200, [], null, null], 'class'];
        yield 'the long form, a class that is none' => [[200, [], null, 'stdClass', null, [], [], null, []], 'class'];
        yield 'the long form, a view that is none' => [[200, [], null, Tag::class, 1, [], [], null, []], 'view'];
        yield 'the long form, headers that are none' => [[200, null, null, Tag::class, null, [], [], null, []], 'headers'];
        yield 'the long form, results that are none' => [[200, [], null, Tag::class, null, [], [], null, 1], 'results'];
        $request = ['place' => ['x'], 'method' => 'get', 'uri' => 'app://self/tag', 'query' => [], 'links' => [], 'ancestors' => [], 'result' => 0];
        yield 'a result that did not come' => [[200, [], ['x' => null], Tag::class, null, [$request], [], null, []], 'result'];
        yield 'a result by no number' => [[200, [], ['x' => null], Tag::class, null, [['result' => 'x'] + $request], [], null, ['x' => []]], 'result'];
        yield 'a result that is none' => [[200, [], ['x' => null], Tag::class, null, [$request], [], null, [[]]], 'it'];
    }

    #[DataProvider('rubbish')]
    public function test_what_is_no_resource_is_refused_by_the_name_of_the_field(mixed $given, string $field): void
    {
        $this->expectException(EngineException::class);
        $this->expectExceptionMessage("what came from a worker is no resource: $field");
        $this->answer($given, 'app://self/tag');
    }

    public function test_an_adapter_of_the_applications_own_is_asked_for_each_embed_each_time(): void
    {
        $adapter = new class (new NamespaceAdapter('Tusk\Tests\Resource\Fixture\Resource\App', static fn (string $class): object => new $class())) implements Adapter {
            /** @var list<string> */
            public array $asked = [];

            public function __construct(private readonly NamespaceAdapter $inner) {}

            public function find(Uri $uri): string
            {
                $this->asked[] = $uri->path;

                return $this->inner->find($uri);
            }

            public function create(string $class): ResourceObject
            {
                return $this->inner->create($class);
            }
        };
        $client = (new Application('X', adapters: ['app://self' => $adapter]))->client();
        foreach ([1, 2] as $time) {
            $adapter->asked = [];
            $client->get('app://self/dash?id=1');
            self::assertSame(['/dash', '/user', '/tag'], $adapter->asked, "time $time");
        }
    }
}
