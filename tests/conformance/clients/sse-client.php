<?php

declare(strict_types=1);

// Reads orders, one line each: {"open": url, "headers": {name: value}, "lastEventId": text or null, "retryOnErrorStatus": bool} listens
// until {"stop": true}. Writes one line for each {"event": {"type": base64, "data": base64, "id": base64}}, {"closed": last event id in
// base64} when the stream failed for good, {"stopped": last event id in base64} when it was told to.

use Tusk\Sse\Client;

/** @return array<string, mixed>|null null: none waits */
function order(bool $waits): ?array
{
    $read = [STDIN];
    $none = null;
    if (!$waits && stream_select($read, $none, $none, 0) !== 1) {
        return null;
    }
    $line = fgets(STDIN);

    return $line === false ? exit(0) : json_decode($line, true, 8, JSON_THROW_ON_ERROR);
}

/** @param array<string, mixed> $told */
function tell(array $told): void
{
    echo json_encode($told, JSON_THROW_ON_ERROR), "\n";
}

stream_set_timeout(STDIN, -1); // it may be a socket, whose reads end after default_socket_timeout: who is asked nothing for a minute would be gone
while (true) {
    $order = order(true);
    if (!isset($order['open'])) {
        tell(['stopped' => '']); // it crossed our word that the stream has failed
        continue;
    }
    $client = new Client($order['open'], $order['headers'], $order['lastEventId'], $order['retryOnErrorStatus'], retryMin: 0.01);
    while (true) {
        $event = $client->receive(0.01);
        if ($event !== null) {
            tell(['event' => array_map(base64_encode(...), ['type' => $event->type, 'data' => $event->data, 'id' => $event->lastEventId])]);
        } elseif ($client->state() === Client::CLOSED) {
            tell(['closed' => base64_encode($client->lastEventId())]);
            break;
        } elseif (order(false) !== null) {
            tell(['stopped' => base64_encode($client->lastEventId())]);
            $client->close();
            break;
        }
    }
}
