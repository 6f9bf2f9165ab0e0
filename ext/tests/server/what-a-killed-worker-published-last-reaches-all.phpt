--TEST--
What a worker published in its last moment, and had not announced, reaches the subscribers of the others at once, not with the next publication
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';

ini_set('error_log', '/dev/null');
$server = telling(2);
$server->post('/last', function (Tusk\Http\Request $r) use ($server): void {
    $server->publish('t', $r->body);
    posix_kill(getmypid(), SIGKILL);
});
beside($server, function (int $port): void {
    $subscribers = subscribers($port, 2, true);
    foreach (['one', 'two', 'three'] as $words) {
        // Whoever takes it is killed: its subscriber comes back to anybody, and hears it from the history; the others live.
        $peer = stream_socket_client("tcp://127.0.0.1:$port", timeout: 10);
        fwrite($peer, "POST /last HTTP/1.1\r\nHost: a\r\nContent-Length: " . strlen($words) . "\r\n\r\n$words");
        foreach ($subscribers as $n => $subscriber) {
            while (($text = $subscriber->next()) === '(end)') {
                $subscriber = $subscribers[$n] = new Subscriber($port, true, $subscriber->cursor);
            }
            echo $text === $words ? '' : "$text\n";
        }
        until(fn () => count(whoAre($port, 2)) === 2, 'two workers');
    }
    echo "heard\n";
});
?>
--EXPECT--
heard
run: 0
the application waits for its own child: found
