<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Psr;

use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Response;
use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Message\UploadedFileInterface;
use Tusk\Bridge\Psr\Answers;
use Tusk\Bridge\Psr\BadRequest;
use Tusk\Bridge\Psr\Factories;
use Tusk\Bridge\Psr\Handler;
use Tusk\Bridge\Psr\Requests;
use Tusk\Bridge\Psr\Upload;
use Tusk\Http\Request;
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\Timer;

#[CoversClass(Answers::class)]
#[CoversClass(Factories::class)]
#[CoversClass(Handler::class)]
#[CoversClass(BadRequest::class)]
#[CoversClass(Requests::class)]
#[CoversClass(Upload::class)]
final class HandlerTest extends TestCase
{
    /** @var list<string> */
    private array $faults = [];

    protected function setUp(): void
    {
        if (!extension_loaded('tusk')) {
            self::markTestSkipped('the extension is not loaded');
        }
        if (!class_exists(Psr17Factory::class)) {
            self::markTestSkipped('nyholm/psr7 is not here');
        }
    }

    /** @return iterable<string, array{list<class-string>}> */
    public static function libraries(): iterable
    {
        yield 'nyholm/psr7' => [['Nyholm\Psr7\Factory\Psr17Factory']];
        yield 'guzzlehttp/psr7' => [['GuzzleHttp\Psr7\HttpFactory']];
        yield 'slim/psr7' => [['Slim\Psr7\Factory\ServerRequestFactory', 'Slim\Psr7\Factory\StreamFactory']];
    }

    /** @param list<class-string> $classes */
    #[DataProvider('libraries')]
    public function testARequestIsWhatPhpWouldMakeOfIt(array $classes): void
    {
        $app = new App(static fn (): ResponseInterface => new Response(204));
        $loopback = $this->server($app, self::factories($classes));
        $answer = $loopback->raw("GET /a/b?x[]=1&x[]=2&y.z=3 HTTP/1.1\r\nHost: shop.example:8080\r\nCookie: who=m%20n; who=z; two=2;=none; alone; q=\"a b\"; bad=%4; nul=a%00; 7=b\r\nX-One: 1\r\nX-One: 2\r\n"
            . "X_Forwarded_For: 9.9.9.9\r\nProxy: evil:1\r\nConnection: close\r\n\r\n");

        self::assertStringStartsWith('HTTP/1.1 204 ', $answer);
        $request = $app->asked[0];
        self::assertSame('GET', $request->getMethod());
        self::assertSame('/a/b?x[]=1&x[]=2&y.z=3', $request->getRequestTarget());
        self::assertSame(['http', 'shop.example', 8080, '/a/b'], [$request->getUri()->getScheme(), $request->getUri()->getHost(), $request->getUri()->getPort(), $request->getUri()->getPath()]);
        self::assertSame(['x' => ['1', '2'], 'y_z' => '3'], $request->getQueryParams());
        self::assertSame(['who' => 'm n', 'two' => '2', 'q' => 'a b', 'bad' => '%4', 'nul' => 'a%00', 7 => 'b'], $request->getCookieParams());
        $own = $request->getAttribute(Request::class);
        self::assertInstanceOf(Request::class, $own);
        foreach ($request->getCookieParams() as $name => $value) {
            self::assertSame($own->cookie((string) $name), $value);
        }
        self::assertSame('1, 2', $request->getHeaderLine('x-one'));
        self::assertNull($request->getParsedBody());
        self::assertSame('', (string) $request->getBody());
        $server = $request->getServerParams();
        self::assertSame(['shop.example', '8080', '1, 2', 'x[]=1&x[]=2&y.z=3'], [$server['SERVER_NAME'], $server['SERVER_PORT'], $server['HTTP_X_ONE'], $server['QUERY_STRING']]);
        self::assertArrayNotHasKey('HTTP_PROXY', $server);
        self::assertArrayNotHasKey('HTTP_X_FORWARDED_FOR', $server);
        self::assertArrayNotHasKey('HTTPS', $server);
        self::assertIsFloat($server['REQUEST_TIME_FLOAT']);
        self::assertSame((int) $server['REQUEST_TIME_FLOAT'], $server['REQUEST_TIME']);
    }

