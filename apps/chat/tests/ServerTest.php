<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Chat\Tests\Support\RunningServer;
use Tusk\WebSocket\{CloseFrame, Frames, Protocol};

/** The real server in a process of its own, spoken to over its port. */
final class ServerTest extends TestCase
{
    private string $folder;
    private ?RunningServer $server = null;

    protected function setUp(): void
    {
        if (!RunningServer::isPossible()) {
            self::markTestSkipped('the extension tusk is not loaded');
        }
        $this->folder = sys_get_temp_dir() . '/tusk-chat-server-' . bin2hex(random_bytes(6));
        mkdir($this->folder, 0700);
    }

    protected function tearDown(): void
    {
        $this->server?->stop(SIGKILL);
        foreach (glob("{$this->folder}/*") ?: [] as $file) {
            unlink($file);
        }
        @rmdir($this->folder);
    }

    public function test_the_page_comes_with_a_policy_and_its_parts_with_their_types(): void
    {
        $server = $this->start();
        $page = $server->ask('GET', '/');
        self::assertSame(200, $page['status']);
        self::assertMatchesRegularExpression("~^Content-Security-Policy: default-src 'self';~mi", $page['headers']);
        self::assertMatchesRegularExpression('~^X-Content-Type-Options: nosniff\r?$~mi', $page['headers']);
        preg_match('~^ETag: (\S+)\r?$~mi', $page['headers'], $etag);
        $again = $server->ask('GET', '/', ['If-None-Match: ' . ($etag[1] ?? '')]);
        self::assertSame([304, ''], [$again['status'], $again['body']]);
        self::assertMatchesRegularExpression("~^Content-Security-Policy: default-src 'self';~mi", $again['headers']);
        preg_match_all('~(?:href|src)="(/assets/[^"#]+)"~', $page['body'], $m);
        self::assertGreaterThan(3, count($m[1]));
        foreach (array_unique($m[1]) as $path) {
            $part = $server->ask('GET', $path);
            self::assertSame(200, $part['status'], $path);
            $type = ['css' => 'text/css', 'js' => 'text/javascript', 'svg' => 'image/svg\+xml'][pathinfo($path, PATHINFO_EXTENSION)];
            self::assertMatchesRegularExpression("~^Content-Type: $type~mi", $part['headers']);
        }
        foreach (['/assets/../../src/Chat.php', '/assets/%2e%2e/%2e%2e/src/Chat.php', '/assets/..%2f..%2fsrc/Chat.php'] as $path) {
            $answer = $server->ask('GET', $path);
            self::assertGreaterThanOrEqual(400, $answer['status'], $path);
            self::assertStringNotContainsString('namespace', $answer['body']);
        }
        self::assertSame(404, $server->ask('GET', '/nowhere')['status']);
        self::assertSame(405, $server->ask('DELETE', '/messages')['status']);
    }

    public function test_a_script_logs_in_listens_and_sends(): void
    {
        $server = $this->start();
        [$anna, $ben] = [$server->login('anna'), $server->login('ben')];
        $events = $server->events('/events', [$anna]);
        self::assertSame(200, $events->status);
        self::assertMatchesRegularExpression('~^Content-Type: text/event-stream~mi', $events->head);
        self::assertSame(['name' => 'anna', 'protected' => false, 'open' => false], $events->nextOf('welcome')['you']);
        $events->nextOf('ready');
        $sent = $server->post('/messages', ['to' => 'anna', 'text' => "two\nlines"], [$ben]);
        self::assertSame(201, $sent['status'], $sent['body']);
        self::assertSame("two\nlines", $events->nextText());
        self::assertStringContainsString("\"id\":{$events->lastId},", $sent['body']);
    }

    public function test_who_is_not_logged_in_or_comes_from_elsewhere_is_refused_everywhere(): void
    {
        $server = $this->start();
        $anna = $server->login('anna');
        $upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: ' . base64_encode(random_bytes(16))];
        self::assertSame(401, $server->events('/events')->status);
        self::assertSame(401, $server->events('/events', ['Cookie: tusk_chat=c.forged'])->status);
        self::assertSame(401, $server->ask('GET', '/ws', $upgrade)['status']);
        self::assertSame(403, $server->ask('GET', '/ws', [$anna, 'Origin: http://evil.test', ...$upgrade])['status']);
        self::assertSame(403, $server->events('/events', [$anna, 'Sec-Fetch-Site: cross-site'])->status);
        self::assertSame(401, $server->post('/messages', ['to' => 'all', 'text' => 'x'])['status']);
        self::assertSame(403, $server->post('/messages', ['to' => 'all', 'text' => 'x'], [$anna, 'Origin: http://evil.test'])['status']);
        self::assertSame(403, $server->post('/login', ['name' => 'ben'], ['Sec-Fetch-Site: cross-site'])['status']);
        self::assertSame(400, $server->ask('POST', '/messages', [$anna, 'Content-Type: application/json'], '{')['status']);
        self::assertSame(413, $server->post('/messages', ['to' => 'all', 'text' => str_repeat('x', 100_000)], [$anna])['status']);
        self::assertSame(404, $server->events('/anna')->status, 'no classic interface without open mode');
    }

