<?php

declare(strict_types=1);

// caching_sha2_password through the proxy. MySQL 8 itself cannot be had here (Debian has MariaDB, which has not got this plugin), so
// its side is played from the protocol's text, and what signs are two clients of others: PHP's (mysqlnd) and mysql2 of Node.js.

namespace Tusk\E2e;

/**
 * The server's side: dev.mysql.com/doc/dev/mysql-server, "Caching_sha2_password information". alice has been seen before (fast), everybody
 * else not (full authentication: the password itself over TLS, without it encrypted for the server's key). Who is in is told how by `info` of OK.
 */
const SHA2_SERVER = <<<'PHP'
    final class Sha2Server
    {
        private int $next = 0;

        public function __construct(private $stream, private string $certificate, private $key) {}

        private function read(int $count): string
        {
            $bytes = '';
            while (strlen($bytes) < $count) {
                $more = fread($this->stream, $count - strlen($bytes));
                if ($more === false || ($more === '' && feof($this->stream))) {
                    throw new RuntimeException('the client has left');
                }
                $bytes .= $more;
            }
            return $bytes;
        }

        private function packet(): string
        {
            $head = $this->read(4);
            $this->next = ord($head[3]) + 1;
            return $this->read(unpack('V', substr($head, 0, 3) . "\0")[1]);
        }

        private function say(string $payload): void
        {
            fwrite($this->stream, substr(pack('V', strlen($payload)), 0, 3) . chr($this->next++) . $payload);
        }

        private function ok(string $info = ''): void
        {
            $this->say("\0\0\0\2\0\0\0" . ($info === '' ? '' : chr(strlen($info)) . $info));
        }

        private function fault(int $code, string $state, string $text): void
        {
            $this->say("\xff" . pack('v', $code) . "#$state$text");
        }

        /** XOR(SHA256(password), SHA256(SHA256(SHA256(password)), salt)) */
        private static function signature(string $password, string $salt): string
        {
            $once = hash('sha256', $password, true);
            return $once ^ hash('sha256', hash('sha256', $once, true) . $salt, true);
        }

        public function serve(): void
        {
            $salt = implode('', array_map(fn () => chr(random_int(33, 126)), range(1, 20)));
            $caps = 0x01ffffff & ~0x20; // all up to "no EOF packets", compression left out; TLS is among them
            $this->say("\x0a" . "8.0.36\0" . pack('V', 7) . substr($salt, 0, 8) . "\0" . pack('v', $caps & 0xffff) . "\x2d" . pack('v', 2) . pack('v', $caps >> 16) . chr(21) . str_repeat("\0", 10) . substr($salt, 8) . "\0caching_sha2_password\0");
            $answer = $this->packet();
            $secure = (unpack('V', $answer)[1] & 0x800) !== 0;
            if ($secure) {
                stream_context_set_option($this->stream, ['ssl' => ['local_cert' => $this->certificate, 'local_pk' => $this->key, 'verify_peer' => false]]);
                if (stream_socket_enable_crypto($this->stream, true, STREAM_CRYPTO_METHOD_TLS_SERVER) !== true) {
                    throw new RuntimeException('no TLS');
                }
                $answer = $this->packet();
            }
            $user = substr($answer, 32, strpos($answer, "\0", 32) - 32);
            $this->say("\xfecaching_sha2_password\0$salt\0");
            $signature = $this->packet();
            if ($user === 'alice') {
                if ($signature !== self::signature('secret', $salt)) {
                    $this->fault(1045, '28000', "Access denied for user 'alice'@'localhost' (using password: YES)");
                    return;
                }
                $this->say("\1\3"); // fast_auth_success
                $how = 'fast';
            } else {
                $this->say("\1\4"); // perform_full_authentication
                $password = $this->packet();
                if (!$secure) {
                    if ($password !== "\2") { // request_public_key
                        throw new RuntimeException('a password in the clear: ' . bin2hex($password));
                    }
                    $this->say("\1" . openssl_pkey_get_details(openssl_pkey_get_private($this->key()))['key']);
                    openssl_private_decrypt($this->packet(), $mixed, $this->key(), OPENSSL_PKCS1_OAEP_PADDING) ?: throw new RuntimeException('not encrypted for this key');
                    $password = $mixed ^ str_repeat($salt, intdiv(strlen($mixed), strlen($salt)) + 1);
                }
                if ($password !== "secret\0") {
                    $this->fault(1045, '28000', "Access denied for user '$user'@'localhost' (using password: YES)");
                    return;
                }
                $how = $secure ? 'full over TLS' : 'full with the key';
            }
            $this->ok();
            while (true) { // its statements: each is told how its client was let in
                $command = $this->packet();
                if ($command[0] === "\1") {
                    return;
                }
                $command[0] === "\3" && str_starts_with(substr($command, 1), 'do ') ? $this->ok($how) : $this->ok();
            }
        }

        private function key(): string
        {
            return (string) file_get_contents($this->key);
        }
    }

    $listener = stream_socket_server('tcp://127.0.0.1:0');
    echo 'port ', substr(strrchr(stream_socket_get_name($listener, false), ':'), 1), "\n";
    while (true) {
        $stream = stream_socket_accept($listener, -1);
        stream_set_read_buffer($stream, 0); // a ClientHello right behind the wish for TLS is not PHP's to read
        try {
            (new Sha2Server($stream, CERTIFICATE, KEY))->serve();
        } catch (RuntimeException $left) {
            echo $left->getMessage(), "\n";
        }
        fclose($stream);
    }
    PHP;