    /**
     * The whole address, as a proxy is asked.
     *
     * @param list<class-string> $classes
     */
    #[DataProvider('libraries')]
    public function testAnAbsoluteTargetIsTheRequestsAddress(array $classes): void
    {
        $app = new App(static fn (): ResponseInterface => new Response(204));
        $loopback = $this->server($app, self::factories($classes));
        foreach (['http://shop.example:8080/a/b?x=1', 'HTTPS://shop.example:8080/a/b?x=1', 'http://shop.example:8080?x=1', 'http://shop.example:8080'] as $target) {
            self::assertStringStartsWith('HTTP/1.1 204 ', $loopback->raw("GET $target HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n"));
        }
        [$whole, $boasting, $short, $bare] = array_map(static fn (ServerRequestInterface $request): string => (string) $request->getUri(), $app->asked);
        self::assertSame('http://shop.example:8080/a/b?x=1', $whole);
        self::assertSame($whole, $boasting); // it came in the clear
        self::assertSame(['http://shop.example:8080/?x=1', 'http://shop.example:8080/'], [$short, $bare]);
        $request = $app->asked[0];
        self::assertSame(['/a/b', ['x' => '1'], 'x=1'], [$request->getUri()->getPath(), $request->getQueryParams(), $request->getServerParams()['QUERY_STRING']]);
        self::assertSame(['shop.example', '8080'], [$request->getServerParams()['SERVER_NAME'], $request->getServerParams()['SERVER_PORT']]);
    }

    /** @param list<class-string> $classes */
    #[DataProvider('libraries')]
    public function testAFormAndItsFilesAreTrees(array $classes): void
    {
        $app = new App(static fn (): ResponseInterface => new Response(204));
        $loopback = $this->server($app, self::factories($classes));
        $part = static fn (string $head, string $body): string => "--b\r\nContent-Disposition: form-data; $head\r\n\r\n$body\r\n";
        $loopback->request('POST', '/', ['Content-Type' => 'multipart/form-data; boundary=b'], $part('name="tags[]"', 'one') . $part('name="tags[]"', 'two')
            . $part('name="photos[front]"; filename="f.txt"', 'front bytes') . $part('name="photos[back]"; filename="b.txt"', 'back bytes') . "--b--\r\n");
        $loopback->request('POST', '/', ['Content-Type' => 'application/x-www-form-urlencoded; charset=utf-8'], 'a[b]=1&c=%26+d');
        $loopback->request('POST', '/', ['Content-Type' => 'application/json'], '{"a":1}');

        [$form, $urlencoded, $json] = $app->asked;
        self::assertSame(['tags' => ['one', 'two']], $form->getParsedBody());
        $photos = $form->getUploadedFiles()['photos'];
        self::assertIsArray($photos);
        self::assertSame(['front', 'back'], array_keys($photos));
        $front = $photos['front'];
        self::assertInstanceOf(UploadedFileInterface::class, $front);
        self::assertSame(['f.txt', 'text/plain', 11, 'front bytes'], [$front->getClientFilename(), $front->getClientMediaType(), $front->getSize(), (string) $front->getStream()]);
        $to = tempnam(sys_get_temp_dir(), 'tusk');
        $front->moveTo($to);
        self::assertSame('front bytes', file_get_contents($to));
        unlink($to);
        self::assertThrows(static fn () => $front->moveTo($to), 'moved already');
        self::assertThrows(static fn () => $front->getStream(), 'was moved');
        $back = $photos['back'];
        self::assertInstanceOf(UploadedFileInterface::class, $back);
        self::assertThrows(static fn () => $back->moveTo('/no/such/folder/b.txt'), '/no/such/folder/b.txt');
        if (is_writable('/dev/full')) {
            self::assertThrows(static fn () => $back->moveTo('/dev/full'), 'cannot be written to /dev/full whole');
        }
        self::assertSame('back bytes', (string) $back->getStream());
        self::assertSame(['a' => ['b' => '1'], 'c' => '& d'], $urlencoded->getParsedBody());
        self::assertSame('a[b]=1&c=%26+d', (string) $urlencoded->getBody());
        self::assertNull($json->getParsedBody());
        self::assertSame('{"a":1}', $json->getBody()->getContents());
    }

