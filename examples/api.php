<?php

// A small JSON interface, an upload that streams back, and files: php examples/api.php 8080 [FOLDER]

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\{Limits, Server, Timer};
use Tusk\Http\{Request, Response};

$server = new Server(listen: "127.0.0.1:$argv[1]", limits: new Limits(bodyBytes: 1 << 20));
/** @var ArrayObject<string, array{id: string, text: string}> $notes */
$notes = new ArrayObject();

$server->get('/notes', fn (): Response => Response::json(array_values($notes->getArrayCopy())));
$server->get('/notes/{id}', function (Request $r) use ($notes): Response {
    $note = $notes[$r->params['id']] ?? null;
    return $note === null ? Response::json(['error' => 'no such note'], 404) : Response::json($note);
});
$server->post('/notes', function (Request $r) use ($notes): Response {
    try {
        $body = $r->json();
    } catch (JsonException $e) {
        return Response::json(['error' => $e->getMessage()], 400);
    }
    $text = is_array($body) ? $body['text'] ?? '' : '';
    if (!is_string($text) || $text === '') {
        return Response::json(['error' => 'a note has a text'], 422);
    }
    $id = (string) (count($notes) + 1);
    $notes[$id] = ['id' => $id, 'text' => $text];
    return Response::json($notes[$id], 201)->withHeader('Location', "/notes/$id");
});
$server->delete('/notes/{id}', function (Request $r) use ($notes): Response {
    unset($notes[$r->params['id']]);
    return new Response(204);
});
$server->get('/count', function (Request $r): Response {
    $count = function (int $to): Generator {
        for ($i = 1; $i <= $to; $i++) {
            yield "$i\n";
            Timer::sleep(0.01); // parks this handler; others are served
        }
    };
    return Response::stream($count(min(100, (int) ($r->query('to') ?? 3))), 'text/plain');
});
if (isset($argv[2])) {
    $server->files('/', $argv[2], cacheControl: 'public, max-age=60');
}
$server->onListen(fn (Server $s) => print("Leave a note: curl -d '{\"text\":\"milk\"}' http://127.0.0.1:$s->port/notes\n"));
exit($server->run());