function sha2_server(): Script
{
    static $server = null;
    if ($server === null) {
        if (!extension_loaded('openssl')) {
            throw new Absent('no openssl in PHP');
        }
        $pair = Certificates::of('db.example.org');
        command('openssl genrsa -traditional -out ' . folder() . '/sha2.key 2048');
        command('openssl req -x509 -key ' . folder() . "/sha2.key -subj /CN=db.example.org -addext subjectAltName=DNS:db.example.org -days 2 -out " . folder() . '/sha2.pem');
        $server = new Script(strtr(SHA2_SERVER, ['CERTIFICATE' => var_export(folder() . '/sha2.pem', true), 'KEY' => var_export(folder() . '/sha2.key', true)]));
    }

    return $server;
}

function sha2_proxy(bool $downstream, bool $upstream): Script
{
    $pair = Certificates::of('db.example.org');
    $port = sha2_server()->port;

    return proxy(
        "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Client, protocol: Protocol::Mysql" . ($downstream ? ", tls: new Tls('$pair.pem', '$pair.key')" : '') . ')',
        "Route::to('127.0.0.1:$port'" . ($upstream ? ", tls: new UpstreamTls(ca: '" . folder() . "/sha2.pem', name: 'db.example.org')" : '') . ')',
    );
}

/** By PHP's own client: what OK said, or the error. */
function by_mysqlnd(int $port, string $user, string $password, bool $tls): string
{
    $client = mysqli_init();
    $client->options(MYSQLI_OPT_SSL_VERIFY_SERVER_CERT, 0);
    if ($tls) {
        $client->ssl_set(null, null, Certificates::ca() . '.pem', null, null);
    }
    try {
        $client->real_connect('127.0.0.1', $user, $password, null, $port, null, $tls ? MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT : 0);
        $client->query('do 1');

        return (string) $client->info;
    } catch (\mysqli_sql_exception $refused) {
        return "{$refused->getCode()} {$refused->getMessage()}";
    }
}

/** By mysql2: the same. */
function by_mysql2(int $port, string $user, string $password, bool $tls): string
{
    $folder = dirname(__DIR__, 3) . '/build/node';
    needs('node');
    if (!is_dir("$folder/node_modules/mysql2")) {
        throw new Absent('no mysql2: tools/setup test');
    }
    $options = json_encode(['host' => '127.0.0.1', 'port' => $port, 'user' => $user, 'password' => $password] + ($tls ? ['ssl' => ['rejectUnauthorized' => false]] : []));
    $script = "const c = require('$folder/node_modules/mysql2').createConnection($options); c.on('error', () => {});"
        . " c.query('do 1', (e, r) => { console.log(e ? e.errno + ' ' + e.message : r.info); c.destroy(); process.exit(0); });";

    return trim(command('node -e ' . escapeshellarg($script))[1]);
}

return static function (Suite $s): void {
    $clients = ['mysqlnd' => by_mysqlnd(...), 'mysql2' => by_mysql2(...)];
    foreach ($clients as $name => $connect) {
        $s->test("mysql: caching_sha2_password, fast and full, over TLS and with the server's key, by $name", static function () use ($name, $connect): void {
            if ($name === 'mysqlnd' && !extension_loaded('mysqli')) {
                throw new Absent('no mysqli');
            }
            foreach ([[false, false, 'full with the key'], [true, true, 'full over TLS']] as [$downstream, $upstream, $full]) {
                $proxy = sha2_proxy($downstream, $upstream);
                foreach ([['alice', 'fast'], ['bob', $full]] as [$user, $how]) {
                    $said = $connect($proxy->port, $user, 'secret', $downstream);
                    expect($said === $how, "$user: $said");
                    $said = $connect($proxy->port, $user, 'wrong', $downstream);
                    expect(str_contains($said, '1045') && str_contains($said, "Access denied for user '$user'@'localhost' (using password: YES)"), "$user with a wrong password: $said");
                }
                expect($proxy->stop() === 0, 'exit code');
            }
        });

        $s->test("mysql: with TLS on one side only caching_sha2_password is fast, or refused before a password leaves, by $name", static function () use ($name, $connect): void {
            if ($name === 'mysqlnd' && !extension_loaded('mysqli')) {
                throw new Absent('no mysqli');
            }
            foreach ([[true, false], [false, true]] as [$downstream, $upstream]) {
                $proxy = sha2_proxy($downstream, $upstream);
                expect(($said = $connect($proxy->port, 'alice', 'secret', $downstream)) === 'fast', "alice: $said");
                $said = $connect($proxy->port, 'bob', 'secret', $downstream);
                expect(str_contains($said, '3159'), "bob: $said");
                expect(!str_contains(sha2_server()->log(), 'in the clear'), sha2_server()->log());
                expect($proxy->stop() === 0, 'exit code');
            }
        });
    }
};
