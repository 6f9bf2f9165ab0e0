<?php

// Runs every example as a user does and talks to it with the clients; ends with "N passed, N failed, N skipped".

declare(strict_types=1);

use Tusk\Http\Client as Http;
use Tusk\Sse\Client as Sse;
use Tusk\WebSocket\{Client, Deflate, MessageType};

use function Tusk\Tests\free_port;

require_once __DIR__ . '/../ports.php';

$root = dirname(__DIR__, 2);
$slow = (float) (getenv('TUSK_SLOW') ?: 1);

/** A process that runs an example until the test is over. */
final class Example
{
    /** @var resource */
    private $process;
    public readonly int $port;

    /** @param string ...$arguments after the port; with "{port}" in the first one it stands there instead */
    public function __construct(string $file, string ...$arguments)
    {
        $this->port = free_port();
        $this->process = proc_open(
            [PHP_BINARY, $file, ...str_replace('{port}', (string) $this->port, str_contains($arguments[0] ?? '', '{port}') ? $arguments : ['{port}', ...$arguments])],
            [['file', '/dev/null', 'r'], STDERR, STDERR],
            $pipes,
        );
        $end = microtime(true) + 30 * $GLOBALS['slow'];
        while (!($socket = @stream_socket_client("tcp://127.0.0.1:$this->port", $code, $text, 1))) {
            if (microtime(true) > $end || !proc_get_status($this->process)['running']) {
                throw new RuntimeException("$file does not listen: $text");
            }
            usleep(5000);
        }
        fclose($socket);
    }

    public function signal(int $number): void
    {
        proc_terminate($this->process, $number);
    }

    /** SIGTERM, and the exit code. */
    public function stop(): int
    {
        proc_terminate($this->process, 15);
        $end = microtime(true) + 30 * $GLOBALS['slow'];
        while (($status = proc_get_status($this->process))['running']) {
            if (microtime(true) > $end) {
                proc_terminate($this->process, 9);
                throw new RuntimeException('it does not stop');
            }
            usleep(5000);
        }
        return $status['exitcode'];
    }

    public function __destruct()
    {
        if (proc_get_status($this->process)['running']) {
            proc_terminate($this->process, 9);
        }
    }
}

function same(mixed $expected, mixed $actual, string $what): void
{
    if ($expected !== $actual) {
        $show = fn (mixed $v) => is_string($v) && strlen($v) > 100 ? strlen($v) . ' bytes' : var_export($v, true);
        throw new RuntimeException("$what: expected {$show($expected)}, got {$show($actual)}");
    }
}

/**
 * Starts an example with a free port (in its address, of a proxy) and reads what it prints.
 *
 * @param (Closure(int, string, resource): void)|null $meanwhile gets the port, the first line and the process
 * @return array{int, string} the exit status, and what it said on standard error
 */
