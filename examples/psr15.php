<?php

// An application of PSR-15 in a Tusk server, beside a route of its own: php examples/psr15.php 8080. It needs Composer's nyholm/psr7 and
// psr/http-server-handler, which a checkout has in php/vendor.

declare(strict_types=1);

require __DIR__ . '/load.php';
require dirname(__DIR__) . '/php/vendor/autoload.php';

use Nyholm\Psr7\Response;
use Nyholm\Psr7\Stream;
use Psr\Http\Message\{ResponseInterface, ServerRequestInterface, UploadedFileInterface};
use Psr\Http\Server\RequestHandlerInterface;
use Tusk\Bridge\Psr\Handler;
use Tusk\{Server, Timer};
use Tusk\Sse\EventStream;

/** In place of Slim's or Mezzio's: anything that takes a PSR-7 request and gives a response. */
final class Shop implements RequestHandlerInterface
{
    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        $at = $request->getMethod() . ' ' . $request->getUri()->getPath();

        return match ($at) {
            'GET /' => new Response(200, ['Content-Type' => 'text/plain'], 'Hello, ' . ($request->getCookieParams()['name'] ?? 'stranger') . "\n"),
            'GET /slow' => self::slow(),
            'GET /export' => new Response(200, ['Content-Type' => 'text/csv'], Stream::create(str_repeat("1,tea,3.50\n", 100_000))), // 1.1 MB: leaves in pieces
            'POST /photos' => self::photos($request),
            'GET /broken' => throw new LogicException('a fault of the shop'),
            default => new Response(404, ['Content-Type' => 'text/html'], '<h1>No such page</h1>'),
        };
    }

    private static function slow(): ResponseInterface
    {
        Timer::sleep(0.1); // others are served meanwhile

        return new Response(200, ['Content-Type' => 'text/plain'], "rested\n");
    }

    private static function photos(ServerRequestInterface $request): ResponseInterface
    {
        $names = [];
        foreach ($request->getUploadedFiles()['photos'] ?? [] as $photo) {
            if ($photo instanceof UploadedFileInterface) {
                $names[] = "{$photo->getClientFilename()}, {$photo->getSize()} bytes";
            }
        }

        return new Response(201, ['Content-Type' => 'application/json'], json_encode(['fields' => $request->getParsedBody(), 'photos' => $names], JSON_THROW_ON_ERROR));
    }
}

$server = new Server(listen: "127.0.0.1:$argv[1]");
$server->events('/events', fn (EventStream $s) => $s->subscribe('news'));
(new Handler(new Shop()))->on($server); // all that no route of the server answers
$server->onError(fn (Throwable $e) => $e->getMessage() === 'a fault of the shop' ? Tusk\Http\Response::html('<h1>We are sorry</h1>', 500) : null);
$server->onListen(fn (Server $s) => print("An application answers: curl http://127.0.0.1:$s->port/\n"));
exit($server->run());
