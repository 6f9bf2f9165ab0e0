<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Resource\Application;
use Tusk\Resource\Client;
use Tusk\Resource\Engine;
use Tusk\Resource\Exception\BadRequestException;
use Tusk\Resource\Exception\EmbedException;
use Tusk\Resource\Exception\LinkException;
use Tusk\Resource\Exception\LinkQueryException;
use Tusk\Resource\Exception\LinkRelException;
use Tusk\Resource\Exception\ResourceNotFoundException;
use Tusk\Resource\Exception\UriException;
use Tusk\Resource\HalRenderer;
use Tusk\Resource\JsonRenderer;
use Tusk\Resource\Renderer;
use Tusk\Tests\Resource\Fixture\Log;
use Tusk\Tests\Resource\Fixture\Resource\App\SelfScalar;

/** What holds whatever the engine: each engine inherits all of it. */
abstract class EngineSuite extends TestCase
{
    use CrawlCases;
    use CycleCases;

    abstract protected function engine(): Engine;

    protected function setUp(): void
    {
        Log::start();
    }

    protected function client(?Renderer $renderer = null, int $maxDepth = 64, int $maxCrawl = 10_000, int $maxRequests = 10_000): Client
    {
        return (new Application(
            'Tusk\Tests\Resource\Fixture',
            $this->engine(),
            $renderer ?? new JsonRenderer(),
            context: 'test',
            maxDepth: $maxDepth,
            maxCrawl: $maxCrawl,
            maxRequests: $maxRequests,
        ))->client();
    }

    protected function json(string $path): string
    {
        return $this->client()->get("app://self$path")->toString();
    }

    protected function hal(string $path): string
    {
        return $this->client(new HalRenderer())->get("app://self$path")->toString();
    }

    public function test_a_resource_class_may_name_its_methods_as_it_likes(): void
    {
        $rest = '"origin":"Ceylon","made":2001,"bind":"ab","untouched":true,"members":3';
        self::assertSame('{"item":{"name":"cup"},' . $rest . '}', $this->json('/named'));
        self::assertSame('{"item":{"name":"cup"},' . $rest . '}', $this->client()->get->uri('app://self/named')->toString());
        self::assertStringStartsWith('{' . $rest, self::compact($this->hal('/named')));
    }

    public function test_bytes_that_no_text_can_show_are_the_fault_of_who_sent_them(): void
    {
        foreach ([null, new HalRenderer()] as $renderer) {
            $text = fn (string $query): string => $this->client($renderer)->get->uri("app://self/bytes?$query")->toString();
            self::assertStringContainsString('2', $text('name=%FF%00')); // any bytes, as long as nobody has to show them
            foreach (['name=%FF&show=name', 'name=%FF&show=embedded', 'name=x&show=more&more[]=%C3', 'name=x&show=more&more[%FF]=1'] as $query) {
                $e = self::thrown(static fn (): string => $text($query));
                self::assertSame([BadRequestException::class, 400, 'A parameter is not UTF-8'], [$e::class, $e->getCode(), $e->getMessage()], $query);
            }
            $e = self::thrown(static fn (): string => $text('name=x&show=broken'));
            self::assertSame([\JsonException::class, JSON_ERROR_UTF8], [$e::class, $e->getCode()]);
        }
    }

    protected static function thrown(\Closure $do): \Throwable
    {
        try {
            $do();
        } catch (\Throwable $e) {
            return $e;
        }
        self::fail('nothing was thrown');
    }

    // ---- embeds and renderers ----

    public function test_a_request_that_stands_in_two_places_is_shown_in_both(): void
    {
        $user = '{"tag":["a","b"],"name":"n1"}';
        self::assertSame("{\"a\":$user,\"b\":$user,\"again\":{\"a\":$user,\"b\":$user}}", $this->json('/shown'));
    }

    public function test_the_body_of_an_embedded_resource_stands_in_the_place_of_its_request(): void
    {
        self::assertSame('{"u":{"tag":["a","b"],"name":"n1"},"t":["a","b"],"id":1}', $this->json('/dash?id=1'));
    }

