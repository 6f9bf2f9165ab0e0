<?php

// HTTP handlers for cases that the examples have no page for: app.php PORT [FOLDER with cert.pem and key.pem]

declare(strict_types=1);

use Tusk\Http\Request;
use Tusk\Http\Response;
use Tusk\Limits;
use Tusk\Server;
use Tusk\Timer;
use Tusk\Tls;

$tls = isset($argv[2]) ? new Tls("$argv[2]/cert.pem", "$argv[2]/key.pem") : null;
$server = new Server("127.0.0.1:$argv[1]", tls: $tls, limits: new Limits(bodyBytes: 4 << 20, queuedBytes: 8 << 20, historyBytes: 64 << 10));
$echo = static fn (Request $r): Response => new Response(200, $r->body, ['Content-Type' => 'application/octet-stream', 'X-Method' => $r->method]);
$server->post('/echo', $echo);
$server->put('/echo', $echo);
$server->patch('/echo', $echo);
$server->delete('/echo', $echo);
$server->websocket('/asked', message: static fn ($c, string $message) => $c->send($message), authorize: static fn (): ?string => null);
$server->post('/file', static fn (): Response => Response::file(__FILE__, 'text/plain'));
$server->get('/', static fn (): Response => Response::text('app'));
$server->get('/stream', static fn (): Response => Response::stream(['one ', '', 'two ', 'three'], 'text/plain'));
$server->get('/status/{code}', static fn (Request $r): Response => new Response((int) $r->params['code'], 'body'));
$server->get('/streamed/{code}', static fn (Request $r): Response => Response::stream(['bo', 'dy'], 'text/plain', (int) $r->params['code']));
$server->get('/both', static fn (): Response => Response::text('page'));
$server->websocket('/both', message: static fn ($c, string $message) => $c->send($message));
$server->post('/both', static fn (Request $r): Response => Response::text("posted $r->body"));
$server->get('/upgrade', static fn (): Response => new Response(426, 'speak another', ['Upgrade' => 'other/1']));
$server->get('/field', static fn (Request $r): Response => new Response(200, 'field', ['X-Value' => (string) $r->query('value')]));
$server->get('/redirect', static fn (Request $r): Response => Response::redirect((string) $r->query('to')));
$server->get('/seen', static fn (Request $r): Response => Response::json(['target' => $r->target, 'path' => $r->path, 'headers' => $r->headers, 'query' => $r->queryAll()]));
$server->get('/late', static function (): Response {
    Timer::sleep(0.2);

    return Response::text('late');
});
$server->onError(static fn () => null); // what the cases provoke
exit($server->run());
