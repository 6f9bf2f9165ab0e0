<?php

declare(strict_types=1);

// The SMTP proxy between real servers (aiosmtpd) and real clients (swaks, curl).

namespace Tusk\E2e;

/** An aiosmtpd of its own: every message it takes is a line of JSON. */
final class MailServer
{
    public int $port = 0;
    /** @var resource */
    private $process;
    private string $log;

    /** @param string $certificate path without suffix; '': no TLS, and AUTH is offered */
    public function __construct(string $name, string $certificate = '')
    {
        $python = self::python();
        $file = folder() . "/$name.py";
        $this->log = folder() . "/$name.log";
        file_put_contents($file, <<<'PYTHON'
            import asyncio, json, ssl, sys
            from aiosmtpd.smtp import SMTP, AuthResult

            class Handler:
                async def handle_DATA(self, server, session, envelope):
                    print(json.dumps({"from": envelope.mail_from, "to": envelope.rcpt_tos, "utf8": envelope.smtp_utf8,
                                      "user": session.auth_data if isinstance(session.auth_data, str) else None, "tls": session.ssl is not None,
                                      "helo": session.host_name, "body": envelope.content.decode("utf-8", "replace")}), flush=True)
                    return "250 2.0.0 taken"

            def authenticate(server, session, envelope, mechanism, data):
                fine = data.login == b"alice" and data.password == b"secret"
                return AuthResult(success=fine, handled=False, auth_data="alice" if fine else None)

            def make():
                if len(sys.argv) > 1:
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(sys.argv[1] + ".pem", sys.argv[1] + ".key")
                    return SMTP(Handler(), enable_SMTPUTF8=True, tls_context=context, require_starttls=True)
                return SMTP(Handler(), enable_SMTPUTF8=True, authenticator=authenticate, auth_require_tls=False)

            async def main():
                server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
                print("port", server.sockets[0].getsockname()[1], flush=True)
                await server.serve_forever()

            asyncio.run(main())
            PYTHON . "\n");
        file_put_contents($this->log, '');
        $out = ['file', $this->log, 'a'];
        $this->process = proc_open(['bash', '-c', "exec $python -W ignore $file $certificate"], [['file', '/dev/null', 'r'], $out, $out], $pipes)
            ?: throw new Failed('aiosmtpd does not start');
        await(fn (): bool => preg_match('/^port (\d+)$/m', $this->log(), $m) === 1 && ($this->port = (int) $m[1]) > 0, 'aiosmtpd listens: ' . $this->log());
    }

    public function __destruct()
    {
        $this->stop();
    }

    public function stop(): void
    {
        if (is_resource($this->process)) {
            proc_terminate($this->process, 9);
            proc_close($this->process);
        }
    }

    /** The first Python here that has aiosmtpd: the system's may not be the first one in the path. */
    private static function python(): string
    {
        foreach (['/usr/bin/python3', 'python3'] as $python) {
            if (command("$python -c 'import aiosmtpd'")[0] === 0) {
                return $python;
            }
        }
        throw new Absent('no aiosmtpd');
    }

    public function log(): string
    {
        return (string) file_get_contents($this->log);
    }

    /** @return list<array{from: string, to: list<string>, utf8: bool, user: ?string, tls: bool, helo: string, body: string}> */
    public function mails(): array
    {
        return array_values(array_map(static fn (string $line): array => (array) json_decode($line, true), preg_grep('/^\{/', explode("\n", $this->log())) ?: []));
    }
}