    /** RFC 9110, 15.5.22 and 7.8. */
    public function testAnAnswerThatDemandsAnUpgradeSaysWhich(): void
    {
        foreach ([426 => true, 200 => false] as $status => $kept) {
            $answer = $this->server(new App(static fn (): ResponseInterface => new Response($status, ['Connection' => 'upgrade', 'Upgrade' => 'other/1'])))
                ->raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            self::assertSame($kept, str_contains($answer, "\r\nUpgrade: other/1\r\n"), (string) $status);
            self::assertSame($kept, str_contains($answer, "\r\nConnection: upgrade\r\n"), (string) $status);
        }
    }

    public function testTheServersFieldsAndThoseOfTheConnectionAreNotTheApplications(): void
    {
        $loopback = $this->server(new App(static fn (): ResponseInterface => new Response(201, [
            'Content-Length' => '999', 'Transfer-Encoding' => 'gzip', 'Connection' => 'close, X-Hop', 'X-Hop' => '1', 'Keep-Alive' => '5', 'Date' => 'now',
            'Set-Cookie' => ['a=1', 'b=2'], 'X-Own' => 'kept',
        ], 'made')));
        $answer = $loopback->raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n");

        self::assertStringStartsWith("HTTP/1.1 201 Created\r\n", $answer);
        self::assertStringContainsString("\r\nContent-Length: 4\r\n", $answer);
        self::assertStringContainsString("\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n", $answer);
        self::assertStringContainsString("\r\nX-Own: kept\r\n", $answer);
        self::assertDoesNotMatchRegularExpression('~X-Hop|Keep-Alive|gzip|999|Date: now~', $answer);
    }

    /** @return iterable<string, array{0: string, 1: int, 2: string, 3: string, 4: string, 5?: string}> method, status, body, what the head has, what it has not, the application's length */
    public static function bodiless(): iterable
    {
        yield '204' => ['GET', 204, 'left out', 'HTTP/1.1 204 No Content', 'Content-Length'];
        yield '304' => ['GET', 304, 'left out', "ETag: \"v\"\r\n", 'left out'];
        yield 'HEAD' => ['HEAD', 200, 'twelve bytes', "Content-Length: 12\r\n", 'twelve'];
        yield 'HEAD whose body the application left out' => ['HEAD', 200, '', 'Transfer-Encoding: chunked', 'Content-Length'];
        yield 'HEAD whose length alone the application says' => ['HEAD', 200, '', "Content-Length: 1000\r\n", 'chunked', '1000'];
        yield 'HEAD with a length that is none' => ['HEAD', 200, '', 'Transfer-Encoding: chunked', 'Content-Length', '1000, 1000'];
    }

    #[DataProvider('bodiless')]
    public function testAnAnswerWithoutABodySaysNoLengthThatIsNotTrue(string $method, int $status, string $body, string $has, string $hasNot, ?string $length = null): void
    {
        $fields = ['ETag' => '"v"'] + ($length === null ? [] : ['Content-Length' => $length]);
        $loopback = $this->server(new App(static fn (): ResponseInterface => new Response($status, $fields, $body)));
        $answer = $loopback->raw("$method / HTTP/1.1\r\nHost: a\r\n\r\n");

        self::assertStringContainsString($has, $answer);
        self::assertStringNotContainsString($hasNot, $answer);
        self::assertStringEndsWith("\r\n\r\n", $answer);
    }

    public function testALongBodyOfAKnownSizeSaysIt(): void
    {
        $answer = $this->server(new App(static fn (): ResponseInterface => new Response(200, ['Content-Length' => '7'], str_repeat('x', 400_000))))->request('GET', '/');
        self::assertSame([400_000, '400000', null], [strlen($answer->body), $answer->header('content-length'), $answer->header('transfer-encoding')]);

        $said = $this->server(new App(static fn (): ResponseInterface => (new Response(200, ['Content-Length' => '300000']))->withBody(new Slow(300_000))))->request('GET', '/');
        self::assertSame([300_000, '300000'], [strlen($said->body), $said->header('content-length')]);
    }

