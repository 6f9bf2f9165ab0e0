<?php

// An interface that pages of another origin may ask, cookies included: php examples/cors.php 8080

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\Http\{Request, Response};
use Tusk\Server;

$origins = ['https://app.example.org'];

// What is said to the pages of these origins; others get the answer without it, and their browsers keep it from them.
$allowed = function (Request $r, Response $answer) use ($origins): Response {
    $answer = $answer->withAddedHeader('Vary', 'Origin');
    $origin = $r->header('origin');
    return !in_array($origin, $origins, true) ? $answer : $answer
        ->withHeader('Access-Control-Allow-Origin', $origin)
        ->withHeader('Access-Control-Allow-Credentials', 'true');
};
$cors = fn (Closure $next): Closure => fn (Request $r): Response => $allowed($r, $next($r));

$server = new Server(listen: "127.0.0.1:$argv[1]");
$server->options('/api/{rest*}', fn (Request $r): Response => $allowed($r, new Response(204, '', [ // the browser asks before it asks
    'Access-Control-Allow-Methods' => 'GET, PUT, DELETE',
    'Access-Control-Allow-Headers' => 'Content-Type, Authorization',
    'Access-Control-Max-Age' => '600',
])));
$server->get('/api/notes/{id}', $cors(fn (Request $r): Response => Response::json(['id' => $r->params['id']])));
$server->put('/api/notes/{id}', $cors(fn (Request $r): Response => new Response(204)));
$server->onListen(fn (Server $s) => print("As a page of another origin: curl -i -H 'Origin: https://app.example.org' http://127.0.0.1:$s->port/api/notes/7\n"));
exit($server->run());