return static function (Suite $s): void {
    $proxy = static function (MailServer $plain, ?MailServer $secure = null): Script {
        $pair = Certificates::of('mail.test');
        $ca = Certificates::ca();
        $secure_port = $secure === null ? 1 : $secure->port;

        return new Script(<<<PHP
            use Tusk\\Proxy\\{Lookup, Refused, Resolver, Route, Smtp, UpstreamTls, Validation};
            \$proxy = new Smtp(new class implements Resolver {
                public function resolve(Lookup \$l): Route {
                    return match (\$l->domain) {
                        'plain.test' => Route::to('127.0.0.1:$plain->port'),
                        'secure.test' => Route::to('127.0.0.1:$secure_port', tls: new UpstreamTls(ca: '$ca.pem', name: 'mail.test')),
                        default => throw new Refused(404, 'no such customer'),
                    };
                }
            }, '127.0.0.1:0', validation: Validation::publicOnly()->allow('127.0.0.0/8'), tls: new Tls('$pair.pem', '$pair.key'));
            \$proxy->onStart(\$started);
            \$proxy->onAccess(function (\$access): void { echo "access \$access->end \$access->target\\n"; });
            exit(\$proxy->run());
            PHP);
    };
    $swaks = static fn (Script $here, string $ehlo, string $more = ''): array
        => command("swaks --server 127.0.0.1 --port $here->port --ehlo $ehlo --from a@client.test --to b@server.test --body 'hello' $more");

    $s->test('smtp: swaks through the proxy to aiosmtpd, routed by EHLO', static function () use ($proxy, $swaks): void {
        needs('swaks');
        $server = new MailServer('plain');
        $here = $proxy($server);
        [$status, $text] = $swaks($here, 'plain.test');
        expect($status === 0, $text);
        contains($text, '250-8BITMIME');
        contains($text, 'STARTTLS');
        contains($text, '250 2.0.0 taken');
        $mails = $server->mails();
        expect(count($mails) === 1 && $mails[0]['from'] === 'a@client.test' && $mails[0]['helo'] === 'plain.test', (string) json_encode($mails));
        contains($mails[0]['body'], 'hello');
        [$status, $text] = $swaks($here, 'nobody.test');
        expect($status !== 0, $text);
        contains($text, '550 5.1.2 no such customer');
        $here->awaitLog('access done');
        expect($here->stop() === 0, $here->log());
    });

    $s->test('smtp: STARTTLS towards the proxy and towards the server, the certificate checked', static function () use ($proxy, $swaks): void {
        needs('swaks');
        if (!str_contains(command('swaks --support')[1], '=== TLS supported')) {
            throw new Absent('swaks has no TLS');
        }
        $server = new MailServer('secure', Certificates::of('mail.test'));
        $here = $proxy($server, $server);
        [$status, $text] = $swaks($here, 'secure.test', '--tls');
        expect($status === 0, $text);
        contains($text, 'TLS started');
        contains($text, '250 2.0.0 taken');
        $mails = $server->mails();
        expect(count($mails) === 1 && $mails[0]['tls'], (string) json_encode($mails));
        [$status, $text] = $swaks($here, 'plain.test', '--tls'); /* that server wants STARTTLS, this route gives none */
        expect($status !== 0, $text);
        contains($text, '530');
        expect(count($server->mails()) === 1, 'a message without TLS was taken');
    });

    $s->test('smtp: AUTH passes on, right and wrong', static function () use ($proxy, $swaks): void {
        needs('swaks');
        $server = new MailServer('auth');
        $here = $proxy($server);
        foreach (['PLAIN', 'LOGIN'] as $mechanism) {
            [$status, $text] = $swaks($here, 'plain.test', "--auth $mechanism --auth-user alice --auth-password secret");
            expect($status === 0, $text);
            contains($text, '235 2.7.0');
        }
        [$status, $text] = $swaks($here, 'plain.test', '--auth PLAIN --auth-user alice --auth-password wrong');
        expect($status !== 0, $text);
        contains($text, '535 5.7.8');
        $mails = $server->mails();
        expect(count($mails) === 2 && $mails[0]['user'] === 'alice' && $mails[1]['user'] === 'alice', (string) json_encode($mails));
    });

    $s->test('smtp: curl sends 8 MiB with dots at line starts, and a name beyond ASCII', static function () use ($proxy): void {
        needs('curl');
        $server = new MailServer('large');
        $here = $proxy($server);
        $body = "Subject: large\r\n\r\n" . str_repeat(".\r\n..\r\n" . str_repeat('x', 70) . "\r\n", 1 << 16);
        file_put_contents(folder() . '/mail', $body);
        [$status, $text] = command("curl -sS smtp://127.0.0.1:$here->port/plain.test --mail-from a@client.test --mail-rcpt b@server.test -T " . folder() . '/mail');
        expect($status === 0, $text);
        $mails = $server->mails();
        expect(count($mails) === 1 && $mails[0]['body'] === $body, 'the message changed on its way: ' . strlen($mails[0]['body'] ?? ''));
        $peer = $here->peer();
        $peer->until("ESMTP\r\n");
        $peer->write("EHLO plain.test\r\n");
        contains($peer->until("250 STARTTLS\r\n"), '250-SMTPUTF8');
        foreach (['MAIL FROM:<jörg@client.test> SMTPUTF8 BODY=8BITMIME' => '250 ', 'RCPT TO:<bücher@server.test>' => '250 ', 'DATA' => '354 '] as $line => $answer) {
            $peer->write("$line\r\n");
            expect(str_starts_with($got = $peer->until("\r\n"), $answer), "$line: $got");
        }
        $peer->write("Subject: ü\r\n\r\nü\r\n.\r\nQUIT\r\n");
        $peer->until("250 2.0.0 taken\r\n");
        $peer->rest();
        expect($server->mails()[1]['from'] === 'jörg@client.test' && $server->mails()[1]['utf8'], 'SMTPUTF8 was lost');
    });

    $s->test('smtp: a server that is killed in mid-message is a clear 4xx, and no mail', static function () use ($proxy): void {
        $server = new MailServer('killed');
        $here = $proxy($server);
        $peer = $here->peer();
        $peer->until("ESMTP\r\n");
        $peer->write("EHLO plain.test\r\nMAIL FROM:<a@client.test>\r\nRCPT TO:<b@server.test>\r\nDATA\r\n");
        $peer->until("354 ");
        $peer->until("\r\n");
        $peer->write("Subject: half\r\n\r\n");
        $server->stop();
        $peer->write("the other half\r\n.\r\n");
        contains($peer->rest(), '421 4.4.2 ');
        expect($server->mails() === [], 'half a message was taken');
        $peer = $here->peer();
        $peer->until("ESMTP\r\n");
        $peer->write("EHLO plain.test\r\n");
        contains($peer->rest(), '421 4.4.1 ');
    });

    $s->test('smtp: smuggled ends reach no server', static function () use ($proxy): void {
        $server = new MailServer('smuggled');
        $here = $proxy($server);
        foreach (["\n.\n", "\n.\r\n", "\r.\r\n", "\r\n.\n", "\r\n.\r"] as $end) {
            $peer = $here->peer();
            $peer->until("ESMTP\r\n");
            $peer->write("EHLO plain.test\r\nMAIL FROM:<a@client.test>\r\nRCPT TO:<b@server.test>\r\nDATA\r\n");
            $peer->until('354 ');
            $peer->until("\r\n");
            $peer->write("Subject: outer\r\n\r\nx{$end}MAIL FROM:<admin@server.test>\r\nRCPT TO:<b@server.test>\r\nDATA\r\ninner\r\n.\r\n");
            contains($peer->rest(), '550 5.6.0 ');
        }
        expect($server->mails() === [], (string) json_encode($server->mails()));
    });
};
