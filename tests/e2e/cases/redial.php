<?php

declare(strict_types=1);

// Several targets: one that is connected to and then serves nobody is left for another one, with every engine, and each thing that a client said goes to one backend, once.

namespace Tusk\E2e;

/** Two backends that the test plays, behind a proxy that tries the bad one first; its access log. */
final class Redialled
{
    public readonly Script $script;
    public readonly string $good;
    /** @var resource */
    private $bad;
    /** @var resource */
    private $well;
    private readonly string $access;
    private int $lines = 0;

    /** @param string $make the proxy, up to its limits */
    public function __construct(string $name, string $make, string $route = '')
    {
        $this->bad = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('no port');
        $this->well = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('no port');
        [$bad, $this->good] = [stream_socket_get_name($this->bad, false), stream_socket_get_name($this->well, false)];
        $this->access = folder() . "/redial-$name.log";
        @unlink($this->access);
        touch($this->access);
        $this->script = proxy(
            "(fn () => [\$p = $make, limits: new \\Tusk\\Proxy\\Limits(backendFirstMs: 400, ejectFailures: 0)), \$p->onAccess(Tusk\\Proxy\\AccessLog::to('$this->access'))][0])()",
            "Route::to([new \\Tusk\\Proxy\\Target('$bad', 1_000_000), '$this->good'], ttl: 0.0$route)",
        );
    }

    private function from($listener): Peer
    {
        return Peer::of(stream_socket_accept($listener, PATIENCE) ?: throw new Failed('nobody came'));
    }

    public function bad(): Peer
    {
        return $this->from($this->bad);
    }

    public function good(): Peer
    {
        return $this->from($this->well);
    }

    /** The one line of this session. */
    public function logged(string $row, string $end, int $status, bool $served): void
    {
        $lines = fn (): array => array_slice(explode("\n", (string) file_get_contents($this->access)), $this->lines, -1); // whole ones, as a page may be written before the next
        await(fn (): bool => $lines() !== [], "$row: an access line");
        $got = $lines();
        $this->lines += count($got);
        expect(count($got) === 1, "$row: access lines " . implode("\n", $got));
        $access = (array) json_decode($got[0], true);
        expect($access['end'] === $end && $access['status'] === $status, "$row: $got[0]");
        expect(!$served || $access['target'] === $this->good, "$row: served by the good one: $got[0]");
        expect(!str_contains($this->script->log(), 'Tusk: '), "$row: error log " . $this->script->log());
    }

    public function end(): void
    {
        expect($this->script->stop() === 0, 'exit code');
        expect(count(file($this->access) ?: []) === $this->lines, 'access lines at the end');
    }
}

