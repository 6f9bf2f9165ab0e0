<?php
// SPDX-License-Identifier: MIT
// Tusk with a page of 7 KB and eight header lines: `/` is made once, as the chat's is; `/anew` for every request. PORT
declare(strict_types=1);

use Tusk\Http\Response;
use Tusk\{Limits, Server};

$html = str_repeat("<p>A line of the page, as long as lines are.</p>\n", 146);
$headers = [
    'Content-Type' => 'text/html; charset=utf-8',
    'Cache-Control' => 'no-cache',
    'Content-Security-Policy' => "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    'Cross-Origin-Opener-Policy' => 'same-origin',
    'Permissions-Policy' => 'camera=(), microphone=(), geolocation=()',
    'X-Content-Type-Options' => 'nosniff',
    'Referrer-Policy' => 'same-origin',
];
$once = new Response(200, $html, $headers);

$server = new Server(listen: "127.0.0.1:{$argv[1]}", limits: new Limits(connections: 1000));
$server->get('/', static fn (): Response => $once);
$count = 0;
$server->get('/anew', static function () use ($html, $headers, &$count): Response {
    return new Response(200, $html, ['X-Request' => (string) ++$count] + $headers);
});
exit($server->run());
