<?php

declare(strict_types=1);

// Request smuggling: doubtful requests through two readers in a row, of whom one is Tusk. What the one in front counted, what the one behind counted and
// what the client was answered must be the same requests, and who comes next on the same lines must get the answer to its own.

namespace Tusk\E2e;

use function Tusk\Tests\free_port;

/** Two readers in a row. What they count are lines "METHOD /path client". */
final class Row
{
    /** What of Tusk's words tells a request: written by a handler, or by the access log. */
    private const LINE = '/^counted (\S+) ([^ ?]*)\S*( .+)$/m';

    /**
     * @param list<object>       $running kept as long as this
     * @param \Closure(): string $front   what the one in front logs of each request that it passed on
     * @param \Closure(): string $back    what the one behind logs of each request
     */
    public function __construct(public readonly int $port, private array $running, private readonly \Closure $front, private readonly \Closure $back) {}

    /**
     * What the one behind counted of each request more than the one in front (or less), for all that they do not agree in. A request that broke off in its body
     * the one behind may have counted, or not: as many of its requests have no counterpart.
     *
     * @return array<string, int>
     */
    private function difference(string $front, string $back): array
    {
        [$passed, $counted] = [self::of($front), self::of($back)];
        $difference = [];
        foreach ($counted + $passed as $request => $_) {
            $difference[$request] = ($counted[$request] ?? 0) - ($passed[$request] ?? 0);
        }
        $difference = array_filter($difference);
        $broken = preg_match_all('/^broken$/m', $front);

        return min([0, ...$difference]) >= 0 && array_sum($difference) <= $broken ? [] : $difference;
    }

    /** @return array<string, int> */
    private static function of(string $log): array
    {
        preg_match_all(self::LINE, $log, $lines);

        return array_count_values(array_map(static fn (string $method, string $path, string $client): string => "$method " . ($path ?: '/') . $client, $lines[1], $lines[2], $lines[3]));
    }

    private static function nginx(string $http, int $port): Program
    {
        return nginx("client_header_timeout 1s; client_body_timeout 1s; keepalive_timeout 1s; keepalive_requests 100000; underscores_in_headers on; $http", $port);
    }

    private static function haproxy(string $sections, int $port): Program
    {
        return haproxy("global\n log stdout format raw local0\ndefaults\n mode http\n log global\n option dontlognull\n option http-ignore-probes\n timeout connect 5s\n"
            . " timeout client 1s\n timeout http-request 1s\n timeout server 30s\n$sections", $port);
    }

    private static function tusk(): Script
    {
        return new Script(<<<'PHP'
            $server = new Server('127.0.0.1:0', limits: new Limits(bodyMs: 1000, handshakeMs: 1000));
            $server->onStart($started);
            $server->fallback(function (Request $r): Response {
                echo "counted $r->method " . strtok($r->target, '?') . " -\n";
                return Response::text('saw')->withHeader('X-Saw', "$r->method $r->target");
            }, methods: true);
            exit($server->run());
            PHP);
    }

