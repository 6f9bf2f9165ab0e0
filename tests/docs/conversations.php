<?php

// SPDX-License-Identifier: MIT
// What somebody says to each example of the documents, and what comes back.

declare(strict_types=1);

use Tusk\Tests\Docs\Conversation as Talk;

return [
    'hello.php' => function (Talk $talk): void {
        $socket = $talk->webSocket('/ws');
        Talk::holds('new EventSource("/events")', $talk->http('GET', '/'));
        Talk::holds('{"position":"', $talk->http('POST', '/news', 'one'));
        Talk::same('one', $socket());
        $socket('two');
        Talk::same('two', $socket());
        preg_match('~"position":"(\w+):\d+"~', $talk->http('POST', '/news', 'three'), $m);
        $events = $talk->events('/events', "data: three\n", "$m[1]:0"); // all that was said in this life of the server
        Talk::holds("data: one\n", $events);
        Talk::holds("id: $m[1]:2\ndata: two\n", $events);
        Talk::holds('event: reset', $talk->events('/events', 'event: reset', '0000000000000000:1')); // of another life
    },
    'existing.php' => function (Talk $talk): void {
        $form = ['Content-Type: application/x-www-form-urlencoded'];
        Talk::holds('HTTP/1.1 401 ', $talk->http('GET', '/live/me'));
        Talk::holds('HTTP/1.1 403 ', $talk->http('POST', '/live/log-in', 'name=Mara&password=guess', $form));
        $in = $talk->http('POST', '/live/log-in', 'name=Mara&password=open+sesame', $form);
        Talk::same(1, preg_match('~Set-Cookie: (session=\w{32}); Max-Age=3600; Path=/; HttpOnly; SameSite=Lax\r\n~', $in, $cookie));
        Talk::same(1, preg_match('~"ticket":"([^"]+)"~', $talk->http('GET', '/live/me', '', ["Cookie: $cookie[1]"]), $ticket));
        $socket = $talk->webSocket("/live/ws?ticket=$ticket[1]");
        foreach (['', 'x', "x$ticket[1]", "$ticket[1]x"] as $forged) {
            Talk::holds('HTTP/1.1 401 ', $talk->http('GET', "/live/events?ticket=$forged"));
        }
        Talk::holds('HTTP/1.1 403 ', $talk->http('POST', '/publish/user.Mara', 'by a stranger'));
        $publish = curl_init('http://localhost/publish/user.Mara');
        curl_setopt_array($publish, [CURLOPT_UNIX_SOCKET_PATH => "$talk->folder/publish.sock", CURLOPT_POSTFIELDS => 'your order left', CURLOPT_RETURNTRANSFER => true]);
        Talk::holds('{"position":"', (string) curl_exec($publish));
        Talk::same('your order left', $socket());
        Talk::holds('Max-Age=0', $talk->http('POST', '/live/log-out', '', ["Cookie: $cookie[1]"]));
        Talk::holds('HTTP/1.1 401 ', $talk->http('GET', '/live/me', '', ["Cookie: $cookie[1]"]));
    },
    'psr15.php' => function (Talk $talk): void {
        Talk::holds("\r\n\r\nHello, stranger\n", $talk->http('GET', '/'));
        Talk::holds("rested\n", $talk->http('GET', '/slow'));
        Talk::holds('<h1>No such page</h1>', $talk->http('GET', '/nothing'));
        $export = $talk->http('GET', '/export');
        Talk::holds('Content-Length: 1100000', $export);
        Talk::same(true, strlen($export) > 1_100_000);
        Talk::holds('HTTP/1.1 500 ', $talk->http('GET', '/broken'));
    },
    'revolt.php' => function (Talk $talk): void {
        Talk::holds("at once\nrested\n", $talk->http('GET', '/both'));
        Talk::holds('HTTP/1.1 504 ', $talk->http('GET', '/late'));
    },
    'rooms.php' => function (Talk $talk): void {
        Talk::holds('HTTP/1.1 401 ', $talk->http('GET', '/rooms/tea', '', [
            'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: ' . base64_encode(str_repeat('k', 16)),
        ]));
        $mara = $talk->webSocket('/rooms/tea?name=Mara');
        Talk::same('Mara is here', $mara());
        $jonas = $talk->webSocket('/rooms/tea?name=Jonas');
        Talk::same('Jonas is here', $jonas());
        Talk::same('Jonas is here', $mara());
        $jonas('hello');
        Talk::same('Jonas: hello', $mara());
        Talk::holds('{"here":2,', $talk->http('GET', '/rooms/tea'));
        Talk::holds('{"here":0,', $talk->http('GET', '/rooms/coffee'));
    },
    'native.php' => function (Talk $talk): void {
        $key = 'Sec-WebSocket-Key: ' . base64_encode(str_repeat('k', 16));
        $refused = $talk->http('GET', '/', '', ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13', $key]);
        Talk::holds('HTTP/1.1 401 ', $refused);
        Talk::holds('Who are you?', $refused);
        $socket = $talk->webSocket('/', ['Authorization: Bearer secret', 'Sec-WebSocket-Protocol: chat.v1, chat.v2']);
        Talk::same('welcome, you speak chat.v1', $socket());
        $socket('hello');
        Talk::same('hello', $socket());
        $socket('bye');
        Talk::same(1000, $socket());
    },
    'api.php' => function (Talk $talk): void {
        file_put_contents("$talk->folder/page.html", '<h1>hi</h1>');
        Talk::holds("HTTP/1.1 201 Created", $made = $talk->http('POST', '/notes', '{"text":"milk"}'));
        Talk::holds("Location: /notes/1\r\n", $made);
        Talk::holds('[{"id":"1","text":"milk"}]', $talk->http('GET', '/notes'));
        Talk::holds('HTTP/1.1 422 ', $talk->http('POST', '/notes', '{}'));
        Talk::holds('HTTP/1.1 400 ', $talk->http('POST', '/notes', '{'));
        Talk::holds('HTTP/1.1 413 ', $talk->http('POST', '/notes', str_repeat(' ', (1 << 20) + 1)));
        Talk::holds('HTTP/1.1 204 ', $talk->http('DELETE', '/notes/1'));
        Talk::holds('HTTP/1.1 404 ', $talk->http('GET', '/notes/1'));
        Talk::holds("Allow: GET, HEAD, DELETE, OPTIONS\r\n", $talk->http('PATCH', '/notes/1'));
        Talk::holds("2\r\n1\n\r\n2\r\n2\n\r\n0\r\n\r\n", $talk->http('GET', '/count?to=2'));
        Talk::holds("Cache-Control: public, max-age=60\r\n", $talk->http('GET', '/page.html'));
        Talk::holds('<h1>', $talk->http('GET', '/page.html', '', ['Range: bytes=0-3']));
        Talk::holds('HTTP/1.1 403 ', $talk->http('GET', '/../../etc/passwd'));
        Talk::holds('HTTP/1.1 400 ', $talk->http('GET', '/notes', '', ['Transfer-Encoding: chunked']));
    },
    'cors.php' => function (Talk $talk): void {
        $ours = ['Origin: https://app.example.org'];
        $asked = $talk->http('OPTIONS', '/api/notes/7', '', [...$ours, 'Access-Control-Request-Method: PUT']);
        Talk::holds('HTTP/1.1 204 ', $asked);
        Talk::holds("Access-Control-Allow-Origin: https://app.example.org\r\n", $asked);
        Talk::holds("Access-Control-Allow-Methods: GET, PUT, DELETE\r\n", $asked);
        Talk::holds("Access-Control-Allow-Credentials: true\r\n", $talk->http('PUT', '/api/notes/7', '{}', $ours));
        $foreign = $talk->http('GET', '/api/notes/7', '', ['Origin: https://evil.example']);
        Talk::same(false, str_contains($foreign, 'Access-Control'));
        Talk::holds("Vary: Origin\r\n", $foreign);
        Talk::holds('HTTP/1.1 404 ', $talk->http('GET', '/api/nothing'));
    },
    'live.php' => function (Talk $talk): void {
        Talk::holds("import { live } from '/live.js'", $talk->http('GET', '/'));
        Talk::holds('export function live(', $talk->http('GET', '/live.js'));
        $socket = $talk->webSocket('/live');
        $talk->http('POST', '/say', 'one');
        $talk->http('POST', '/say', 'two');
        $one = json_decode((string) $socket());
        Talk::same('one', $one->text);
        $back = $talk->webSocket('/live?since=' . rawurlencode($one->after));
        Talk::same($one->id, json_decode((string) $back())->id);
        Talk::same('two', json_decode((string) $back())->text);
    },
    'parallel.php' => function (Talk $talk): void {
        Talk::holds('{"user":{"id":7,"name":"user 7"},"friend":{"id":8,"name":"user 8"},"sum":500500}', $talk->http('GET', '/'));
    },
    'waiting.php' => function (Talk $talk): void {
        $slow = stream_socket_client("tcp://127.0.0.1:$talk->port");
        fwrite($slow, "GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        while (!str_ends_with(trim($talk->http('GET', '/stats')), "\n1")) {
        }
        Talk::holds('at once', $talk->http('GET', '/fast'));
        Talk::holds('rested', (string) stream_get_contents($slow));
        $quiz = $talk->webSocket('/quiz');
        Talk::same('What is six times seven?', $quiz());
        $quiz('41');
        $quiz('42');
        Talk::same('no', $quiz());
        Talk::same(1000, $quiz());
    },
    'asking.php' => function (Talk $talk): void {
        $host = ["Host: 127.0.0.1:$talk->port"];
        Talk::holds('{"status":200,"body":{"sky":"clear"}}', $talk->http('GET', '/ask/http', '', $host));
        Talk::holds('{"subprotocol":"chat.v1","text":"HELLO"}', $talk->http('GET', '/ask/websocket', '', $host));
        Talk::holds('{"type":"greeting","data":"first","id":"7"}', $talk->http('GET', '/ask/events', '', $host));
    },
    'resource.php' => function (Talk $talk): void {
        $product = $talk->http('GET', '/product?id=3');
        Talk::holds("Content-Type: application/hal+json\r\n", $product);
        Talk::holds('"pieces": 30', $product);
        Talk::holds('"href": "/maker?name=acme"', $product);
        Talk::holds('"town": "Solingen"', $talk->http('GET', '/maker?name=acme'));
        Talk::holds('HTTP/1.1 404 ', $talk->http('GET', '/nothing'));
        Talk::holds('HTTP/1.1 400 ', $talk->http('GET', '/product'));
        Talk::holds('HTTP/1.1 400 ', $talk->http('GET', '/product?id=many'));
    },
    'tls.php' => function (Talk $talk): void {
        $safe = $talk->through($talk->port, "$talk->folder/cert.pem");
        Talk::holds("safe\n", $safe->http('GET', '/'));
        $socket = $safe->webSocket('/echo');
        $socket('hello');
        Talk::same('hello', $socket());
    },
];