return static function (Suite $s): void {
    // After its connection stands: before that it is one that cannot be reached.
    $hangs_up = static function (Peer $backend): void {
        usleep(20_000);
        $backend->close();
    };
    $resets = static function (Peer $backend): void {
        usleep(20_000);
        $backend->reset();
    };
    // Nothing of the client's ever came here.
    $says = static fn (string $words, string $hears = ''): \Closure => static function (Peer $backend) use ($words, $hears): void {
        $backend->write($words);
        $heard = $backend->rest();
        expect($heard === $hears, 'it heard ' . json_encode($heard));
    };
    $full = "\x17\0\0\0\xff\x10\x04Too many connections";

    foreach (['Copy', 'Splice', 'Uring'] as $engine) {
        $s->test("redial: MySQL backends that do not greet ($engine)", static function () use ($engine, $hangs_up, $resets, $says, $full): void {
            $proxy = new Redialled("mysql-$engine", "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Client, protocol: Protocol::Mysql, engine: Engine::$engine");
            $gone = 'the backend hung up during the login';
            $late = 'the backend did not answer the login in time';
            $rows = ['hangs up' => [$hangs_up, "#HY000$gone", $gone, 502], 'resets' => [$resets, "#HY000$gone", $gone, 502],
                'is silent' => [$says(''), "#HY000$late", $late, 504], 'is full' => [$says($full), "\x10\x04Too many connections", 'backend refused', 502]];
            foreach ($rows as $row => [$serve, $words, $end, $status]) {
                $peer = $proxy->script->peer();
                mysql_login($peer, 'shop');
                $serve($proxy->bad());
                $backend = $proxy->good();
                $backend->write(mysql_greeting());
                contains(mysql_packet($backend), "tusk\0", $row);
                $backend->write($ok = "\7\0\0\2\0\0\0\2\0\0\0");
                expect($peer->bytes(11) === $ok, "$row: OK");
                $peer->write($query = "\x09\0\0\0\x03select 1");
                expect($backend->bytes(strlen($query)) === $query, "$row: a query");
                $peer->close();
                expect($backend->rest() === '', "$row: and nothing else");
                $backend->close();
                $proxy->logged($row, 'done', 0, true);
                $peer = $proxy->script->peer();
                mysql_login($peer, 'shop');
                $serve($proxy->bad());
                $serve($proxy->good());
                contains(mysql_packet($peer), $words, "both: $row");
                expect($peer->rest() === '', "both: $row: one answer");
                $proxy->logged("both: $row", $end, $status, false);
            }
            $proxy->end();
        });
        $s->test("redial: PostgreSQL backends that do not answer about TLS ($engine)", static function () use ($engine, $hangs_up, $resets, $says): void {
            $proxy = new Redialled(
                "postgres-$engine",
                "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Client, protocol: Protocol::Postgres, engine: Engine::$engine",
                ', tls: new UpstreamTls(require: false, verify: false)',
            );
            $asks = "\0\0\0\x08\x04\xd2\x16\x2f";
            $rows = ['hangs up' => [$hangs_up, 'the backend hung up', 502], 'resets' => [$resets, 'backend reset', 502], 'is silent' => [$says('', $asks), 'the backend did not answer in time', 504]];
            foreach ($rows as $row => [$serve, $end, $status]) {
                $peer = $proxy->script->peer();
                $peer->write($startup = postgres_startup('shop'));
                $serve($proxy->bad());
                $backend = $proxy->good();
                expect($backend->bytes(8) === $asks, "$row: SSLRequest");
                $backend->write('N');
                expect($backend->bytes(strlen($startup)) === $startup, "$row: the startup packet");
                $backend->write($ready = "Z\0\0\0\5I");
                expect($peer->bytes(6) === $ready, "$row: what it answers");
                $peer->close();
                expect($backend->rest() === '', "$row: once");
                $backend->close();
                $proxy->logged($row, 'done', 0, true);
                $peer = $proxy->script->peer();
                $peer->write($startup);
                $serve($proxy->bad());
                $serve($proxy->good());
                [$state, $text] = postgres_error($peer->rest());
                expect($state === '08006', "both: $row: $state $text");
                $proxy->logged("both: $row", $text, $status, false);
                expect($row === 'hangs up' || $text === $end, "both: $row: $text");
            }
            $proxy->end();
        });
    }

    $s->test('redial: mail servers that do not greet, or die before they have answered EHLO', static function () use ($hangs_up, $resets, $says): void {
        $proxy = new Redialled('smtp', "new \\Tusk\\Proxy\\Smtp(\$resolver, '127.0.0.1:0', validation: \$validation");
        $dies = static function (Peer $backend): void {
            $backend->write("220 ready\r\n");
            $backend->until("EHLO a.example\r\n");
            $backend->close();
        };
        $rows = ['hangs up' => [$hangs_up, '421 4.4.2 the mail server is gone', 'backend reset'], 'resets' => [$resets, '421 4.4.2 the mail server is gone', 'backend reset'],
            'is silent' => [$says(''), '421 4.4.2 the mail server does not answer', 'backend timed out'],
            'is busy' => [$says("421-mail\r\n421 4.3.2 too busy\r\n", "QUIT\r\n"), "421-mail\r\n421 4.3.2 too busy", 'backend refused'],
            'dies at EHLO' => [$dies, '421 4.4.2 the mail server is gone', 'backend reset']];
        foreach ($rows as $row => [$serve, $words, $end]) {
            $peer = $proxy->script->peer();
            $peer->until("\r\n");
            $peer->write("EHLO a.example\r\nMAIL FROM:<a@a.example>\r\nRCPT TO:<b@b.example>\r\nDATA\r\n");
            $serve($proxy->bad());
            $backend = $proxy->good();
            $backend->write("220 ready\r\n");
            expect($backend->until("\r\n") === "EHLO a.example\r\n", "$row: EHLO");
            $backend->write("250-mail.example\r\n250 PIPELINING\r\n");
            $backend->until("DATA\r\n");
            $backend->write("250 sender\r\n250 recipient\r\n354 go\r\n");
            $peer->until("354 go\r\n");
            $peer->write("once\r\n.\r\n");
            $mail = $backend->until("\r\n.\r\n");
            expect(substr_count($mail, 'once') === 1, "$row: the mail: $mail");
            $backend->write("250 taken\r\n");
            $peer->until("250 taken\r\n");
            $peer->write("QUIT\r\n");
            $backend->until("QUIT\r\n");
            $backend->write("221 bye\r\n");
            contains($peer->rest(), '221 bye', $row);
            $proxy->logged($row, 'done', 0, true);
            $peer = $proxy->script->peer();
            $peer->until("\r\n");
            $peer->write("EHLO a.example\r\n");
            $serve($proxy->bad());
            $serve($proxy->good());
            expect($peer->rest() === "$words\r\n", "both: $row");
            $proxy->logged("both: $row", $end, 421, false);
        }
        foreach (['554 no service here' => ['554 no service here', '554 no service here'], '421 no service here' => ['421 busy', '554 no service here']] as $words => [$first, $second]) {
            $peer = $proxy->script->peer();
            $peer->until("\r\n");
            $peer->write("EHLO a.example\r\nQUIT\r\n");
            $says("$first\r\n", "QUIT\r\n")($proxy->bad());
            $says("$second\r\n", "QUIT\r\n")($proxy->good());
            expect($peer->until("\r\n") === "$words\r\n", $words);
            $proxy->logged($words, 'backend refused', (int) $words, false);
        }
        $proxy->end();
    });
};