    public function testABodyOfUnknownSizeLeavesInPiecesWithoutBeingAskedForAsAWhole(): void
    {
        $body = new Slow(300_000);
        $loopback = $this->server(new App(static fn (): ResponseInterface => (new Response(200, ['Content-Type' => 'text/plain']))->withBody($body)));
        $answer = $loopback->request('GET', '/');

        self::assertSame([200, 300_000, 'text/plain', 'chunked'], [$answer->status, strlen($answer->body), $answer->header('content-type'), $answer->header('transfer-encoding')]);
        self::assertTrue($body->closed);
        self::assertSame([], $this->faults);
    }

    public function testALongBodyLeavesInPiecesAndAShortOneAtOnceBothWithTheirLength(): void
    {
        $loopback = $this->server(new App(static fn (ServerRequestInterface $r): ResponseInterface => new Response(200, [], str_repeat('y', (int) $r->getUri()->getQuery()))), wholeBytes: 1000);

        self::assertSame(['1000', null], [$loopback->request('GET', '/?1000')->header('content-length'), $loopback->request('GET', '/?1000')->header('transfer-encoding')]);
        $long = $loopback->request('GET', '/?1001');
        self::assertSame(['1001', null, str_repeat('y', 1001)], [$long->header('content-length'), $long->header('transfer-encoding'), $long->body]);
    }

    public function testATypeThatTheApplicationDoesNotTellIsNotMadeUp(): void
    {
        $loopback = $this->server(new App(static fn (ServerRequestInterface $r): ResponseInterface => new Response(200, [], str_repeat('y', (int) $r->getUri()->getQuery()))), wholeBytes: 1000);
        foreach (['/?1000', '/?1001'] as $target) {
            self::assertNull($loopback->request('GET', $target)->header('content-type'), $target);
        }
    }

    public function testABodyThatWasReadIsSentFromItsBeginning(): void
    {
        $loopback = $this->server(new App(static function (): ResponseInterface {
            $response = new Response(200, [], 'whole');
            $response->getBody()->read(3);

            return $response;
        }));
        self::assertSame('whole', $loopback->request('GET', '/')->body);
    }

    public function testAFaultInTheMiddleOfABodyCutsTheAnswer(): void
    {
        $loopback = $this->server(new App(static fn (): ResponseInterface => (new Response())->withBody(new Slow(200_000, new \RuntimeException('lost the rest')))));
        $answer = $loopback->raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n");

        self::assertStringStartsWith('HTTP/1.1 200 OK', $answer);
        self::assertStringEndsNotWith("0\r\n\r\n", $answer);
        self::assertSame(['lost the rest'], $this->faults);
    }

    public function testAnExceptionOfTheApplicationGoesToOnErrorAndIts500IsTheServers(): void
    {
        $loopback = $this->server(new App(static fn (): ResponseInterface => throw new \DomainException('no such shop')));

        self::assertSame(500, $loopback->request('GET', '/')->status);
        self::assertSame(['no such shop'], $this->faults);
    }

    public function testAStatusThatHttpDoesNotKnowIsAFaultOfTheApplication(): void
    {
        $loopback = $this->server(new App(static fn (): ResponseInterface => new Response(199)));

        self::assertSame(500, $loopback->request('GET', '/')->status);
        self::assertCount(1, $this->faults);
    }

    public function testWhatTheLibraryTakesForNoAddressIs400AndNobodysException(): void
    {
        $factory = new Psr17Factory();
        $strict = new class () implements \Psr\Http\Message\ServerRequestFactoryInterface {
            /** @param array<mixed> $serverParams */
            public function createServerRequest(string $method, $uri, array $serverParams = []): ServerRequestInterface
            {
                throw new \InvalidArgumentException("no URI: \u{1}");
            }
        };
        $app = new App(static fn (): ResponseInterface => new Response());
        $answer = $this->server($app, new Factories($strict, $factory))->request('GET', '/');

        self::assertSame([400, "Bad Request: no URI: ?\n"], [$answer->status, $answer->body]);
        self::assertSame([[], []], [$app->asked, $this->faults]);
    }

