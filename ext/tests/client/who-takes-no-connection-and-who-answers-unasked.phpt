--TEST--
A server that takes no connection is said to be that, at the client's timeout; what one says unasked on a connection that is kept answers no later request
--EXTENSIONS--
tusk
sockets
pcntl
posix
--FILE--
<?php
$full = socket_create(AF_INET, SOCK_STREAM, 0);
socket_bind($full, '127.0.0.1', 0);
socket_listen($full, 0);
socket_getsockname($full, $host, $port);
$waiting = [];
for ($i = 0; $i < 3; $i++) { // more than the backlog: who comes then waits for the kernel
    socket_set_nonblock($waiting[] = $socket = socket_create(AF_INET, SOCK_STREAM, 0));
    @socket_connect($socket, '127.0.0.1', $port);
}
$say = static function (callable $call) use ($port): void {
    try {
        echo $call(), "\n";
    } catch (Tusk\Exception $e) {
        echo str_replace((string) $port, 'PORT', $e->getMessage()), "\n";
    }
};
$say(static fn () => (new Tusk\WebSocket\Client("ws://127.0.0.1:$port/", timeout: 0.2))->receive());
$say(static fn () => (new Tusk\Http\Client(timeout: 0.2))->get("http://127.0.0.1:$port/"));
$say(static fn () => json_encode((new Tusk\Sse\Client("http://127.0.0.1:$port/"))->receive(0.2)));

$listener = stream_socket_server('tcp://127.0.0.1:0');
$server = pcntl_fork();
if ($server === 0) {
    for ($n = 1; $kept = stream_socket_accept($listener, 60); $n++) {
        for ($answer = 1; ($line = fgets($kept)) !== false; ) {
            if ($line === "\r\n") {
                $unasked = $answer < 2 ? '' : "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nunasked";
                fwrite($kept, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n$n.$answer$unasked");
                $answer++;
            }
        }
    }
}
$client = new Tusk\Http\Client(timeout: 20.0);
$url = 'http://' . stream_socket_get_name($listener, false) . '/';
for ($i = 0; $i < 3; $i++) {
    echo $client->get($url)->body, ' ', $client->get($url)->body, "\n";
}
posix_kill($server, SIGKILL);
pcntl_waitpid($server, $status);
?>
--EXPECT--
Cannot connect to ws://127.0.0.1:PORT/ (connect): no connection in time
Cannot request http://127.0.0.1:PORT/ (connect): no connection in time
null
1.1 1.2
2.1 2.2
3.1 3.2