function started(string $file, int $port, string $folder, int $backend, ?Closure $meanwhile = null): array
{
    $arguments = str_starts_with(basename($file), 'proxy-') ? ["127.0.0.1:$port", "127.0.0.1:$backend"] : [(string) $port];
    $second = match (basename($file)) {
        'tls.php', 'existing.php' => [$folder],
        default => [],
    };
    $module = basename($file) === 'hello.php' ? ['-d', 'extension=' . dirname($file, 2) . '/build/ext/modules/tusk.so'] : []; // the others find it
    $process = proc_open([PHP_BINARY, ...$module, $file, ...$arguments, ...$second], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', "$folder/errors", 'w']], $pipes);
    try {
        stream_set_timeout($pipes[1], (int) (30 * $GLOBALS['slow']));
        $line = (string) fgets($pipes[1]);
        if ($meanwhile !== null) {
            $meanwhile($port, $line, $process);
            proc_terminate($process, 15);
        }
        $end = microtime(true) + 30 * $GLOBALS['slow'];
        while (($status = proc_get_status($process))['running'] && microtime(true) < $end) {
            usleep(5000);
        }
        return [$status['exitcode'], (string) file_get_contents("$folder/errors")];
    } finally {
        proc_terminate($process, 9);
    }
}

$tests = [
    'echo.php echoes text and binary, compressed and not, up to 32 MiB' => function (string $dir): void {
        $example = new Example("$dir/echo.php");
        foreach ([null, new Deflate()] as $deflate) {
            $ws = new Client("ws://127.0.0.1:$example->port/any/path", maxMessageSize: 33 << 20, deflate: $deflate);
            foreach (['', 'text ü', str_repeat('0123456789abcdef', 8192)] as $text) {
                $ws->send($text);
                same($text, $ws->receive(30), 'text');
                same(MessageType::Text, $ws->lastType(), 'type');
            }
            $binary = random_bytes(100_000);
            $ws->send($binary, MessageType::Binary);
            same($binary, $ws->receive(30), 'binary');
            same(MessageType::Binary, $ws->lastType(), 'type');
            $ws->close();
            same(1000, $ws->closeCode, 'close code');
        }
        $ws = new Client("ws://127.0.0.1:$example->port/", maxMessageSize: 33 << 20);
        $large = str_repeat(random_bytes(1 << 16), 512);
        foreach ([1, 2] as $ignored) {
            $ws->send($large, MessageType::Binary);
            same(true, $ws->receive(60) === $large, '32 MiB');
        }
        $ws->send($large . 'x', MessageType::Binary);
        same(null, $ws->receive(30), 'more than 32 MiB');
        same(1009, $ws->closeCode, 'close code');
        same(0, $example->stop(), 'exit code');
    },
    'broadcast.php and broadcast-foreach.php send every message to everybody' => function (string $dir): void {
        foreach (['broadcast.php', 'broadcast-foreach.php'] as $file) {
            $example = new Example("$dir/$file");
            $clients = [];
            for ($i = 0; $i < 20; $i++) {
                $clients[] = new Client("ws://127.0.0.1:$example->port/");
            }
            foreach ([['to all', MessageType::Text], ["\0\xff", MessageType::Binary]] as [$message, $type]) {
                $clients[7]->send($message, $type);
                foreach ($clients as $client) {
                    same($message, $client->receive(30), $file);
                    same($type, $client->lastType(), $file);
                }
            }
            unset($clients, $client);
            same(0, $example->stop(), 'exit code');
        }
    },
    'http.php answers from PHP and serves a folder' => function (string $dir): void {
        $folder = sys_get_temp_dir() . '/tusk-examples-' . getmypid();
        mkdir($folder);
        file_put_contents("$folder/page.html", '<p>page</p>');
        try {
            $example = new Example("$dir/http.php", $folder);
            $http = new Http(timeout: 30);
            $url = "http://127.0.0.1:$example->port";
            $hello = $http->get("$url/");
            same([200, 'Hello, World!'], [$hello->status, $hello->body], '/');
            $page = $http->get("$url/static/page.html");
            same([200, '<p>page</p>'], [$page->status, $page->body], 'file');
            same(true, str_starts_with((string) $page->header('content-type'), 'text/html'), 'type');
            same(304, $http->get("$url/static/page.html", ['If-None-Match' => $page->header('etag')])->status, 'condition');
            same('age', $http->get("$url/static/page.html", ['Range' => 'bytes=4-6'])->body, 'range');
            same(404, $http->get("$url/static/none")->status, 'no such file');
            same(true, in_array($http->get("$url/static/../http.php")->status, [403, 404], true), 'outside');
            same(0, $example->stop(), 'exit code');
        } finally {
            unlink("$folder/page.html");
            rmdir($folder);
        }
    },
    'sse.php streams what is posted and resumes' => function (string $dir): void {
        $example = new Example("$dir/sse.php");
        $url = "http://127.0.0.1:$example->port";
        $http = new Http(timeout: 30);
        $sse = new Sse("$url/events");
        same(null, $sse->receive(0.2), 'nothing yet');
        same(Sse::OPEN, $sse->state(), 'state');
        $first = $http->post("$url/publish", "one\ntwo")->json()['position'];
        $event = $sse->receive(30);
        same(["one\ntwo", 'message', $first], [$event?->data, $event?->type, $event?->lastEventId], 'event');
        $http->post("$url/publish", 'three');
        same('three', $sse->receive(30)?->data, 'event');
        $again = new Sse("$url/events", lastEventId: $first);
        same('three', $again->receive(30)?->data, 'what came after the position');
        unset($sse, $again);
        same(0, $example->stop(), 'exit code');
    },
    'reload.php brings new code by SIGHUP, to who is not refused meanwhile' => function (string $dir): void {
        $routes = tempnam(sys_get_temp_dir(), 'tusk-routes');
        copy("$dir/app/routes.php", $routes);
        $example = new Example("$dir/reload.php", $routes);
        $http = new Http(timeout: 30);
        $url = "http://127.0.0.1:$example->port";
        same("the first version\n", $http->get("$url/")->body, 'at first');
        $client = new Client("ws://127.0.0.1:$example->port/echo");
        $client->send('of the first');
        same('of the first', $client->receive(30), 'echo');
        // At once, as editors and deployments do it: the other worker may only just begin, and would read a file that is half written.
        file_put_contents("$routes.new", str_replace('the first', 'the second', (string) file_get_contents($routes)));
        rename("$routes.new", $routes);
        $example->signal(1);
        $end = microtime(true) + 30;
        do {
            $body = $http->get("$url/")->body;
            same(true, in_array($body, ["the first version\n", "the second version\n"], true) && microtime(true) < $end, $body);
        } while ($body !== "the second version\n");
        unset($client);
        same(0, $example->stop(), 'exit code');
        unlink($routes);
    },
    'workers.php has one room over several processes, and counts for all of them' => function (string $dir): void {
        foreach (['1', '3'] as $workers) {
            $example = new Example("$dir/workers.php", $workers);
            $url = "http://127.0.0.1:$example->port";
            $clients = [];
            for ($i = 0; $i < 12; $i++) {
                $clients[] = new Client("ws://127.0.0.1:$example->port/room");
            }
            $sse = new Sse("$url/room/events");
            same(null, $sse->receive(0.2), 'nothing yet');
            $first = (new Http(timeout: 30))->post("$url/room", 'one')->json()['position'];
            $clients[0]->send('two');
            foreach ($clients as $n => $client) {
                same('one', $client->receive(30), "client $n of $workers");
                if ($n > 0) {
                    same('two', $client->receive(30), "client $n of $workers");
                }
            }
            same(['one', $first], [($event = $sse->receive(30))?->data, $event?->lastEventId], 'event');
            same('two', $sse->receive(30)?->data, 'event');
            $again = new Client("ws://127.0.0.1:$example->port/room?since=$first");
            same('two', $again->receive(30), 'what came after the position');
            unset($clients, $client, $again, $sse);
            $answered = [];
            for ($i = 0; count($answered) < (int) $workers; $i++) {
                same(true, $i < 1000, 'everybody answers');
                $told = json_decode((string) file_get_contents("$url/"), true); // each by a connection of its own
                $answered[$told['worker'] ?? 0] = $told['answered here'];
            }
            same(true, $told['requests'] >= array_sum($answered), 'requests of all');
            same(0, $example->stop(), 'exit code');
        }
    },
    'proxy-tcp.php relays by every engine, also where the engine is not to be had' => function (string $dir): void {
        $backend = new Example("$dir/http.php");
        foreach ([[], ['copy'], ['splice'], ['sockmap']] as $engine) {
            $proxy = new Example("$dir/proxy-tcp.php", '127.0.0.1:{port}', "127.0.0.1:$backend->port", ...$engine);
            // Not by our client, whose sockets go with its next request: the proxy would wait for that.
            same('Hello, World!', file_get_contents("http://127.0.0.1:$proxy->port/"), implode($engine));
            same(0, $proxy->stop(), 'exit code');
        }
    },
    'proxy-http.php passes requests on' => function (string $dir): void {
        $backend = new Example("$dir/http.php");
        $proxy = new Example("$dir/proxy-http.php", '127.0.0.1:{port}', "127.0.0.1:$backend->port");
        $http = new Http(timeout: 30);
        foreach ([1, 2, 3] as $ignored) {
            same('Hello, World!', $http->get("http://127.0.0.1:$proxy->port/")->body, 'body');
        }
        unset($http);
        same(0, $proxy->stop(), 'exit code');
    },
    'proxy-http-resolver.php routes by host' => function (string $dir): void {
        $backend = new Example("$dir/http.php");
        $proxy = new Example("$dir/proxy-http-resolver.php", '127.0.0.1:{port}', "127.0.0.1:$backend->port");
        $url = "http://127.0.0.1:$proxy->port/";
        $answer = (new Http(timeout: 30))->get($url, ['Host' => 'shop.example.org']);
        same([200, 'Hello, World!'], [$answer->status, $answer->body], 'shop.example.org');
        same(404, (new Http(timeout: 30))->get($url, ['Host' => 'example.com'])->status, 'example.com');
        same(0, $proxy->stop(), 'exit code');
    },
    'proxy-tcp-resolver.php refuses a PostgreSQL client in its own words' => function (string $dir): void {
        $proxy = new Example("$dir/proxy-tcp-resolver.php", '127.0.0.1:{port}', '127.0.0.1:1', '127.0.0.1:1');
        $socket = stream_socket_client("tcp://127.0.0.1:$proxy->port");
        $start = pack('N', 196608) . "user\0anna\0database\0secret\0\0";
        fwrite($socket, pack('N', strlen($start) + 4) . $start);
        $answer = (string) stream_get_contents($socket);
        same(true, str_starts_with($answer, 'E') && str_contains($answer, "Mnot for you\0"), 'ErrorResponse: ' . json_encode($answer, JSON_INVALID_UTF8_SUBSTITUTE));
        same(0, $proxy->stop(), 'exit code');
    },
    'proxy-smtp.php and proxy-smtp-resolver.php speak SMTP with a backend' => function (string $dir): void {
        $server = proc_open([PHP_BINARY, '-n', '-r', <<<'PHP'
            $server = stream_socket_server('tcp://127.0.0.1:0');
            echo substr(strrchr(stream_socket_get_name($server, false), ':'), 1), "\n";
            while ($client = stream_socket_accept($server, 60)) {
                fwrite($client, "220 backend\r\n");
                while (($line = fgets($client)) !== false) {
                    fwrite($client, str_starts_with($line, 'EHLO') ? "250-backend\r\n250 PIPELINING\r\n" : (str_starts_with($line, 'QUIT') ? "221 bye\r\n" : "250 seen\r\n"));
                    if (str_starts_with($line, 'QUIT')) {
                        break;
                    }
                }
                fclose($client);
            }
            PHP], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
        $port = (int) fgets($pipes[1]);
        try {
            foreach (['proxy-smtp.php' => ['client', '250'], 'proxy-smtp-resolver.php' => ['mx.example.org', '250']] as $file => [$name, $code]) {
                $proxy = new Example("$dir/$file", '127.0.0.1:{port}', "127.0.0.1:$port");
                $socket = stream_socket_client("tcp://127.0.0.1:$proxy->port");
                same('220', substr((string) fgets($socket), 0, 3), "$file: banner");
                fwrite($socket, "EHLO $name\r\n");
                do {
                    $line = (string) fgets($socket);
                } while (($line[3] ?? '') === '-');
                same($code, substr($line, 0, 3), "$file: EHLO");
                fwrite($socket, "QUIT\r\n");
                same('221', substr((string) fgets($socket), 0, 3), "$file: QUIT");
                fclose($socket);
                same(0, $proxy->stop(), 'exit code');
            }
        } finally {
            proc_terminate($server, 9);
            proc_close($server);
        }
    },
    'async.php waits for time and a stream side by side, and tells what failed' => function (string $dir): void {
        exec(escapeshellarg(PHP_BINARY) . ' ' . escapeshellarg("$dir/async.php"), $lines, $status);
        same([0, ['sleeps: rested', 'reads: from the other task', 'writes: 20', 'fails: one failed, the others go on']], [$status, $lines], 'output');
    },
    'each one says in a line where it is and what to type next, and that works; so do a taken port and a wrong one' => function (string $dir): void {
        $folder = sys_get_temp_dir() . '/tusk-examples-' . getmypid();
        mkdir($folder);
        exec('openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost '
            . "-keyout $folder/key.pem -out $folder/cert.pem 2>&1", $said, $status);
        same(0, $status, implode("\n", $said));
        $backend = new Example("$dir/http.php");
        $taken = stream_socket_server('tcp://127.0.0.1:0');
        $port = (int) substr(strrchr(stream_socket_get_name($taken, false), ':'), 1);
        try {
            foreach (glob("$dir/*.php") as $file) {
                $name = basename($file);
                if (in_array($name, ['load.php', 'async.php'], true)) {
                    continue; // what is included; what runs to its end
                }
                [$status, $errors] = started($file, free_port(), $folder, $backend->port, function (int $port, string $line) use ($name): void {
                    same(true, preg_match("~(?:localhost:|127\.0\.0\.1:|on port )$port\b~", $line) === 1, "$name says where: $line");
                    preg_match_all('~\bcurl (?:\'[^\']*\'|[^\';&])+~', $line, $commands);
                    foreach ($commands[0] as $command) {
                        $stream = str_contains($command, ' -N ');
                        exec('exec curl -sf --max-time ' . ($stream ? 1 : 30) . substr(trim($command), 4) . ' 2>&1', $said, $status);
                        same($stream ? 28 : 0, $status, "$name: $command: " . implode("\n", $said));
                    }
                });
                same([0, ''], [$status, preg_replace('~^engine: .*\n~', '', $errors)], "$name: what it ends with");
                if ($name !== 'hello.php') { // which is to be copied, and is plain PHP
                    [$status, $errors] = started($file, $port, $folder, $backend->port);
                    same([3, 1, true], [$status, substr_count($errors, "\n"), str_contains($errors, 'already in use')], "$name: a taken port: $errors");
                    [$status, $errors] = started($file, 99999, $folder, $backend->port);
                    same([2, true], [$status, str_contains($errors, "php examples/$name ") && !str_contains($errors, 'Stack trace')], "$name: a wrong port: $errors");
                }
            }
        } finally {
            array_map(unlink(...), glob("$folder/*"));
            rmdir($folder);
        }
    },
];

$failed = 0;
foreach ($tests as $name => $test) {
    try {
        $test("$root/examples");
    } catch (Throwable $e) {
        $failed++;
        echo "FAIL $name\n     ", $e->getMessage(), ' (', basename($e->getFile()), ':', $e->getLine(), ")\n";
    }
}
echo count($tests) - $failed, " passed, $failed failed, 0 skipped\n";
exit($failed > 0 ? 1 : 0);