    /** A reader that is wrong in one way, to be put in Tusk's place: it takes for a request what stands in a body. That is all that it is good for. */
    private static function wrong(string $fault): Script
    {
        return new Script("\$fault = '$fault';\n" . <<<'PHP'
            $listener = stream_socket_server('tcp://127.0.0.1:0');
            echo 'port ', substr(strrchr(stream_socket_get_name($listener, false), ':'), 1), "\n";
            $in = $peers = [];
            while (true) {
                [$read, $write, $except] = [[$listener, ...$peers], null, null];
                stream_select($read, $write, $except, null);
                foreach ($read as $stream) {
                    if ($stream === $listener) {
                        $peers[] = stream_socket_accept($listener);
                        continue;
                    }
                    $id = (int) $stream;
                    $bytes = (string) fread($stream, 65536);
                    $in[$id] = ($in[$id] ?? '') . $bytes;
                    while (preg_match('~\A(?:[^\n]*\n)*?([A-Za-z]+) (/\S*) HTTP/1\.[01]\r\n(?:[^\n]*\n)*?\r\n~', $in[$id], $head) === 1) {
                        preg_match('~^content-length:\s*(\d+)~mi', $head[0], $length);
                        $body = (int) ($length[1] ?? 0);
                        if (preg_match('~^transfer-encoding:~mi', $head[0]) === 1) {
                            $end = strpos($in[$id], "\r\n0\r\n", strlen($head[0]) - 2);
                            $body = $end === false ? null : strpos($in[$id], "\r\n\r\n", $end) + 4 - strlen($head[0]);
                            $body = $fault === 'knows no chunks' ? 0 : $body;
                        }
                        $body = $fault === 'knows no lengths' || $fault === 'GET has no body' && $head[1] === 'GET' ? 0 : $body;
                        if ($body === null || strlen($in[$id]) < strlen($head[0]) + $body) {
                            break;
                        }
                        $in[$id] = substr($in[$id], strlen($head[0]) + $body);
                        echo "counted $head[1] " . strtok($head[2], '?') . " -\n";
                        fwrite($stream, "HTTP/1.1 200 OK\r\nX-Saw: $head[1] $head[2]\r\nContent-Length: 0\r\n\r\n");
                    }
                    if ($bytes === '') {
                        $peers = array_filter($peers, fn ($peer) => $peer !== $stream);
                        unset($in[$id]);
                        fclose($stream);
                    }
                }
            }
            PHP);
    }

    /** @return array{Program, int, \Closure(): string} a server, its port and what it counts */
    private static function behind(string $kind): array
    {
        $port = free_port();
        if ($kind === 'nginx') {
            $log = folder() . "/counted-$port";
            $server = self::nginx("map \$http_x_real_ip \$real { '' ''; default '+real'; }\nmap \$status \$what { default '\$request_method \$request_uri \$http_x_forwarded_for\$real'; ~^4 'refused - -'; }\nlog_format counted escape=none 'counted \$what';\nserver { listen 127.0.0.1:$port; access_log $log counted; "
                . 'location / { add_header X-Saw "$request_method $request_uri"; return 200 ""; } }', $port);

            return [$server, $port, static fn (): string => (string) @file_get_contents($log)];
        }
        $server = self::haproxy(
            "frontend f\n bind 127.0.0.1:$port\n http-request wait-for-body time 1s\n http-request set-var(txn.for) req.hdr(x-forwarded-for)\n log-format 'counted %HM %HU %[var(txn.for)]'\n http-request return status 200 hdr X-Saw \"%[method] %[url]\"\n",
            $port,
        );

        return [$server, $port, $server->log(...)];
    }

    /** Tusk's HTTP proxy in front of a server of this kind. */
    public static function proxied(string $kind): self
    {
        [$server, $port, $back] = self::behind($kind);
        // Its patience ends well before that of who is behind, or either may be the one that gives up a body.
        $proxy = proxy(
            "new HttpProxy(\$resolver, '127.0.0.1:0', validation: \$validation, http: new Tusk\\Proxy\\HttpLimits(headMs: 1000, bodyMs: 500, keepAliveMs: 1000));\n"
                . '$proxy->onAccess(function (Access $a): void { if ($a->target !== null) { echo match (true) { $a->end === "refused" => "broken", $a->status >= 400 => "counted refused - -", default => "counted $a->method $a->path 127.0.0.1" }, "\n"; } })',
            "'127.0.0.1:$port'",
        );

        return new self($proxy->port, [$proxy, $server], $proxy->log(...), $back);
    }