    public function test_a_page_that_is_asked_for_again_embeds_what_its_own_arguments_say(): void
    {
        $application = $this->client()->application;
        foreach ([...range(1, 40), 1, 2, 40] as $id) { // more than are kept
            self::assertSame("{\"u\":{\"tag\":[\"a\",\"b\"],\"name\":\"n$id\"},\"t\":[\"a\",\"b\"],\"id\":$id}", $application->client()->get("app://self/dash?id=$id")->toString());
        }
    }

    public function test_pretty_JSON_is_indented_and_ends_with_a_newline(): void
    {
        $pretty = $this->client(new JsonRenderer(pretty: true))->get('app://self/foreign')->toString();
        self::assertSame("{\n    \"page\": {\n        \"tag\": [\n            \"a\",\n            \"b\"\n        ],\n        \"title\": \"page\"\n    },\n    \"t\": [\n"
            . "        \"a\",\n        \"b\"\n    ],\n    \"x\": \"a/b\"\n}\n", $pretty);
    }

    public function test_HAL_as_it_is_pinned(): void
    {
        self::assertSame(<<<'HAL'
            {
                "id": 1,
                "_embedded": {
                    "u": {
                        "name": "n1",
                        "_embedded": {
                            "tag": {
                                "0": "a",
                                "1": "b",
                                "_links": {
                                    "self": {
                                        "href": "/tag"
                                    }
                                }
                            }
                        },
                        "_links": {
                            "self": {
                                "href": "/user?id=1"
                            }
                        }
                    },
                    "t": {
                        "0": "a",
                        "1": "b",
                        "_links": {
                            "self": {
                                "href": "/tag"
                            }
                        }
                    }
                },
                "_links": {
                    "self": {
                        "href": "/dash?id=1"
                    },
                    "home": {
                        "href": "/home?id=1"
                    }
                }
            }

            HAL, $this->hal('/dash?id=1'));
    }

    public function test_HAL_of_scalars_null_other_schemes_and_links_by_hand(): void
    {
        self::assertSame(
            '{"x":1,"_embedded":{"s":{"value":"hello","_links":{"self":{"href":"/scalar"}}},"n":{"_links":{"self":{"href":"/nothing"}}},'
            . '"g":{"error":"gone","_links":{"self":{"href":"/gone"}}}},"_links":{"self":{"href":"/holder"}}}',
            self::compact($this->hal('/holder')),
        );
        self::assertSame(
            '{"x":"a/b","_embedded":{"page":{"tag":["a","b"],"title":"page"},"t":{"0":"a","1":"b","_links":{"self":{"href":"/tag"}}}},"_links":{"self":{"href":"/foreign"}}}',
            self::compact($this->hal('/foreign')),
        );
        self::assertSame(
            '{"page":2,"_embedded":{"t":{"0":"a","1":"b","_links":{"self":{"href":"/tag"}}}},"_links":{"self":{"href":"/hand-made"},"prev":{"href":"/p?page=2"},"next":{"href":"/by-hand"}}}',
            self::compact($this->hal('/hand-made')),
        );
    }