    public function testAHandlerThatWaitsHoldsNobodyUp(): void
    {
        $order = [];
        $server = new Server(listen: '127.0.0.1:0');
        (new Handler(new App(static function () use (&$order): ResponseInterface {
            Timer::sleep(0.02);
            $order[] = 'waited';

            return new Response(200, [], 'rested');
        })))->on($server);
        Timer::delay(0.001, static function () use (&$order): void {
            $order[] = 'meanwhile';
        });

        self::assertSame('rested', (new Loopback($server))->request('GET', '/')->body);
        self::assertSame(['meanwhile', 'waited'], $order);
    }

    public function testRoutesOfTheServerStandBeforeTheApplication(): void
    {
        $server = new Server(listen: '127.0.0.1:0');
        $server->get('/own', static fn (): \Tusk\Http\Response => \Tusk\Http\Response::text('own'));
        (new Handler(new App(static fn (): ResponseInterface => new Response(200, [], 'application'))))->on($server);
        $loopback = new Loopback($server);

        self::assertSame(['own', 'application', 'application'], [$loopback->request('GET', '/own')->body, $loopback->request('GET', '/other')->body, $loopback->request('PATCH', '/')->body]);
    }

    public function testAMethodThatARouteHasNotIsTheApplications(): void
    {
        $server = new Server(listen: '127.0.0.1:0');
        $server->get('/notes', static fn (): \Tusk\Http\Response => \Tusk\Http\Response::text('own'));
        $server->files('/assets', __DIR__);
        $server->get('/shared', static fn (): \Tusk\Http\Response => \Tusk\Http\Response::text('own'));
        $handler = new Handler(new App(static fn (ServerRequestInterface $request): ResponseInterface => new Response(200, [], 'application: ' . $request->getMethod())));
        $handler->on($server);
        $server->options('/shared', $handler->handle(...));
        $loopback = new Loopback($server);

        self::assertSame('own', $loopback->request('GET', '/notes')->body);
        self::assertSame('application: PUT', $loopback->request('PUT', '/notes')->body);
        self::assertSame('application: POST', $loopback->request('POST', '/assets/App.php')->body);
        self::assertSame('application: GET', $loopback->request('GET', '/assets/none')->body);
        self::assertSame(204, $loopback->request('OPTIONS', '/notes')->status);
        self::assertSame('application: OPTIONS', $loopback->request('OPTIONS', '/shared')->body);
    }

    public function testFactoriesThatAreNotThereAreNamed(): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage('StreamFactoryInterface');
        Factories::of(new class () implements \Psr\Http\Message\ServerRequestFactoryInterface {
            /** @param array<mixed> $serverParams */
            public function createServerRequest(string $method, $uri, array $serverParams = []): ServerRequestInterface
            {
                throw new \LogicException();
            }
        });
    }

    public function testFactoriesAreFound(): void
    {
        self::assertInstanceOf(Psr17Factory::class, Factories::found()->requests);
    }

    private static function assertThrows(\Closure $do, string $message): void
    {
        try {
            $do();
        } catch (\RuntimeException $fault) {
            self::assertStringContainsString($message, $fault->getMessage());

            return;
        }
        self::fail("nothing was thrown that says: $message"); // which is a RuntimeException
    }

    private function server(App $app, ?Factories $factories = null, int $wholeBytes = 262_144): Loopback
    {
        $server = new Server(listen: '127.0.0.1:0');
        (new Handler($app, $factories, $wholeBytes))->on($server);
        $server->onError(function (\Throwable $fault): void {
            $this->faults[] = $fault->getMessage();
        });

        return new Loopback($server);
    }

    /** @param list<class-string> $classes */
    private static function factories(array $classes): Factories
    {
        if (!class_exists($classes[0])) {
            self::markTestSkipped(explode('\\', $classes[0])[0] . ' is not here');
        }

        return Factories::of(...array_map(static fn (string $class): object => new $class(), $classes));
    }
}
