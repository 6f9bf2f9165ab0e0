<?php

declare(strict_types=1);

// What can go wrong between a client, a resolver and a backend, in every protocol: the client reads it in that protocol's own words and with its code,
// the access log has one line of it, and the error log one where the resolver is at fault.

namespace Tusk\E2e;

/** A port whose backlog is full: a connection to it is never made. */
final class FullPort
{
    public readonly int $port;
    /** @var list<resource> */
    private array $held = [];

    public function __construct()
    {
        $server = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
        socket_bind($server, '127.0.0.1', 0);
        socket_listen($server, 0);
        socket_getsockname($server, $address, $port);
        $this->port = (int) $port;
        $this->held[] = $server;
        for ($i = 0; $i < 4; $i++) {
            $client = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
            socket_set_nonblock($client);
            @socket_connect($client, '127.0.0.1', $this->port);
            $this->held[] = $client;
        }
    }
}

/** A proxy of one protocol whose resolver does what the client asks for, and its logs. */
final class Faulty
{
    public readonly Script $script;
    public readonly int $port;
    public readonly int $away;
    private readonly string $access;
    private FullPort $full;
    /** @var resource that the row "backend" leads to */
    public $backend;

    /**
     * @param string $make  the proxy, without its validation and access log
     * @param string $field of the lookup that names the row
     */
    public function __construct(string $protocol, string $make, string $field)
    {
        $this->full = new FullPort();
        $this->backend = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('no port');
        $this->access = folder() . "/access-$protocol.log";
        @unlink($this->access);
        touch($this->access);
        $backend = stream_socket_get_name($this->backend, false);
        $full = $this->full->port;
        $this->script = proxy("(fn () => [\$p = $make, \$p->onAccess(Tusk\\Proxy\\AccessLog::to('$this->access'))][0])()", "match (\$lookup->$field) {
            'unresolvable' => 'no-such-name.invalid:1',
            'refused' => '127.0.0.1:1',
            'timeout' => Route::to('127.0.0.1:$full', connectTimeout: 0.2),
            'throws' => throw new \\RuntimeException('the table of routes is gone'),
            'loops' => (function () { while (true) { } })(),
            'rubbish' => 42,
            'nonsense' => 'nowhere at all',
            'private' => '10.255.255.1:80',
            'backend' => Route::to('$backend', ttl: 0.0),
            'unsafe' => Route::to('$backend', ttl: 0.0, tls: new UpstreamTls(verify: false)),
            default => null,
        }");
        $this->port = $this->script->port;
    }

    public function peer(): Peer
    {
        return $this->script->peer();
    }

    public function accept(): Peer
    {
        $stream = stream_socket_accept($this->backend, PATIENCE) ?: throw new Failed('nobody came to the backend');

        return Peer::of($stream);
    }

    /**
     * What was logged since the last call: the access line, which must be one and have this status, and lines in the error log, none of which is
     * there for an answer that was remembered.
     *
     * @return array<string, mixed>
     */
    public function logged(string $row, int $status, int $errors): array
    {
        static $seen = [];
        $before = $seen[$this->access] ?? [0, 0];
        $lines = fn (): array => array_slice(explode("\n", (string) file_get_contents($this->access)), $before[0], -1); // whole ones: a page may be written before the next
        await(fn (): bool => $lines() !== [], "$row: an access line");
        $complaints = preg_match_all('~Tusk: (?!\S+ is (?:down: \d+ failures in a row|up again)$)~m', $this->script->log()); // of a target that goes and comes, not of who met it
        $got = $lines();
        $seen[$this->access] = [$before[0] + count($got), $complaints];
        expect(count($got) === 1, "$row: access lines " . implode("\n", $got));
        $access = (array) json_decode($got[0], true);
        expect($access['status'] === $status, "$row: status in $got[0]");
        expect($complaints - $before[1] === ($access['cached'] ? 0 : $errors), "$row: error log " . $this->script->log());

        return $access;
    }

    /** Nothing else was logged meanwhile, and it ends well. */
    public function end(): void
    {
        $lines = count(file($this->access) ?: []);
        expect($this->script->stop() === 0, 'exit code');
        expect(count(file($this->access) ?: []) === $lines, 'access lines at the end');
    }
}