    /** Tusk's server behind a proxy of this kind, or in its place one with a fault. */
    public static function served(string $kind, ?string $fault = null): self
    {
        $server = $fault === null ? self::tusk() : self::wrong($fault);
        $port = free_port();
        if ($kind === 'nginx') {
            $log = folder() . "/counted-$port";
            $front = self::nginx("log_format counted escape=none 'counted \$request_method \$request_uri -';\nmap \$upstream_status \$passed { default 0; 200 1; }\n"
                . "upstream tusk { server 127.0.0.1:$server->port max_fails=0; keepalive 8; keepalive_requests 100000; }\n"
                . "server { listen 127.0.0.1:$port; access_log $log counted if=\$passed; location / { proxy_pass http://tusk; proxy_http_version 1.1; "
                . "proxy_set_header Connection ''; proxy_request_buffering off; proxy_next_upstream off; } }", $port);

            return new self($port, [$front, $server], static fn (): string => (string) @file_get_contents($log), $server->log(...));
        }
        $front = self::haproxy("frontend f\n bind 127.0.0.1:$port\n default_backend b\n http-response set-var(txn.tell) str(counted) if { status 200 }\n log-format '%[var(txn.tell)] %HM %HU -'\n"
            . "backend b\n retries 0\n http-reuse always\n server s 127.0.0.1:$server->port\n", $port);

        return new self($port, [$front, $server], $front->log(...), $server->log(...));
    }

    /** @return list<string> what the requests were taken for that were answered, as the one behind said it of each */
    public function ask(string $bytes): array
    {
        $peer = new Peer("tcp://127.0.0.1:$this->port");
        $peer->write($bytes);
        $answer = $peer->rest();
        preg_match_all('/^x-saw: (.*)\r$/mi', $answer, $saw);

        return $answer === 'saw' ? [$answer] : $saw[1]; /* HTTP/0.9 has no head */
    }