    private static function compact(string $json): string
    {
        return json_encode(json_decode($json, flags: JSON_THROW_ON_ERROR), JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
    }

    public function test_scalar_and_null_bodies_are_a_value(): void
    {
        self::assertSame('{"value":"hello"}', $this->json('/scalar'));
        self::assertSame('{"value":null}', $this->json('/nothing'));
        self::assertSame('{"s":{"value":"hello"},"n":{"value":null},"g":{"error":"gone"},"x":1}', $this->json('/holder'));
    }

    public function test_the_content_type_is_set_unless_the_resource_has(): void
    {
        foreach ([[new JsonRenderer(), 'application/json'], [new HalRenderer(), 'application/hal+json']] as [$renderer, $type]) {
            $resource = $this->client($renderer)->get('app://self/tag');
            $resource->toString();
            self::assertSame(['Content-Type' => $type], $resource->headers);
        }
        $resource = $this->client()->get('app://self/seen');
        self::assertSame('<b>own</b>', $resource->toString());
        self::assertSame(['Content-Type' => 'text/html'], $resource->headers);
        $resource = $this->client()->get('app://self/swapped');
        self::assertSame('["first","second"]', $resource->toString());
        self::assertSame(['content-TYPE' => 'text/tag'], $resource->headers); // by any name
    }

    public function test_a_replaced_body_has_no_embeds_and_an_added_one_keeps_them(): void
    {
        self::assertSame('{"x":1}', $this->json('/replaced'));
        self::assertSame(['replaced'], Log::lines());
        self::assertSame('{"u":{"tag":["a","b"],"name":"n1"},"x":1}', $this->json('/added'));
    }

    public function test_the_method_sees_the_rels_and_may_change_the_requests(): void
    {
        self::assertSame('{"one":["a","b"],"two":{"value":"hello"},"keys":["one","two"]}', $this->json('/keys'));
        self::assertSame('{"posts":{"limit":"5","q":""},"crawl":{"id":"1","b":{"id":"1","d":{"id":"1","e":{"id":"1","end":true}}},"d":{"id":"1","e":{"id":"1","end":true}}}}', $this->json('/changed'));
    }

    public function test_the_method_may_read_what_it_embeds(): void
    {
        self::assertSame('{"u":{"tag":["a","b"],"name":"n3"},"t":["a","b"],"name":"n3","code":200}', $this->json('/reads'));
    }

    public function test_a_template_of_an_embed_is_filled_from_what_the_method_gets(): void
    {
        $filled = fn (array $query): string => $this->client()->get('app://self/typed', $query)->toString();
        self::assertSame('{"echo":{"limit":"7","q":"2,1,,0,"}}', $filled(['n' => '007']));
        self::assertSame('{"echo":{"limit":"-1","q":"0.5,,1.50,3,red"}}', $filled(['n' => '-1', 'f' => '5e-1', 'b' => '0', 't' => '1.50', 'either' => '3', 'color' => 'red']));
        self::assertSame('{"echo":{"limit":"1","q":"10,,,1.5,"}}', $filled(['n' => true, 'f' => 10, 'b' => '', 't' => false, 'either' => '1.50']));
    }

    public function test_a_value_that_does_not_fit_is_told_before_embeds_lead_anywhere(): void
    {
        foreach (['x', '', '1x', ['1'], [['a']], null] as $value) {
            $e = self::thrown(fn () => $this->client()->put('app://self/typed', ['n' => $value]));
            self::assertSame([BadRequestException::class, 400], [$e::class, $e->getCode()]);
            self::assertInstanceOf(\TypeError::class, $e->getPrevious());
            self::assertStringContainsString('onPut(): Argument #1 ($n)', $e->getPrevious()->getMessage());
        }
        self::assertSame([], Log::lines());
        self::assertInstanceOf(EmbedException::class, self::thrown(fn () => $this->client()->put('app://self/typed', ['n' => 1])));
    }

    public function test_self_is_run_at_once_and_copied(): void
    {
        self::assertSame('{"tag":["a","b"],"name":"n4","seen":["tag","name"]}', $this->json('/copied?id=4'));
        $gone = $this->client()->get('app://self/copied-gone');
        self::assertSame([404, '{"error":"gone","x":404}'], [$gone->code, $gone->toString()]);
    }

    public function test_status_and_headers_of_a_child_do_not_reach_its_parent(): void
    {
        $holder = $this->client()->get('app://self/holder');
        $holder->toString();
        self::assertSame([200, ['Content-Type' => 'application/json']], [$holder->code, $holder->headers]);
    }

    public function test_a_request_carries_code_headers_body_and_view(): void
    {
        $client = $this->client();
        $gone = $client->get->uri('app://self/gone');
        self::assertSame([404, ['X-Reason' => 'gone'], ['error' => 'gone'], 'gone'], [$gone->code, $gone->headers, $gone->body, $gone['error']]);
        self::assertSame('<b>own</b>', $client->get->uri('app://self/seen')->toString());
        self::assertSame(['error' => 'gone'], iterator_to_array($client->get->uri('app://self/gone')));
        self::assertSame('{"error":"gone"}', json_encode($client->get->uri('app://self/gone')));
        self::assertSame('{"error":"gone"}', (string) $client->get->uri('app://self/gone'));
    }

    /** @return iterable<string, array{int, array<string, string>, string}> */
    public static function bare(): iterable
    {
        $json = ['Content-Type' => 'application/json'];
        yield 'nothing' => [200, $json, '{"x":1}'];
        yield 'code' => [202, $json, '{"x":1}'];
        yield 'headers' => [200, ['X-With' => 'headers'] + $json, '{"x":1}'];
        yield 'view' => [200, [], '<i>view</i>'];
        yield 'null' => [200, $json, '{"value":null}'];
        yield 'scalar' => [200, $json, '{"value":"text"}'];
        yield 'enum' => [200, $json, '{"x":"red"}'];
        yield 'enums within' => [200, $json, '{"x":[1,["red"]]}'];
        yield 'request' => [200, $json, '{"x":[{"x":1}]}'];
    }

    /** @param array<string, string> $headers */
    #[DataProvider('bare')]
    public function test_what_a_resource_sets_arrives_whatever_else_it_does(int $code, array $headers, string $text): void
    {
        $request = $this->client()->get->uri('app://self/bare', ['with' => $this->dataName()]);
        self::assertSame([$code, $text, $headers], [$request->code, $request->toString(), $request->headers]);
    }

    public function test_a_body_that_is_in_itself_is_an_error_and_no_end(): void
    {
        foreach ([null, new HalRenderer()] as $renderer) {
            $e = self::thrown(fn (): string => $this->client($renderer)->get('app://self/itself')->toString());
            self::assertSame([\JsonException::class, JSON_ERROR_DEPTH], [$e::class, $e->getCode()]);
        }
    }

    public function test_requests_put_into_rows_by_hand_are_embedded_there(): void
    {
        self::assertSame('{"rows":[{"id":1,"user":{"tag":["a","b"],"name":"n1"}},{"id":2,"user":{"tag":["a","b"],"name":"n2"}}]}', $this->json('/nested'));
    }

    public function test_writing_requests_run_once_each_and_in_order(): void
    {
        self::assertSame('{"first":["a","b"],"write":{"name":"n"},"again":{"name":"n"}}', $this->json('/posting'));
        self::assertSame(['posting', 'tag', 'item', 'item'], Log::lines());
    }

    public function test_writing_requests_of_an_embedded_resource_run_once_each_and_in_order(): void
    {
        self::assertSame('{"below":{"first":["a","b"],"write":{"name":"n"},"again":{"name":"n"}}}', $this->json('/posting-below'));
        self::assertSame(['posting-below', 'posting', 'tag', 'item', 'item'], Log::lines());
    }

    public function test_the_self_link_of_an_embedded_resource_is_as_it_was_asked_for(): void
    {
        $self = static fn (string $query): string => '{"limit":"1","q":"x","_links":{"self":{"href":"/echoing?' . $query . '"}}}';
        self::assertSame(
            "{\"_embedded\":{\"a\":{$self('limit=1&q=x')},\"b\":{$self('q=x&limit=1')}},\"_links\":{\"self\":{\"href\":\"/two-orders\"}}}",
            self::compact($this->hal('/two-orders')),
        );
    }

    public function test_a_result_that_is_another_resource_is_that_one(): void
    {
        self::assertSame('{"name":"n9","_embedded":{"tag":{"0":"a","1":"b","_links":{"self":{"href":"/tag"}}}},"_links":{"self":{"href":"/user?id=9"}}}', self::compact($this->hal('/returns')));
        // One that no request made stands in for the one that was asked for.
        self::assertSame('{"0":"first","1":"second","_links":{"self":{"href":"/swapped"}}}', self::compact($this->hal('/swapped')));
        self::assertSame(['first', 'second'], $this->client()->get->uri('app://self/swapped')->body);
    }

    public function test_what_nobody_renders_does_not_run(): void
    {
        $this->client()->get('app://self/dash?id=1');
        self::assertSame(['dash'], Log::lines());
    }

    // ---- errors ----

    /** @return iterable<string, array{string, class-string<\Throwable>, string}> */
    public static function leadingNowhere(): iterable
    {
        yield 'no such resource' => ['/missing', ResourceNotFoundException::class, '/no-such-thing'];
        yield 'no URI' => ['/malformed', UriException::class, 'nonsense'];
        yield 'a scheme that nobody serves' => ['/bad-scheme', ResourceNotFoundException::class, 'ftp://self/tag'];
        yield 'a broken template' => ['/bad-template', UriException::class, '/tag{'];
    }

    /** @param class-string<\Throwable> $previous */
    #[DataProvider('leadingNowhere')]
    public function test_an_embed_that_leads_nowhere_throws_before_the_method_runs(string $path, string $previous, string $src): void
    {
        $e = self::thrown(fn () => $this->json($path));
        self::assertInstanceOf(EmbedException::class, $e);
        self::assertSame([500, $src], [$e->getCode(), $e->getMessage()]);
        self::assertInstanceOf($previous, $e->getPrevious());
        if ($previous === ResourceNotFoundException::class) {
            self::assertSame(404, $e->getPrevious()->getCode());
        }
        self::assertSame([], Log::lines());
    }

    public function test_a_body_that_is_neither_null_nor_an_array_takes_no_embed(): void
    {
        self::assertInstanceOf(LinkException::class, self::thrown(fn () => $this->json('/wrong')));
        self::assertSame(SelfScalar::class . ': _self cannot stand in a body that is string', self::thrown(fn () => $this->json('/self-scalar'))->getMessage());
    }

    public function test_an_error_of_a_child_is_thrown_as_it_was_and_the_first_declared_wins(): void
    {
        foreach (['/errors', '/deep-error'] as $path) {
            $e = self::thrown(fn () => $this->json($path));
            self::assertSame([\DomainException::class, 7, 'second'], [$e::class, $e->getCode(), $e->getMessage()]);
            $before = $e->getPrevious();
            self::assertNotNull($before);
            self::assertSame([\LengthException::class, 3, 'before'], [$before::class, $before->getCode(), $before->getMessage()]);
            $same = self::thrown(fn () => $this->hal($path));
            self::assertSame([$e::class, $e->getCode(), $e->getMessage()], [$same::class, $same->getCode(), $same->getMessage()]);
        }
    }

    public function test_as_a_string_a_resource_warns_and_is_empty(): void
    {
        $errors = [];
        set_error_handler(function (int $level, string $text) use (&$errors): bool {
            $errors[] = [$level, $text];

            return true;
        });
        try {
            $text = (string) $this->client()->get('app://self/errors');
        } finally {
            restore_error_handler();
        }
        self::assertSame('', $text);
        self::assertCount(1, $errors);
        self::assertSame(E_USER_WARNING, $errors[0][0]);
        self::assertStringStartsWith("DomainException: second\n#0 ", $errors[0][1]);
    }

    public function test_as_a_string_a_request_raises_an_error(): void
    {
        $errors = [];
        set_error_handler(function (int $level, string $text) use (&$errors): bool {
            if ($level !== E_DEPRECATED) {
                $errors[] = [$level, $text];
            }

            return true;
        });
        try {
            $text = (string) $this->client()->get->uri('app://self/errors');
        } finally {
            restore_error_handler();
        }
        self::assertSame('', $text);
        self::assertCount(1, $errors);
        self::assertSame(E_USER_ERROR, $errors[0][0]);
        self::assertStringStartsWith("second\n#0 ", $errors[0][1]);
    }

    public function test_a_failed_request_is_tried_again_at_its_next_use(): void
    {
        $request = $this->client()->get->uri('app://self/fails?message=again');
        foreach ([1, 2] as $runs) {
            self::assertSame('again', self::thrown(fn () => $request->body)->getMessage());
            self::assertCount($runs, Log::lines());
        }
    }

    public function test_embeds_in_a_circle_end_with_an_error(): void
    {
        foreach (['/ring' => 'app://self/ring', '/ring-page' => 'app://self/ring'] as $path => $uri) {
            foreach ([$this->json(...), $this->hal(...)] as $render) {
                $e = self::thrown(fn () => $render($path));
                self::assertInstanceOf(EmbedException::class, $e);
                self::assertSame([500, "$uri embeds itself"], [$e->getCode(), $e->getMessage()]);
            }
        }
    }

    public function test_a_circle_of_which_a_method_has_read_a_part_ends_with_an_error(): void
    {
        foreach ([$this->json(...), $this->hal(...)] as $render) {
            $page = $this->client()->get->uri('app://self/ring-read');
            self::assertSame(200, $page['code']);
            $e = self::thrown($page->toString(...));
            self::assertInstanceOf(EmbedException::class, $e);
            self::assertSame('app://self/ring embeds itself', $e->getMessage());
        }
    }

    public function test_methods_that_read_each_other_end_with_an_error(): void
    {
        $e = self::thrown(fn () => $this->json('/both'));
        self::assertInstanceOf(EmbedException::class, $e);
        self::assertSame('app://self/left embeds itself', $e->getMessage());
    }

    public function test_requests_that_resources_make_themselves_end_in_a_circle_too(): void
    {
        foreach (['/asks' => 'asks', '/asks-back' => 'asks-back', '/shows' => 'shows', '/shows-back' => 'shows-back'] as $path => $back) {
            Log::clear();
            foreach ([$this->json(...), $this->hal(...)] as $render) {
                $e = self::thrown(fn () => $render($path));
                self::assertInstanceOf(EmbedException::class, $e);
                self::assertSame("app://self/$back embeds itself", $e->getMessage());
            }
            self::assertLessThanOrEqual(8, \count(Log::lines()));
        }
    }

    public function test_embeds_nest_as_deep_as_the_limit_says(): void
    {
        $e = self::thrown(fn () => $this->client(maxDepth: 5)->get('app://self/deep?n=1')->toString());
        self::assertInstanceOf(EmbedException::class, $e);
        self::assertSame('app://self/deep?n=6 is embedded more than 5 deep', $e->getMessage());
        self::assertCount(5, Log::lines());
    }

    public function test_a_render_embeds_no_more_requests_than_the_limit_says_and_tells_the_way_to_the_one_too_many(): void
    {
        foreach ([null, new HalRenderer()] as $renderer) {
            Log::start();
            $client = $this->client($renderer, maxRequests: 20);
            $e = self::thrown(fn () => $client->get('app://self/twigs', ['at' => 'x'])->toString()); // a tree of 2^64
            self::assertInstanceOf(EmbedException::class, $e);
            $way = array_map(static fn (int $depth): string => 'app://self/twigs?at=x' . str_repeat('l', $depth), [0, 1, 2]);
            self::assertSame(implode(' > ', [...$way, '…', ...array_map(static fn (int $depth): string => 'app://self/twigs?at=x' . str_repeat('l', $depth), [17, 18, 19, 20]),
                'app://self/twigs?at=x' . str_repeat('l', 21) . ' is one request more than the 20 of one render (maxRequests)']), $e->getMessage());
            self::assertSame(20, $client->rendered());
            self::assertLessThanOrEqual(1 + 2 * 20 + 1, \count(Log::lines()));
        }
    }

    public function test_the_limit_is_each_renders_own(): void
    {
        $client = $this->client(maxRequests: 3);
        for ($i = 0; $i < 5; $i++) {
            $client->get('app://self/dash', ['id' => $i])->toString();
            self::assertSame(3, $client->rendered());
        }
        self::assertInstanceOf(EmbedException::class, self::thrown(fn () => $this->client(maxRequests: 2)->get('app://self/dash?id=1')->toString()));
    }

    // ---- links ----

    public function test_linkSelf_replaces_and_linkNew_adds_the_linked_body(): void
    {
        $get = $this->client()->get;
        $replaced = $get->uri('app://self/author?id=1')->linkSelf('blog')->eager->request();
        self::assertSame([['blog' => 11], 200, ['X-Author' => '1']], [$replaced->body, $replaced->code, $replaced->headers]);
        $added = $get->uri('app://self/author?id=1')->linkNew('blog')->linkNew('gone')->eager->request();
        self::assertSame(['name' => 'a1', 'blog_id' => 11, 'blog' => ['blog' => 11], 'gone' => ['error' => 'gone']], $added->body);
        self::assertSame(200, $added->code);
        self::assertSame('{"name":"a1","blog_id":11,"blog":{"blog":11}}', $get->uri('app://self/author?id=1')->linkNew('blog')->toString());
    }

    public function test_links_that_cannot_be_followed_say_why(): void
    {
        $author = fn () => $this->client()->get->uri('app://self/author?id=1');
        $e = self::thrown(fn () => ($author()->linkSelf('nope'))());
        self::assertInstanceOf(LinkRelException::class, $e);
        self::assertSame([500, 'rel:nope class:Tusk\Tests\Resource\Fixture\Resource\App\Author'], [$e->getCode(), $e->getMessage()]);
        $e = self::thrown(fn () => ($author()->linkSelf('text')->linkNew('blog'))());
        self::assertInstanceOf(LinkQueryException::class, $e);
        self::assertSame(500, $e->getCode());
        $e = self::thrown(fn () => ($author()->linkSelf('lost'))());
        self::assertInstanceOf(ResourceNotFoundException::class, $e);
        self::assertSame(404, $e->getCode());
        $e = self::thrown(fn () => ($author()->linkSelf('fails'))());
        self::assertSame([\DomainException::class, 7, 'linked'], [$e::class, $e->getCode(), $e->getMessage()]);
    }

    public function test_no_link_of_an_error_is_followed(): void
    {
        $forbidden = $this->client()->get->uri('app://self/forbidden')->linkNew('blog')->linkSelf('no-such-rel')->eager->request();
        self::assertSame([403, ['no' => 1]], [$forbidden->code, $forbidden->body]);
        self::assertSame(['forbidden'], Log::lines());
    }

    public function test_href_follows_a_link_of_the_last_result_with_its_own_method(): void
    {
        $client = $this->client();
        $client->get('app://self/author?id=1');
        self::assertSame(['put' => 'a1'], $client->href('edit')->body);
        $client->post('app://self/item', ['name' => 'pen']);
        self::assertSame(['name' => 'pen'], $client->href('it')->body);
        $client->post('app://self/item', ['name' => 'pen']);
        $removed = $client->href('remove', ['name' => 'ink']);
        self::assertSame([204, ['X-Gone' => 'ink'], null], [$removed->code, $removed->headers, $removed->body]);
        self::assertInstanceOf(LinkRelException::class, self::thrown(fn () => $client->href('remove')));
        self::assertInstanceOf(LinkException::class, self::thrown(fn () => $this->client()->href('it')));
        $client->get('app://self/author?id=1');
        $e = self::thrown(fn () => $client->href('nope')); // it has others
        self::assertSame([LinkRelException::class, 'rel:nope class:Tusk\Tests\Resource\Fixture\Resource\App\Author'], [$e::class, $e->getMessage()]);
    }

    // ---- all of it against the sequential engine ----

    public function test_every_byte_is_that_of_the_sequential_run(): void
    {
        $paths = ['/dash?id=1', '/user?id=2', '/tag', '/twice', '/five', '/replaced', '/added', '/keys', '/missing', '/copied?id=4', '/copied-gone', '/holder', '/errors',
            '/deep-error', '/ring', '/ring-page', '/both', '/deep?n=1', '/nested', '/changed', '/reads', '/hand-made', '/foreign', '/returns', '/crawl/users', '/scalar', '/nothing',
            '/race', '/crowd', '/crawl/users crawl tree', '/crawl/a?id=1 crawl tree', '/crawl/f?id=1 crawl tree', '/crawl/loaded crawl tree', '/crawl/chained crawl tree',
            '/crawl/failing crawl tree', '/crawl/odd?kind=maps crawl tree', '/author?id=1 self blog', '/author?id=1 new blog', '/blog?id=1 self nothing', '/gone self it', '/crowd new it'];
        $say = static function (Client $client, string $path): string {
            try {
                [$path, $type, $rel] = explode(' ', "$path  ");
                $request = $client->get->uri("app://self$path");
                match ($type) {
                    'self' => $request->linkSelf($rel),
                    'new' => $request->linkNew($rel),
                    'crawl' => $request->linkCrawl($rel),
                    default => $request,
                };
                $resource = $request->result();

                return $resource->toString() . json_encode([$resource->code, $resource->headers]);
            } catch (\Throwable $e) {
                return sprintf('%s %d %s', $e::class, (int) $e->getCode(), $e->getMessage());
            }
        };
        foreach ([new JsonRenderer(), new HalRenderer()] as $renderer) {
            $sequential = new Application('Tusk\Tests\Resource\Fixture', new Engine\Sequential(), $renderer, maxDepth: 8);
            foreach ($paths as $path) {
                self::assertSame($say($sequential->client(), $path), $say($this->client($renderer, 8), $path), $path);
            }
        }
    }
}