/** Rows that a resolver's answer makes: [status, reason, lines in the error log]. */
const ANSWERS = [
    'unresolvable' => [502, "the backend's name has no address", 0],
    'refused' => [502, 'the backend refuses connections', 0],
    'timeout' => [504, 'the backend did not answer in time', 0],
    'throws' => [500, 'the resolver failed', 1],
    'loops' => [500, 'the resolver failed', 1],
    'rubbish' => [500, 'the resolver failed', 1],
    'nonsense' => [500, 'the resolver failed', 1],
    'private' => [403, "the backend's address is not allowed", 0],
    'unknown' => [404, 'there is no route', 0],
];
const TIMES = 'limits: new \Tusk\Proxy\Limits(firstMs: 1000, resolveMs: 600)';

/** @return array{string, string} SQLSTATE and message of a PostgreSQL ErrorResponse */
function postgres_error(string $bytes): array
{
    expect(preg_match('~E....SFATAL\0VFATAL\0C(\w{5})\0M([^\0]*)\0~s', $bytes, $m) === 1, 'no ErrorResponse: ' . json_encode($bytes, JSON_INVALID_UTF8_SUBSTITUTE));

    return [$m[1], $m[2]];
}

function postgres_startup(string $database): string
{
    $body = "\0\3\0\0user\0tusk\0database\0$database\0\0";

    return pack('N', strlen($body) + 4) . $body;
}

/** The next MySQL packet's payload. */
function mysql_packet(Peer $peer): string
{
    return $peer->bytes(unpack('V', substr($peer->bytes(4), 0, 3) . "\0")[1]);
}

/** Greeted, and the answer of a client that wants this database. */
function mysql_login(Peer $peer, string $database): void
{
    mysql_packet($peer);
    $answer = pack('VVC', 0x0009820d, 1 << 24, 45) . str_repeat("\0", 23) . "tusk\0\0$database\0mysql_native_password\0";
    $peer->write(substr(pack('V', strlen($answer)), 0, 3) . "\1$answer");
}

/** What MySQL servers greet with; capabilities as of MySQL 5.7, without TLS. */
function mysql_greeting(): string
{
    $payload = "\x0a5.7.44\0\1\0\0\0abcdefgh\0" . pack('vCvv', 0xf7ff, 45, 2, 0x81ff) . "\x15" . str_repeat("\0", 10) . "ijklmnopqrst\0mysql_native_password\0";

    return substr(pack('V', strlen($payload)), 0, 3) . "\0$payload";
}