    /** Whether this request makes the two differ, or somebody else get another answer, once both have counted what came behind it. */
    public function isFooled(string $bytes): bool
    {
        $this->ask($bytes . "GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        $other = $this->ask("GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        await(fn (): bool => str_contains(($this->front)(), ' /other ') && str_contains(($this->back)(), ' /other '), 'both count what came behind it');

        return $other !== ['GET /other'] || $this->difference(($this->front)(), ($this->back)()) !== [];
    }

    /** All doubtful requests, each with an honest one behind it, and then one of somebody else. */
    public function run(): void
    {
        [$n, $answered] = [0, 0];
        foreach (require dirname(__DIR__) . '/smuggling/requests.php' as $name => $bytes) {
            $n++;
            $answers = $this->ask($bytes . "GET /next-$n HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            $answered += count($answers) + 1;
            expect($this->ask("GET /other-$n HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") === ["GET /other-$n"], "$name: who comes next is answered something else");
            $difference = [];
            try {
                await(function () use ($n, $answered, &$difference): bool {
                    [$front, $back] = [($this->front)(), ($this->back)()];
                    $difference = $this->difference($front, $back);

                    return $difference === [] && preg_match_all('/^counted (?!refused)/m', $front) === $answered && str_contains($front, " /other-$n ") && str_contains($back, " /other-$n ");
                }, "$name: both count the same");
            } catch (Failed $e) {
                throw new Failed($e->getMessage() . ', answered ' . json_encode($answers) . ', counted more behind: ' . json_encode($difference));
            }
        }
    }
}

/** A backend behind Tusk's HTTP proxy that answers as the test says, on whichever of its connections a request comes. */
final class Liar
{
    public readonly Script $proxy;
    /** @var resource */
    private $listener;
    /** @var list<Peer> */
    private array $lines = [];

    public function __construct()
    {
        $this->listener = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('cannot listen');
        $this->proxy = proxy("new HttpProxy(\$resolver, '127.0.0.1:0', validation: \$validation)", "'" . stream_socket_get_name($this->listener, false) . "'");
    }

    public function client(string $request): Peer
    {
        $peer = new Peer("tcp://127.0.0.1:{$this->proxy->port}");
        $peer->write("$request HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

        return $peer;
    }

    /** The connection on which the next request came, whole; those that ended are forgotten. */
    public function request(string $expected): Peer
    {
        for (;;) {
            $read = [$this->listener, ...array_map(static fn (Peer $line) => $line->stream, $this->lines)];
            [$write, $except] = [null, null];
            expect(stream_select($read, $write, $except, (int) PATIENCE) > 0, "no request: $expected");
            if (in_array($this->listener, $read, true)) {
                $this->lines[] = Peer::of(stream_socket_accept($this->listener) ?: throw new Failed('cannot accept'));
                continue;
            }
            foreach ($this->lines as $i => $line) {
                if (!in_array($line->stream, $read, true)) {
                    continue;
                }
                if (stream_socket_recvfrom($line->stream, 1, STREAM_PEEK) === '') {
                    $line->close();
                    array_splice($this->lines, $i, 1);
                    continue 2;
                }
                contains($line->until("\r\n\r\n"), "$expected HTTP/1.1\r\n", 'the request');

                return $line;
            }
        }
    }
}

return static function (Suite $s): void {
    $s->test('smuggling: what a backend says beside its answer reaches nobody', static function (): void {
        $liar = new Liar();
        $evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
        $ok = "HTTP/1.1 200 OK\r\n";
        $answers = [
            'a second answer' => "{$ok}Content-Length: 2\r\n\r\nhi$evil", 'more than its length' => "{$ok}Content-Length: 2\r\n\r\nhievil", 'behind the last chunk' => "{$ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n$evil",
            'a body behind 204' => "HTTP/1.1 204 No Content\r\n\r\n$evil", 'a promised body behind 204' => "HTTP/1.1 204 No Content\r\nContent-Length: 40\r\n\r\n", 'a body behind 304' => "HTTP/1.1 304 Not Modified\r\nContent-Length: 40\r\n\r\n$evil",
            'a protocol that nobody asked for' => "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n$evil",
            'lengths that differ' => "{$ok}Content-Length: 2\r\nContent-Length: 6\r\n\r\nhievil", 'length and coding' => "{$ok}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nevil", 'an unknown coding' => "{$ok}Transfer-Encoding: xchunked\r\n\r\nevil",
            'a coding in HTTP/1.0' => "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nevil\r\n0\r\n\r\n", 'a negative length' => "{$ok}Content-Length: -1\r\n\r\nevil", 'a length that wraps' => "{$ok}Content-Length: 18446744073709551618\r\n\r\nevil",
            'bare LFs' => "HTTP/1.1 200 OK\nContent-Length: 4\n\nevil", 'a bare CR' => "{$ok}X: a\rSet-Cookie: evil\r\nContent-Length: 0\r\n\r\n", 'a bare LF in a field' => "{$ok}X: a\nSet-Cookie: evil\r\nContent-Length: 0\r\n\r\n",
            'NUL' => "{$ok}X: a\0evil\r\nContent-Length: 0\r\n\r\n", 'no colon' => "{$ok}evil\r\nContent-Length: 0\r\n\r\n", 'a space before the colon, which counts' => "{$ok}Content-Length : 2\r\n\r\nhi$evil", 'another version' => "HTTP/2 200\r\n\r\nevil", 'another protocol' => "ICY 200 OK\r\n\r\nevil",
            'a status of two digits' => "HTTP/1.1 99 OK\r\nContent-Length: 4\r\n\r\nevil", 'a line in front' => "\r\n$evil", 'no head' => 'evil and more of it', 'a chunk that wraps' => "{$ok}Transfer-Encoding: chunked\r\n\r\n10000000000000004\r\nevil\r\n0\r\n\r\n",
            'an extension with a bare LF' => "{$ok}Transfer-Encoding: chunked\r\n\r\n4;\nevil\r\n0\r\n\r\n", 'bare LF behind a chunk' => "{$ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\n0\r\n\r\nevil", 'a head without end' => $ok . str_repeat("X: evil\r\n", 4000),
            'a status line without end' => 'HTTP/1.1 200 ' . str_repeat('evil', 5000), 'trailers without end' => "{$ok}Transfer-Encoding: chunked\r\n\r\n0\r\n" . str_repeat("X: evil\r\n", 4000), 'connection options without end' => "{$ok}Content-Length: 0\r\nConnection: " . implode(',', range(1, 500)) . "\r\nX: evil\r\n\r\n",
        ];
        foreach ($answers as $name => $bytes) {
            foreach (['GET', 'HEAD', 'POST'] as $method) {
                $client = $liar->client("$method /first");
                $line = $liar->request("$method /first");
                $line->write($bytes);
                $heard = $client->rest();
                expect(!str_contains($heard, 'evil'), "$name: who asked by $method hears it: " . json_encode($heard));
                $other = $liar->client('GET /second');
                $next = $liar->request('GET /second');
                expect($next !== $line, "$name: the connection of $method is kept");
                $next->write("{$ok}Content-Length: 5\r\n\r\nyours");
                expect(str_ends_with($heard = $other->rest(), "\r\n\r\nyours"), "$name: who comes next hears " . json_encode($heard));
            }
        }
        expect($liar->proxy->stop() === 0, 'exit code');
    });

    $s->test('smuggling: no spelling of X-Forwarded-For or X-Real-IP passes the HTTP proxy to PHP', static function (): void {
        [$port, $file] = [free_port(), folder() . '/names.php'];
        file_put_contents($file, '<?php foreach ($_SERVER as $name => $value) if (str_starts_with($name, "HTTP_")) echo "$name=$value\n";');
        $server = (new Program(PHP_BINARY . " -S 127.0.0.1:$port $file"))->awaitPort($port);
        $proxy = proxy("new HttpProxy(\$resolver, '127.0.0.1:0', validation: \$validation, forwarding: new Tusk\Proxy\Forwarding(xForwarded: Tusk\Proxy\Forward::Off))", "'127.0.0.1:$port'");
        foreach (['X-Forwarded-For', 'X_Forwarded_For', 'X.Forwarded.For', 'X_Forwarded.For', 'X-Real-IP', 'X.Real.IP', 'X_Real-IP', 'Proxy', 'X.Forwarded.Host'] as $name) {
            $text = $proxy->get('/', "$name: 203.0.113.9\r\nX-Mine: 1\r\n");
            contains($text, 'HTTP_X_MINE=1', $name);
            expect(!str_contains($text, '203.0.113.9'), "$name: PHP sees " . json_encode($text));
        }
        expect($proxy->stop() === 0, 'exit code');
        unset($server);
    });

    foreach (['nginx', 'HAProxy'] as $kind) {
        $s->test("smuggling: Tusk's HTTP proxy and $kind behind it count the same requests", static fn () => Row::proxied($kind)->run());
    }
    foreach (['nginx', 'HAProxy'] as $kind) {
        $s->test("smuggling: $kind and Tusk's server behind it count the same requests", static fn () => Row::served($kind)->run());
    }
    // The rows in front of our server can fail: what is wrong behind them is seen. (nginx itself reads chunks, and passes on a length.)
    foreach (['nginx' => ['GET has no body', 'knows no lengths'], 'HAProxy' => ['GET has no body', 'knows no lengths', 'knows no chunks']] as $kind => $faults) {
        $s->test("smuggling: a server behind $kind that takes bodies for requests is found out, and Tusk's is not", static function () use ($kind, $faults): void {
            $all = require dirname(__DIR__) . '/smuggling/requests.php';
            foreach ($faults as $fault) {
                $bytes = $all[$fault === 'knows no chunks' ? 'length and coding, plain' : 'a body with GET'];
                expect(Row::served($kind, $fault)->isFooled($bytes), "nobody sees that it $fault");
                expect(!Row::served($kind)->isFooled($bytes), "Tusk's, where another $fault");
            }
        });
    }
};
