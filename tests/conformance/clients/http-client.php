<?php

declare(strict_types=1);

// Reads orders, one line each: {"method": "GET", "url": "...", "headers": {name: value}, "body": base64} and perhaps "timeout" in
// seconds and "maxBody" in bytes. Writes one line for each: {"status": 200, "headers": {name: base64}, "body": base64}, or {"error": text}. The
// argument, if there is one, is the file with the authority of whom it asks over https.

use Tusk\Http\Client;

stream_set_timeout(STDIN, -1); // it may be a socket, whose reads end after default_socket_timeout: who is asked nothing for a minute would be gone
$clients = [];
while (($line = fgets(STDIN)) !== false) {
    $order = json_decode($line, true, 8, JSON_THROW_ON_ERROR);
    try {
        [$timeout, $most] = [(float) ($order['timeout'] ?? 20.0), $order['maxBody'] ?? 32 << 20];
        $client = $clients["$timeout $most"] ??= new Client(timeout: $timeout, maxBody: $most, ca: $argv[1] ?? null); // over TLS each has connections of its own
        $answer = $client->request($order['method'], $order['url'], $order['headers'], base64_decode($order['body'], true));
        $told = ['status' => $answer->status, 'headers' => (object) array_map(base64_encode(...), $answer->headers), 'body' => base64_encode($answer->body)];
    } catch (Throwable $fault) {
        $told = ['error' => $fault->getMessage()];
    }
    echo json_encode($told, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
