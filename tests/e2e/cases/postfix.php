<?php

declare(strict_types=1);

// The SMTP proxy before Postfix, which trusts it with XCLIENT: PIPELINING, CHUNKING, DSN, the client's own address.
// tools/setup does not install Postfix: on a developer's machine it would open port 25.

namespace Tusk\E2e;

use function Tusk\Tests\free_port;

/** A Postfix of its own, in a folder; what it takes it throws away. Needs root, as Postfix's master does. */
final class Postfix
{
    public int $port;
    private string $folder;

    public function __construct()
    {
        needs('postfix');
        if (posix_getuid() !== 0) {
            throw new Absent('Postfix starts as root only');
        }
        $this->folder = folder() . '/postfix';
        foreach (['conf', 'queue', 'data'] as $name) {
            mkdir("$this->folder/$name", 0755, true);
        }
        chown("$this->folder/data", 'postfix');
        $this->port = free_port();
        $daemons = trim(command('env PATH=$PATH:/usr/sbin postconf -h daemon_directory')[1]);
        file_put_contents("$this->folder/conf/main.cf", <<<CF
            compatibility_level = 3.6
            queue_directory = $this->folder/queue
            data_directory = $this->folder/data
            command_directory = /usr/sbin
            daemon_directory = $daemons
            mail_owner = postfix
            setgid_group = postdrop
            myhostname = mail.test
            mydestination =
            inet_interfaces = 127.0.0.1
            inet_protocols = ipv4
            default_transport = discard
            local_transport = discard
            mynetworks = 127.0.0.0/8
            smtpd_relay_restrictions = permit_mynetworks, defer_unauth_destination
            smtpd_data_restrictions = reject_unauth_pipelining
            smtpd_peername_lookup = no
            smtpd_authorized_xclient_hosts = 127.0.0.1
            maillog_file = $this->folder/log
            maillog_file_prefixes = $this->folder
            alias_maps =
            alias_database =

            CF);
        $services = "127.0.0.1:$this->port inet n - n - - smtpd\npostlog unix-dgram n - n - 1 postlogd\nqmgr unix n - n 300 1 qmgr\n";
        foreach (['cleanup' => 'cleanup', 'rewrite' => 'trivial-rewrite', 'bounce' => 'bounce', 'defer' => 'bounce', 'trace' => 'bounce', 'discard' => 'discard',
            'error' => 'error', 'retry' => 'error', 'proxymap' => 'proxymap', 'anvil' => 'anvil'] as $name => $daemon) {
            $services .= "$name unix " . ($name === 'cleanup' ? 'n' : '-') . ' - n - ' . ($name === 'anvil' ? '1' : '0') . " $daemon\n";
        }
        file_put_contents("$this->folder/conf/master.cf", $services);
        [$status, $text] = $this->run('start');
        expect($status === 0, "postfix: $text");
        await(fn (): bool => @stream_socket_client("tcp://127.0.0.1:$this->port") !== false, 'Postfix listens: ' . $this->log());
    }

    public function __destruct()
    {
        if (isset($this->port)) {
            $this->run('stop');
            command('rm -rf ' . escapeshellarg($this->folder));
        }
    }

    public function log(): string
    {
        return (string) @file_get_contents("$this->folder/log");
    }

    /** @return array{int, string} */
    private function run(string $verb): array
    {
        return command("env PATH=\$PATH:/usr/sbin postfix -c $this->folder/conf $verb");
    }
}

return static function (Suite $s): void {
    $s->test('postfix: pipelined commands, chunks, and the address of the client by XCLIENT', static function (): void {
        $server = new Postfix();
        $here = new Script(<<<PHP
            use Tusk\\Proxy\\{Lookup, Resolver, Route, Smtp, Validation};
            \$proxy = new Smtp(new class implements Resolver {
                public function resolve(Lookup \$l): Route { return Route::to('127.0.0.1:$server->port'); }
            }, '127.0.0.1:0', validation: Validation::none());
            \$proxy->onStart(\$started);
            exit(\$proxy->run());
            PHP);
        $peer = new Peer("tcp://127.0.0.1:$here->port", bind: '127.0.0.9:0');
        $peer->until("ESMTP\r\n");
        $peer->write("EHLO client.test\r\n");
        $hello = $peer->until("250 CHUNKING\r\n");
        foreach (['PIPELINING', 'SIZE', 'ENHANCEDSTATUSCODES', '8BITMIME', 'DSN', 'SMTPUTF8'] as $extension) {
            contains($hello, "250-$extension");
        }
        expect(!str_contains($hello, 'XCLIENT') && !str_contains($hello, 'ETRN'), $hello);
        $peer->write("MAIL FROM:<a@client.test> RET=HDRS ENVID=x1\r\nRCPT TO:<b@server.test> NOTIFY=NEVER\r\nRCPT TO:<broken\r\nDATA\r\n");
        $answers = $peer->until("354 ") . $peer->until("\r\n");
        expect(preg_match('/^250 2\.1\.0 .*\r\n250 2\.1\.5 .*\r\n501 5\.1\.3 .*\r\n354 /', $answers) === 1, $answers);
        $peer->write("Subject: one\r\n\r\n..\r\n.\r\nMAIL FROM:<a@client.test>\r\nRCPT TO:<b@server.test>\r\n");
        contains($peer->until("\r\n"), '250 2.0.0 Ok: queued as');
        $peer->until("250 2.1.0 Ok\r\n250 2.1.5 Ok\r\n");
        $peer->write("BDAT 16\r\nSubject: two\r\n\r\nBDAT 7 LAST\r\n\r\n.\r\nxxXCLIENT ADDR=10.0.0.1\r\nQUIT\r\n");
        $rest = $peer->rest();
        expect(preg_match('/^250 2\.0\.0 .*\r\n250 2\.0\.0 Ok: .*queued as .*\r\n550 5\.7\.0 not for clients\r\n221 2\.0\.0 Bye\r\n$/', $rest) === 1, $rest);
        await(static fn (): bool => substr_count($server->log(), 'client=unknown[127.0.0.9]') === 2, 'Postfix knows the client: ' . $server->log());
        expect($here->stop() === 0, $here->log());
    });
};