    public function test_both_transports_show_the_same_room(): void
    {
        $server = $this->start();
        [$anna, $ben] = [$server->login('anna'), $server->login('ben')];
        $events = $server->events('/events', [$anna]);
        $events->nextOf('ready');
        $socket = $server->connect();
        $key = base64_encode(random_bytes(16));
        fwrite($socket, RunningServer::head('GET', '/ws', $server->port, [$ben, 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', "Sec-WebSocket-Key: $key"]));
        $this->sendFrame($socket, ['do' => 'send', 'ref' => 1, 'to' => 'all', 'text' => 'over the socket']);
        self::assertSame('over the socket', $events->nextText());
        $server->post('/messages', ['to' => 'all', 'text' => 'over HTTP'], [$anna]);
        $seen = $this->framesUntil($socket, 'over HTTP');
        self::assertSame(['over the socket', 'over HTTP'], $seen['texts']);
        self::assertSame([1 => 201], $seen['replies']);
        fclose($socket);
    }

    public function test_what_was_acknowledged_survives_a_kill_and_a_stream_resumes_by_its_cursor(): void
    {
        $server = $this->start();
        $anna = $server->login('anna');
        $events = $server->events('/events', [$anna]);
        $events->nextOf('ready');
        $server->post('/messages', ['to' => 'all', 'text' => 'seen'], [$anna]);
        self::assertSame('seen', $events->nextText());

        // Twenty at once on as many connections; the process is killed while they are under way.
        $sockets = [];
        for ($i = 0; $i < 20; $i++) {
            $body = http_build_query(['to' => 'all', 'text' => "n$i", 'nonce' => "nonce-$i"]);
            $sockets[$i] = $server->connect();
            fwrite($sockets[$i], RunningServer::head('POST', '/messages', $server->port, [$anna, 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: ' . strlen($body)]) . $body);
        }
        stream_set_timeout($sockets[0], 20);
        $first = (string) fread($sockets[0], 4096);
        self::assertSame(-SIGKILL, $server->stop(SIGKILL));
        $acknowledged = [];
        foreach ($sockets as $i => $socket) {
            $answer = ($i === 0 ? $first : '') . stream_get_contents($socket);
            if (str_contains($answer, ' 201 ')) {
                $acknowledged[] = "n$i";
            }
            fclose($socket);
        }
        self::assertContains('n0', $acknowledged);

        $server->start();
        // Every client repeats what it has no answer for, and some what it has one for.
        for ($i = 0; $i < 20; $i++) {
            self::assertSame(201, $server->post('/messages', ['to' => 'all', 'text' => "n$i", 'nonce' => "nonce-$i"], [$anna])['status']);
        }
        $again = $server->events('/events', [$anna, "Last-Event-ID: {$events->lastId}"]);
        $replayed = [];
        while (($event = $again->next())['event'] !== 'ready') {
            $message = json_decode($event['data'], true);
            if (is_array($message) && is_string($message['text'] ?? null) && $message['text'] !== '') {
                $replayed[] = $message['text'];
            }
            self::assertNotSame('reset', $event['event']);
        }
        self::assertSame([], array_diff($acknowledged, $replayed));
        sort($replayed, SORT_NATURAL);
        self::assertSame(array_map(static fn (int $i): string => "n$i", range(0, 19)), $replayed);
    }

    public function test_open_mode_is_loud_and_has_the_classic_interface(): void
    {
        $server = $this->start('--open');
        self::assertStringContainsString('OPEN MODE', $server->errors());
        $server->ask('GET', '/msg/ben/anna%20kept%20for%20you%2Fhere%3F');
        $anna = $server->events('/anna');
        self::assertSame('Welcome, anna!', $anna->next()['data']);
        self::assertSame('Online: anna', $anna->next()['data']);
        self::assertSame('kept for you/here?', $anna->nextText());
        $ben = $server->events('/ben');
        $tab = $server->events('/ben');
        $tab->nextOf('ready');
        self::assertSame(200, $server->ask('GET', '/msg/ben/all%20hello%20all')['status']);
        foreach ([$anna, $ben, $tab] as $stream) {
            self::assertSame('hello all', $stream->nextText());
        }
        self::assertSame(422, $server->ask('GET', '/msg/ben/%3Cnobody%3E%20x')['status']);
        self::assertSame(404, $server->post('/messages', ['from' => 'ben', 'to' => 'nobody', 'text' => 'x'])['status']);
        foreach (['/msg', '/msg/', '/msg/ben', '/msg/ben/', '/msg/ben%20hello', '/msg/ben/all'] as $short) {
            $answer = $server->ask('GET', $short);
            self::assertSame(400, $answer['status'], $short);
            self::assertStringContainsString('/msg/{from}/{to}%20{text}', $answer['body'], $short);
        }
        self::assertSame(403, $server->ask('GET', '/msg/ben/all%20x', ['Sec-Fetch-Site: cross-site'])['status']);
        self::assertSame(421, $server->ask('GET', '/msg/ben/all%20x', ['Host: rebound.test'])['status']);
        self::assertSame(421, $server->events('/anna', ['Host: rebound.test'])->status);
        self::assertSame(200, $server->ask('GET', '/')['status'], 'the page is there, too');
        self::assertSame(201, $server->post('/messages', ['from' => 'carl', 'to' => 'anna', 'text' => 'by form'])['status']);
        self::assertSame('by form', $anna->nextText());
    }

    public function test_a_classic_stream_resumes_where_it_was(): void
    {
        $server = $this->start('--open');
        $anna = $server->events('/anna');
        $anna->nextOf('ready');
        $server->ask('GET', '/msg/ben/all%20one');
        self::assertSame('one', $anna->nextText());
        $anna->close();
        $server->ask('GET', '/msg/ben/all%20two');
        $server->ask('GET', '/msg/ben/anna%20three');
        $again = $server->events('/anna', ["Last-Event-ID: {$anna->lastId}"]);
        self::assertSame(['two', 'three'], [$again->nextText(), $again->nextText()]);
        self::assertMatchesRegularExpression('/^retry: \d+$/m', $again->raw());
        $new = $server->events('/anna');
        $new->nextOf('ready');
        $server->ask('GET', '/msg/ben/all%20four');
        self::assertSame(['four', 'four'], [$again->nextText(), $new->nextText()], 'without a cursor it begins now');
    }

    public function test_a_stream_is_given_to_who_can_read_one(): void
    {
        $server = $this->start('--open');
        $browser = 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
        foreach (['/events?as=anna', '/anna'] as $path) {
            foreach ([[], ['Accept: */*'], ['Accept: text/event-stream'], ['Accept: text/html, text/event-stream;q=0.5'], ['Accept:']] as $accept) {
                self::assertSame(200, $server->events($path, $accept === [] ? [] : $accept, false)->status, "$path " . implode($accept));
            }
            foreach ([$browser, 'Accept: application/json', 'Accept: text/event-stream;q=0, */*'] as $accept) {
                $answer = $server->ask('GET', $path, [$accept]);
                self::assertSame(406, $answer['status'], "$path $accept");
                self::assertStringContainsString('"not-acceptable"', $answer['body']);
            }
        }
    }

    public function test_who_connects_too_often_is_told_when_to_come_back(): void
    {
        $server = $this->start('--rate=5');
        [$anna, $ben] = [$server->login('anna'), $server->login('ben')];
        $upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: ' . base64_encode(random_bytes(16))];
        $answer = ['status' => 0, 'headers' => '', 'body' => ''];
        for ($i = 0; $i < 1000 && $answer['status'] !== 429; $i++) {
            $stream = $server->events('/events', [$anna]);
            $answer = ['status' => $stream->status, 'headers' => $stream->head, 'body' => ''];
            $stream->close();
        }
        self::assertSame(429, $answer['status']);
        self::assertMatchesRegularExpression('/^Retry-After: [1-9]\d*\r?$/mi', $answer['headers']);
        $refused = $server->ask('GET', '/ws', [$anna, ...$upgrade]);
        self::assertSame(429, $refused['status']);
        self::assertStringContainsString('"too-fast"', $refused['body']);
        self::assertSame(200, $server->events('/events', [$ben])->status, 'others go on');
        self::assertSame(201, $server->post('/messages', ['to' => 'all', 'text' => 'x'], [$anna])['status'], 'and so does what is no connection');
    }

    public function test_a_websocket_that_sends_too_much_waits(): void
    {
        $server = $this->start('--rate=5');
        $socket = $server->connect();
        $upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: ' . base64_encode(random_bytes(16)), $server->login('anna')];
        fwrite($socket, RunningServer::head('GET', '/ws', $server->port, $upgrade));
        $since = hrtime(true);
        for ($i = 1; $i < 150; $i++) {
            $this->sendFrame($socket, ['do' => 'me', 'ref' => $i]);
        }
        $this->sendFrame($socket, ['do' => 'send', 'to' => 'all', 'text' => 'last', 'ref' => 150]);
        $replies = $this->framesUntil($socket, 'last')['replies'];
        self::assertGreaterThan(1.5, (hrtime(true) - $since) / 1e9, 'fifty at once, and fifty a second: no machine is faster');
        self::assertCount(149, array_keys($replies, 200, true), 'none is lost');
    }

    public function test_connections_of_one_address_are_limited(): void
    {
        $server = $this->start('--per-address=3');
        $anna = $server->login('anna');
        $streams = [$server->events('/events', [$anna]), $server->events('/events', [$anna]), $server->events('/events', [$anna])];
        self::assertSame([200, 200, 200], array_column($streams, 'status'));
        $status = static fn (): int => $server->ask('GET', '/me', [$anna])['status'];
        $refused = $server->ask('GET', '/me', [$anna]);
        self::assertSame(429, $refused['status']);
        self::assertMatchesRegularExpression('/^Retry-After: 1\r?$/mi', $refused['headers']);
        $streams[0]->close();
        RunningServer::until(
            $status,
            static fn (int $status): bool => $status === 200,
            static fn (): string => 'A connection that is closed counts on.',
        );
        $this->addToAssertionCount(1);
    }

    public function test_a_proxy_that_is_trusted_says_who_the_client_is_and_nobody_else_does(): void
    {
        $server = $this->start('--trust=127.0.0.0/8,::1', '--rate=5');
        $server->login('anna');
        $from = static fn (string $address): array => ["X-Forwarded-For: $address", 'X-Forwarded-Proto: https'];
        $ben = $server->post('/login', ['name' => 'ben'], $from('192.0.2.1'));
        self::assertMatchesRegularExpression('/^Set-Cookie: .*; Secure\r?$/mi', $ben['headers']);
        self::assertSame(409, $server->post('/login', ['name' => 'ben'], $from('198.51.100.7'))['status']);
        self::assertSame(200, $server->post('/login', ['name' => 'ben'], $from('192.0.2.1'))['status']);
        $server->stop();
        $server = $this->start();
        self::assertSame(200, $server->post('/login', ['name' => 'eve'], $from('192.0.2.1'))['status']);
        $eve = $server->post('/login', ['name' => 'eve'], $from('198.51.100.7'));
        self::assertSame(200, $eve['status'], 'it is one address: this header is anybody\'s');
        self::assertDoesNotMatchRegularExpression('/^Set-Cookie: .*; Secure/mi', $eve['headers']);
    }

    public function test_it_speaks_tls_with_a_certificate(): void
    {
        if (!function_exists('openssl_pkey_new')) {
            self::markTestSkipped('PHP has no openssl to make a certificate with');
        }
        $key = openssl_pkey_new(['private_key_bits' => 2048]);
        self::assertNotFalse($key);
        $own = $key;
        $request = openssl_csr_new(['commonName' => 'localhost'], $own);
        self::assertInstanceOf(\OpenSSLCertificateSigningRequest::class, $request);
        $certificate = openssl_csr_sign($request, null, $key, 1);
        self::assertNotFalse($certificate);
        openssl_x509_export_to_file($certificate, "{$this->folder}/cert.pem");
        openssl_pkey_export_to_file($key, "{$this->folder}/key.pem");
        $server = $this->start("--cert={$this->folder}/cert.pem", "--key={$this->folder}/key.pem");
        $socket = stream_socket_client("tls://127.0.0.1:{$server->port}", $code, $text, 10, STREAM_CLIENT_CONNECT, stream_context_create(['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]]));
        self::assertNotFalse($socket, (string) $text);
        fwrite($socket, RunningServer::head('POST', '/login', $server->port, ['Connection: close', 'Content-Type: application/json', 'Content-Length: 15']) . '{"name":"anna"}');
        stream_set_timeout($socket, 20);
        self::assertMatchesRegularExpression('/^Set-Cookie: .*; Secure\r?$/mi', (string) stream_get_contents($socket));
    }

    /** @return iterable<string, array{list<string>, int, string}> */
    public static function wrongStarts(): iterable
    {
        yield 'unknown option' => [['--prot=1'], 2, '--prot=1'];
        yield 'no certificate' => [['--cert=/nowhere/cert.pem', '--key=/nowhere/key.pem'], 2, '/nowhere/cert.pem'];
        yield 'a key alone' => [['--key=/nowhere/key.pem'], 2, '--cert=FILE'];
        yield 'bad host' => [['--host=999.1.1.1'], 2, '999.1.1.1'];
        yield 'no such folder' => [['--var=/proc/nowhere'], 3, '/proc/nowhere'];
    }

    /** @param list<string> $options */
    #[DataProvider('wrongStarts')]
    public function test_a_start_that_cannot_be_is_explained_in_a_sentence(array $options, int $status, string $named): void
    {
        [$code, $out, $err] = $this->runToItsEnd('0', "--var={$this->folder}", ...$options);
        self::assertSame([$status, ''], [$code, $out], $err);
        self::assertStringContainsString($named, $err);
        self::assertSame(1, substr_count($err, "\n"), $err);
        self::assertDoesNotMatchRegularExpression('/Stack trace|Warning|Fatal/', $err);
    }

    public function test_the_help_fits_a_screen_and_names_every_option(): void
    {
        [$code, $out, $err] = $this->runToItsEnd('--help');
        self::assertSame([0, ''], [$code, $err]);
        self::assertLessThan(25, substr_count($out, "\n"));
        foreach (explode("\n", $out) as $line) {
            self::assertLessThanOrEqual(100, strlen($line));
        }
        preg_match_all('/`--([a-z-]+)=?/', (string) file_get_contents(dirname(__DIR__) . '/README.md'), $m);
        foreach (array_unique($m[1]) as $option) {
            self::assertStringContainsString("--$option", $out);
        }
    }

    public function test_a_stop_ends_well_and_trouble_at_the_start_is_said(): void
    {
        $server = $this->start();
        $events = $server->events('/events', [$server->login('anna')]);
        $events->nextOf('ready');
        [$code, , $err] = $this->runToItsEnd((string) $server->port, "--var={$this->folder}");
        self::assertSame(3, $code);
        self::assertStringContainsString((string) $server->port, $err);
        self::assertStringContainsString('choose another port', $err);
        self::assertStringNotContainsString('Stack trace', $err);
        self::assertSame(0, $server->stop());
        $this->server = null;
        self::assertSame('', $server->errors());
    }

    /** @return array{int, string, string} exit status, output, errors */
    private function runToItsEnd(string ...$arguments): array
    {
        [$out, $err] = ["{$this->folder}/out2", "{$this->folder}/err2"];
        $process = RunningServer::run(array_values($arguments), $out, $err);
        $status = RunningServer::until(static fn (): array => proc_get_status($process), static fn (array $status): bool => !$status['running'], static fn (): string => 'It runs.');
        return [$status['exitcode'], (string) file_get_contents($out), (string) file_get_contents($err)];
    }

    private function start(string ...$options): RunningServer
    {
        $this->server = new RunningServer($this->folder, array_values($options));
        $this->server->start();
        return $this->server;
    }

    /**
     * @param resource             $socket
     * @param array<string, mixed> $fields
     */
    private function sendFrame($socket, array $fields): void
    {
        fwrite($socket, Protocol::encode(json_encode($fields, JSON_THROW_ON_ERROR), masked: true));
    }

    /**
     * @param resource $socket
     *
     * @return array{texts: list<string>, replies: array<int, int>}
     */
    private function framesUntil($socket, string $last): array
    {
        $seen = ['texts' => [], 'replies' => []];
        $frames = new Frames();
        $head = '';
        stream_set_timeout($socket, 20);
        while (true) {
            $read = (string) fread($socket, 65536);
            self::assertNotSame('', $read, 'the connection ended or was silent');
            if ($head !== 'done') {
                $head .= $read;
                if (($at = strpos($head, "\r\n\r\n")) === false) {
                    continue;
                }
                self::assertStringStartsWith('HTTP/1.1 101', $head);
                [$read, $head] = [substr($head, $at + 4), 'done'];
            }
            $frames->push($read);
            while (($frame = $frames->next()) !== null) {
                self::assertNotInstanceOf(CloseFrame::class, $frame);
                $event = json_decode($frame->payload, true);
                self::assertIsArray($event);
                if (is_int($event['ref'] ?? null) && is_int($event['status'])) {
                    $seen['replies'][$event['ref']] = $event['status'];
                } elseif (($event['kind'] ?? null) === 'text' && is_string($event['text'])) {
                    $seen['texts'][] = $event['text'];
                    if ($event['text'] === $last) {
                        return $seen;
                    }
                }
            }
        }
    }
}