return static function (Suite $s): void {
    $s->test('refusals: PostgreSQL', static function (): void {
        needs('psql');
        $proxy = new Faulty('postgres', "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Client, protocol: Protocol::Postgres, " . TIMES . ')', 'database');
        $states = [502 => '08006', 504 => '08006', 500 => 'XX000', 403 => '28000', 404 => '3D000'];
        foreach (ANSWERS as $row => [$status, $reason, $errors]) {
            [$code, $text] = psql($proxy->port, $row, 'select 1');
            expect($code === 2 && str_contains($text, "FATAL:  $reason"), "$row: $text");
            $proxy->logged($row, $status, $errors);
            $peer = $proxy->peer();
            $peer->write(postgres_startup($row));
            expect(postgres_error($peer->rest()) === [$states[$status], $reason], "$row: state");
            $proxy->logged($row, $status, $errors);
        }
        foreach (['garbage' => ["GET / HTTP/1.1\r\n\r\n", 400, '08P01'], 'nothing' => ['', 408, '08006'], 'half a packet' => ["\0\0\0\x20\0\3", 408, '08006']] as $row => [$bytes, $status, $state]) {
            $peer = $proxy->peer();
            $peer->write($bytes);
            expect(postgres_error($peer->rest())[0] === $state, $row);
            $proxy->logged($row, $status, 0);
        }
        [$code, $text] = psql($proxy->port, 'refused', 'select 1', 'sslmode=require');
        expect($code === 2 && str_contains($text, 'server does not support SSL, but SSL was required'), "TLS without a certificate: $text");
        $proxy->logged('TLS without a certificate', 400, 0);
        $peer = $proxy->peer();
        $peer->write(postgres_startup('unsafe'));
        $backend = $proxy->accept();
        $backend->bytes(8);
        $backend->write('N');
        expect(postgres_error($peer->rest()) === ['08006', 'the backend has no TLS'], 'TLS demanded of the backend');
        $proxy->logged('TLS demanded of the backend', 502, 0);
        $peer = $proxy->peer();
        $peer->write(postgres_startup('unsafe'));
        $proxy->accept()->reset();
        expect(postgres_error($peer->rest())[0] === '08006', 'reset before TLS');
        $proxy->logged('reset before TLS', 502, 0);
        $peer = $proxy->peer();
        $peer->write(postgres_startup('backend'));
        $backend = $proxy->accept();
        $backend->bytes(strlen(postgres_startup('backend')));
        $backend->write($said = "R\0\0\0\x08\0\0\0\0");
        expect($peer->bytes(strlen($said)) === $said, 'what it said');
        $backend->reset();
        expect($peer->rest() === '', 'reset in mid-stream');
        expect($proxy->logged('reset in mid-stream', 0, 0)['end'] === 'backend reset', 'its end');
        $proxy->end();
    });

    $s->test('refusals: MySQL', static function (): void {
        needs('mariadb');
        $proxy = new Faulty('mysql', "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Client, protocol: Protocol::Mysql, " . TIMES . ')', 'database');
        $codes = [502 => '1429 (HY000)', 504 => '1429 (HY000)', 500 => '1105 (HY000)', 403 => '1045 (28000)', 404 => '1049 (42000)'];
        foreach (ANSWERS as $row => [$status, $reason, $errors]) {
            [$code, $text] = mariadb($proxy->port, 'select 1', 'tusk', '', $row);
            expect($code === 1 && str_contains($text, "ERROR $codes[$status]: $reason"), "$row: $text");
            $proxy->logged($row, $status, $errors);
        }
        foreach (['garbage' => ["\1\0\0\1\0", 400, 1043], 'text' => ["GET / HTTP/1.1\r\n\r\n", 400, 1153], 'nothing' => ['', 408, 1159], 'half a packet' => ["\x40\0\0\1\0", 408, 1159]] as $row => [$bytes, $status, $code]) {
            $peer = $proxy->peer();
            mysql_packet($peer);
            $peer->write($bytes);
            expect(unpack('v', mysql_packet($peer), 1)[1] === $code, $row);
            expect($peer->rest() === '', "$row: one answer");
            $proxy->logged($row, $status, 0);
        }
        [$code, $text] = mariadb($proxy->port, 'select 1', 'tusk', '', 'refused', '--ssl --ssl-verify-server-cert');
        expect($code === 1 && str_contains($text, 'SSL'), "TLS without a certificate: $text");
        $proxy->logged('TLS without a certificate', 400, 0);
        $peer = $proxy->peer();
        mysql_login($peer, 'unsafe');
        $proxy->accept()->write(mysql_greeting());
        contains(mysql_packet($peer), '#HY000the backend has no TLS');
        $proxy->logged('TLS demanded of the backend', 502, 0);
        foreach (['before it greets' => '', 'in its greeting' => substr(mysql_greeting(), 0, 20)] as $row => $said) {
            $peer = $proxy->peer();
            mysql_login($peer, 'backend');
            $backend = $proxy->accept();
            $backend->write($said);
            $backend->close();
            contains(mysql_packet($peer), '#HY000the backend hung up during the login');
            $proxy->logged("gone $row", 502, 0);
        }
        $peer = $proxy->peer();
        mysql_login($peer, 'backend');
        $backend = $proxy->accept();
        $backend->write(mysql_greeting());
        contains(mysql_packet($backend), "tusk\0");
        $backend->write($ok = "\7\0\0\2\0\0\0\2\0\0\0");
        expect($peer->bytes(11) === $ok, 'OK');
        $backend->reset();
        expect($peer->rest() === '', 'reset in mid-stream');
        expect($proxy->logged('reset in mid-stream', 0, 0)['end'] === 'backend reset', 'its end');
        $proxy->end();
    });

    $s->test('refusals: HTTP', static function (): void {
        needs('curl');
        $proxy = new Faulty('http', "new HttpProxy(\$resolver, '127.0.0.1:0', validation: \$validation, " . TIMES . ', http: new \Tusk\Proxy\HttpLimits(headMs: 1000, keepAliveMs: 1000))', 'host');
        foreach (ANSWERS as $row => [$status, $reason, $errors]) {
            [$code, $text] = command("curl -s -w '%{http_code}' http://127.0.0.1:$proxy->port/ -H 'Host: $row'");
            expect($code === 0 && str_ends_with($text, ": $reason\n$status"), "$row: $text");
            $proxy->logged($row, $status, $errors);
        }
        foreach (['garbage' => ["\x16\x03\x01\0\x05hello\r\n\r\n", 400], 'no host' => ["GET / HTTP/1.1\r\n\r\n", 400], 'half a head' => ["GET / HTTP/1.1\r\n", 408]] as $row => [$bytes, $status]) {
            $peer = $proxy->peer();
            $peer->write($bytes);
            contains($peer->rest(), "HTTP/1.1 $status ", $row);
            $proxy->logged($row, $status, 0);
        }
        // Who connects and asks nothing, as browsers do ahead of time, has sent no request: no answer, no line.
        expect($proxy->peer()->rest() === '', 'nothing');
        [$code, $text] = command("curl -s -S -k https://127.0.0.1:$proxy->port/");
        expect($code === 35, "TLS without a certificate: $text");
        $proxy->logged('TLS without a certificate', 400, 0);
        foreach (['before its answer' => ['', 502], 'in its head' => ["HTTP/1.1 200 OK\r\nContent-", 502], 'no HTTP' => ["220 mail\r\n", 502]] as $row => [$said, $status]) {
            $peer = $proxy->peer();
            $peer->write("GET / HTTP/1.1\r\nHost: backend\r\n\r\n");
            $backend = $proxy->accept();
            $backend->until("\r\n\r\n");
            $backend->write($said);
            $row === 'no HTTP' ? null : $backend->reset();
            contains($peer->until("\r\n\r\n"), "HTTP/1.1 $status ", $row);
            $proxy->logged("gone $row", $status, 0);
            $peer->close();
        }
        $peer = $proxy->peer();
        $peer->write("GET / HTTP/1.1\r\nHost: backend\r\n\r\n");
        $backend = $proxy->accept();
        $backend->until("\r\n\r\n");
        $backend->write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
        $peer->until("\r\n\r\nhalf");
        $backend->reset();
        expect($peer->rest() === '', 'reset in mid-stream');
        $proxy->logged('reset in mid-stream', 200, 0);
        $proxy->end();
    });

    $s->test('refusals: SMTP', static function (): void {
        needs('swaks');
        $proxy = new Faulty('smtp', "new \\Tusk\\Proxy\\Smtp(\$resolver, '127.0.0.1:0', validation: \$validation, " . TIMES . ')', 'domain');
        $codes = [502 => '421 4.4.1', 504 => '421 4.4.1', 500 => '421 4.4.1', 403 => '550 5.7.1', 404 => '550 5.1.2'];
        foreach (ANSWERS as $row => [$status, $reason, $errors]) {
            [$code, $text] = command("swaks --server 127.0.0.1 --port $proxy->port --ehlo $row --quit-after EHLO");
            expect($code !== 0 && str_contains($text, "$codes[$status] $reason"), "$row: $text");
            $proxy->logged($row, $status, $errors);
        }
        $say = static function (string $bytes) use ($proxy): Peer {
            $peer = $proxy->peer();
            $peer->until("ESMTP\r\n");
            $peer->write($bytes);

            return $peer;
        };
        foreach (['garbage' => ["\x16\x03\x01\n\n", 421, '421 4.5.2 '], 'nothing' => ['', 421, '421 4.4.2 '], 'half a line' => ['EHLO bac', 421, '421 4.4.2 ']] as $row => [$bytes, $status, $words]) {
            contains($say($bytes)->rest(), $words, $row);
            $proxy->logged($row, $status, 0);
        }
        expect($say("HELLO\r\nQUIT\r\n")->rest() === "500 5.5.2 unknown command\r\n221 2.0.0 bye\r\n", 'no command');
        $proxy->logged('no command', 221, 0);
        expect($say("STARTTLS\r\nQUIT\r\n")->rest() === "502 5.5.1 TLS is not available\r\n221 2.0.0 bye\r\n", 'TLS without a certificate');
        $proxy->logged('TLS without a certificate', 221, 0);
        $peer = $say("EHLO unsafe\r\n");
        $backend = $proxy->accept();
        $backend->write("220 here\r\n");
        $backend->until("EHLO unsafe\r\n");
        $backend->write("250 no STARTTLS\r\n");
        contains($peer->rest(), '421 4.4.2 ', 'TLS demanded of the backend');
        $peer->close();
        $proxy->logged('TLS demanded of the backend', 421, 0);
        foreach (['before it greets' => '', 'in its greeting' => '220 he', 'no SMTP' => "HTTP/1.1 400 no\r\n"] as $row => $said) {
            $peer = $say("EHLO backend\r\n");
            $backend = $proxy->accept();
            $backend->write($said);
            $row === 'no SMTP' ? null : $backend->close();
            contains($peer->rest(), '421 4.4.2 ', $row);
            $peer->close();
            $proxy->logged("gone $row", 421, 0);
        }
        $peer = $say("EHLO backend\r\n");
        $backend = $proxy->accept();
        $backend->write("220 here\r\n");
        $backend->until("EHLO backend\r\n");
        $backend->write("250 here\r\n");
        $peer->until("250 ");
        $peer->until("\r\n");
        $peer->write("MAIL FROM:<a@b.test>\r\n");
        $backend->until("MAIL FROM:<a@b.test>\r\n");
        $backend->reset();
        contains($peer->rest(), '421 4.4.2 ', 'reset in mid-stream');
        $peer->close();
        $proxy->logged('reset in mid-stream', 421, 0);
        $proxy->end();
    });

    $s->test('refusals: a client without TLS where it is demanded', static function (): void {
        needs('psql');
        needs('mariadb');
        $pair = Certificates::of('db.example.org');
        $tls = "tls: new Tls('$pair.pem', '$pair.key'), downstream: TlsMode::Require, " . TIMES;
        $proxy = new Faulty('tls-postgres', "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Client, protocol: Protocol::Postgres, $tls)", 'database');
        [$code, $text] = psql($proxy->port, 'refused', 'select 1');
        expect($code === 2 && str_contains($text, 'FATAL:  TLS is demanded here'), $text);
        $proxy->logged('PostgreSQL', 403, 0);
        [$code, $text] = psql($proxy->port, 'refused', 'select 1', 'sslmode=require');
        expect($code === 2 && str_contains($text, 'FATAL:  the backend refuses connections'), "with it: $text");
        $proxy->logged('PostgreSQL with it', 502, 0);
        $proxy->end();
        $proxy = new Faulty('tls-mysql', "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, protocol: Protocol::Mysql, $tls)", 'database');
        [$code, $text] = mariadb($proxy->port, 'select 1', 'tusk', '', 'refused', '--skip-ssl');
        expect($code === 1 && str_contains($text, 'ERROR 3159 (HY000): Connections using insecure transport are prohibited'), $text);
        $proxy->logged('MySQL', 403, 0);
        [$code, $text] = mariadb($proxy->port, 'select 1', 'tusk', '', 'refused', '--ssl');
        expect($code === 1 && str_contains($text, 'ERROR 1429 (HY000): the backend refuses connections'), "with it: $text");
        $proxy->logged('MySQL with it', 502, 0);
        $proxy->end();
        $proxy = new Faulty('tls-smtp', "new \\Tusk\\Proxy\\Smtp(\$resolver, '127.0.0.1:0', validation: \$validation, $tls)", 'domain');
        $peer = $proxy->peer();
        $peer->until("ESMTP\r\n");
        $peer->write("EHLO backend\r\n");
        $backend = $proxy->accept();
        $backend->write("220 here\r\n");
        $backend->until("EHLO backend\r\n");
        $backend->write("250 here\r\n");
        $peer->until("250 STARTTLS\r\n");
        $peer->write("MAIL FROM:<a@b.test>\r\n");
        expect($peer->until("\r\n") === "530 5.7.0 STARTTLS first\r\n", 'SMTP');
        $peer->close();
        $proxy->logged('SMTP', 0, 0);
        $proxy->end();
        $proxy = new Faulty('tls-http', "new HttpProxy(\$resolver, '127.0.0.1:0', validation: \$validation, tls: new Tls('$pair.pem', '$pair.key'))", 'host');
        [$code, $text] = command("curl -s -i http://127.0.0.1:$proxy->port/ -H 'Host: refused'");
        expect($code === 0 && str_starts_with($text, 'HTTP/1.1 400 ') && str_contains($text, 'TLS is spoken here'), "HTTP: $text");
        [$code, $text] = command("curl -s -k https://127.0.0.1:$proxy->port/ -H 'Host: refused'");
        expect($code === 0 && str_contains($text, '502 Bad Gateway: the backend refuses connections'), "with it: $text");
        $proxy->logged('HTTP with it', 502, 0);
        $proxy->end();
    });

    $s->test('refusals: TCP, which has no words', static function (): void {
        $proxy = new Faulty('tcp', "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Client, protocol: Protocol::Raw, " . TIMES . ')', 'first');
        foreach (ANSWERS as $row => [$status, $reason, $errors]) {
            $peer = $proxy->peer();
            $peer->write($row);
            expect($peer->rest() === '', $row);
            $proxy->logged($row, $status, $errors);
        }
        $proxy->end();
    });
};
