<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Psr;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;

/** The bridge, against Slim itself, in a process of its own: TUSK_SLIM names the autoload.php of a project that has slim/slim 4 and nyholm/psr7. */
#[CoversClass(\Tusk\Bridge\Psr\Handler::class)]
final class SlimTest extends TestCase
{
    private const PROGRAM = <<<'PHP'
        require getenv('TUSK_SLIM');
        require getenv('TUSK_LIBRARY');
        $app = Slim\Factory\AppFactory::create();
        $app->addBodyParsingMiddleware();
        $app->addRoutingMiddleware();
        $app->add(fn ($request, $next) => $next->handle($request)->withHeader('X-Middleware', 'ran'));
        $app->addErrorMiddleware(false, false, false);
        $app->get('/hello/{name}', function ($request, $response, array $names) {
            Tusk\Timer::sleep(0.001);
            $response->getBody()->write("Hello, {$names['name']}");
            return $response;
        });
        $app->post('/json', function ($request, $response) {
            $response->getBody()->write(json_encode($request->getParsedBody()));
            return $response->withHeader('Content-Type', 'application/json');
        });
        $server = new Tusk\Server(listen: '127.0.0.1:0');
        (new Tusk\Bridge\Psr\Handler($app))->on($server);
        $loopback = new Tusk\Testing\Loopback($server);
        $told = [];
        foreach ([['GET', '/hello/Mara'], ['HEAD', '/hello/Mara'], ['GET', '/nothing'], ['DELETE', '/hello/x'], ['POST', '/json', ['Content-Type' => 'application/json'], '{"a":[1]}']] as $asked) {
            $answer = $loopback->request(...$asked);
            $told[] = [$answer->status, strlen($answer->body) < 100 ? $answer->body : 'a page', $answer->header('x-middleware'), $answer->status < 400 ? $answer->header('content-length') : null];
        }
        echo json_encode($told);
        PHP;

    public function testRoutesMiddlewaresAndErrorPagesAreSlims(): void
    {
        $autoload = getenv('TUSK_SLIM');
        if ($autoload === false || !is_file($autoload)) {
            self::markTestSkipped('Slim is not here: TUSK_SLIM=/path/to/vendor/autoload.php names it');
        }
        $root = dirname(__DIR__, 4);
        $process = proc_open(
            [PHP_BINARY, '-d', "extension=$root/build/ext/modules/tusk.so", '-r', self::PROGRAM],
            [1 => ['pipe', 'w']],
            $pipes,
            null,
            ['TUSK_SLIM' => $autoload, 'TUSK_LIBRARY' => "$root/php/autoload.php"],
        );
        self::assertIsResource($process);
        $told = json_decode((string) stream_get_contents($pipes[1]), true);
        proc_close($process);

        self::assertSame([
            [200, 'Hello, Mara', 'ran', '11'],
            [200, '', 'ran', null],
            [404, 'a page', null, null],
            [405, 'a page', null, null],
            [200, '{"a":[1]}', 'ran', '9'],
        ], $told);
    }
}
