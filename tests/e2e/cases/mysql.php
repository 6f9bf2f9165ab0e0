<?php

declare(strict_types=1);

// MySQL routed by its user, between MariaDB's own server and client, and PHP's.

namespace Tusk\E2e;

use Tusk\Tests\Servers\MariaDb;

/** A MariaDB of the tests' own with TLS; its users' password is "secret", its database "shop" knows the server's name. */
function mariadb_called(string $name): MariaDb
{
    static $all = [];
    if (!isset($all[$name])) {
        needs('mariadb');
        $all[$name] = started(MariaDb::class, '--local-infile=1', '--max-allowed-packet=64M');
        [$status, $text] = straight($all[$name], 'root', "create database shop; create table shop.me (name text); insert into shop.me values ('$name'); create table shop.lines (n int, word mediumtext);
            create user alice identified by 'secret'; create user bob identified by 'secret'; create user open; create user safe identified by 'secret' require ssl;
            grant all on shop.* to alice; grant all on shop.* to bob; grant all on shop.* to open; grant all on shop.* to safe", '', '');
        expect($status === 0, $text);
    }

    return $all[$name];
}

/** To the server itself, around every proxy. @return array{int, string} */
function straight(MariaDb $server, string $user, string $sql, string $password = 'secret', string $database = 'shop'): array
{
    return mariadb((int) $server->port, $sql, $user, $password, $database, '--skip-ssl');
}

/** @return array{int, string} */
function mariadb(int $port, string $sql, string $user = 'alice', string $password = 'secret', string $database = 'shop', string $more = '', string $input = ''): array
{
    return command("mariadb --no-defaults -h 127.0.0.1 -P $port -u $user " . ($password === '' ? '' : "-p$password ") . "-N $more $database -e " . escapeshellarg($sql), $input);
}

/** A proxy that routes by user: "bob" to the second, "nobody" nowhere. */
function by_user(int $first, int $second, string $more = '', string $route = ''): Script
{
    return proxy(
        "new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Client, protocol: Protocol::Mysql$more)",
        "match (\$lookup->user) { 'nobody' => throw new Refused(403, 'not for you'), 'bob' => Route::to('127.0.0.1:$second'$route), default => Route::to('127.0.0.1:$first'$route) }",
    );
}

const TLS_USED = "show status like 'Ssl_version'";

return static function (Suite $s): void {
    $s->test('mysql: MariaDB through a listener whose server speaks first', static function (): void {
        $server = mariadb_called('red');
        $proxy = proxy("new Tcp(\$resolver, '127.0.0.1:0', validation: \$validation, first: First::Server)", "'127.0.0.1:$server->port'");
        expect(mariadb($proxy->port, 'select name from me') === [0, "red\n"], 'select');
        expect($proxy->stop() === 0, 'exit code');
        $refusing = proxy("new Tcp(\$resolver, '127.0.0.1:0', first: First::Server, protocol: Protocol::Mysql)", "throw new Refused(403, 'not for you')");
        [$status, $text] = mariadb($refusing->port, 'select 1');
        expect($status === 1 && str_contains($text, '1045') && str_contains($text, 'not for you') && !str_contains($text, '#28000'), "refused: $text");
        expect($refusing->stop() === 0, 'exit code');
    });

    $s->test('mysql: users go to their backends, and a login is refused in the words of who refuses it', static function (): void {
        [$red, $blue] = [mariadb_called('red'), mariadb_called('blue')];
        $proxy = by_user($red->port, $blue->port);
        expect(mariadb($proxy->port, 'select name, current_user() from me') === [0, "red\talice@%\n"], 'alice');
        expect(mariadb($proxy->port, 'select name, current_user() from me', 'bob') === [0, "blue\tbob@%\n"], 'bob');
        expect(mariadb($proxy->port, 'select name from me', 'open', '') === [0, "red\n"], 'a user without a password');
        [$status, $text] = mariadb($proxy->port, 'select 1', 'alice', 'wrong');
        expect($status === 1 && str_contains($text, "ERROR 1045 (28000): Access denied for user 'alice'@'localhost' (using password: YES)"), "the backend's own words: $text");
        [$status, $text] = mariadb($proxy->port, 'select 1', 'alice', 'secret', 'none');
        expect($status === 1 && str_contains($text, 'ERROR 1044 (42000)'), "no such database: $text");
        [$status, $text] = mariadb($proxy->port, 'select 1', 'nobody');
        expect($status === 1 && str_contains($text, 'ERROR 1045 (28000): not for you'), "the resolver's: $text");
        expect($proxy->stop() === 0, 'exit code');
    });

    $s->test('mysql: a plugin of the account\'s own signs for it (ed25519)', static function (): void {
        $server = mariadb_called('red');
        [$status, $text] = straight($server, 'root', "install soname 'auth_ed25519'; create user eddie identified via ed25519 using password('secret')", '', '');
        if ($status !== 0) {
            throw new Absent("no ed25519: $text");
        }
        $proxy = by_user($server->port, $server->port);
        expect(mariadb($proxy->port, 'select current_user()', 'eddie', 'secret', '') === [0, "eddie@%\n"], 'eddie');
        [$status, $text] = mariadb($proxy->port, 'select 1', 'eddie', 'wrong', '');
        expect($status === 1 && str_contains($text, "Access denied for user 'eddie'"), $text);
        expect($proxy->stop() === 0, 'exit code');
    });

    $s->test('mysql: large answers, large statements and LOAD DATA LOCAL pass as they are', static function (): void {
        $server = mariadb_called('red');
        $proxy = by_user($server->port, $server->port);
        $rows = 'select repeat(seq, 20) from seq_1_to_100000';
        [$status, $text] = mariadb($proxy->port, $rows, 'alice', 'secret', 'shop', '--quick');
        expect($status === 0 && strlen($text) > 8_000_000 && md5($text) === md5(straight($server, 'alice', $rows)[1]), 'many rows');
        // Over 16 MiB: a packet of 0xffffff bytes and the rest.
        expect(mariadb($proxy->port, "select length(repeat('x', 20000000)), md5(repeat('x', 20000000))") === [0, "20000000\t" . md5(str_repeat('x', 20_000_000)) . "\n"], 'made there');
        [$status, $text] = mariadb($proxy->port, "select repeat('x', 20000000)", more: '--max-allowed-packet=64M');
        expect([$status, md5($text)] === [0, md5(str_repeat('x', 20_000_000) . "\n")], 'a row over 16 MiB');
        $file = folder() . '/lines.txt';
        file_put_contents($file, implode('', array_map(static fn (int $n): string => "$n\tword$n\n", range(1, 50_000))));
        [$status, $text] = mariadb($proxy->port, "load data local infile '$file' into table `lines`; select count(*), sum(n), max(word) from `lines`; truncate `lines`", more: '--local-infile=1');
        expect([$status, $text] === [0, "50000\t1250025000\tword9999\n"], "load data: $text");
        expect($proxy->stop() === 0, 'exit code');
    });

    $s->test('mysql: TLS ends at the proxy, begins there again, or both', static function (): void {
        $server = mariadb_called('red');
        $pair = Certificates::of('db.example.org');
        $ca = Certificates::ca() . '.pem';
        $downstream = ", tls: new Tls('$pair.pem', '$pair.key'), downstream: TlsMode::";
        $upstream = ", tls: new UpstreamTls(ca: '$ca', name: 'db.example.org')";
        foreach (['Allow', 'Require'] as $mode) {
            $proxy = by_user($server->port, $server->port, $downstream . $mode);
            [$status, $text] = mariadb($proxy->port, 'select name from me; ' . TLS_USED, more: "--ssl --ssl-ca=$ca");
            expect([$status, $text] === [0, "red\nSsl_version\t\n"], "TLS on the client's side: $text");
            [$status, $text] = mariadb($proxy->port, 'select name from me', more: '--skip-ssl');
            expect($mode === 'Allow' ? [$status, $text] === [0, "red\n"] : $status === 1 && str_contains($text, 'ERROR 3159 (HY000)'), "without, $mode: $text");
            expect($proxy->stop() === 0, 'exit code');
        }
        $proxy = by_user($server->port, $server->port, $downstream . 'Allow', $upstream);
        foreach (['--skip-ssl', "--ssl --ssl-ca=$ca"] as $more) {
            [$status, $text] = mariadb($proxy->port, 'select name from me; ' . TLS_USED, 'safe', more: $more);
            expect($status === 0 && preg_match('~^red\nSsl_version\tTLSv1\.[23]\n$~', $text) === 1, "TLS on the backend's side, $more: $text");
            [$status, $text] = mariadb($proxy->port, 'select 1', 'safe', 'wrong', more: $more);
            expect($status === 1 && str_contains($text, "Access denied for user 'safe'"), "a wrong password, $more: $text");
        }
        $rows = 'select repeat(seq, 20) from seq_1_to_100000';
        [$status, $text] = mariadb($proxy->port, $rows, 'safe', more: "--quick --ssl --ssl-ca=$ca");
        expect($status === 0 && md5($text) === md5(straight($server, 'alice', $rows)[1]), 'many rows');
        expect($proxy->stop() === 0, 'exit code');
        $strict = by_user($server->port, $server->port, '', ", tls: new UpstreamTls(ca: '$ca', name: 'other.example.org')");
        [$status, $text] = mariadb($strict->port, 'select 1');
        expect($status === 1 && str_contains($text, 'ERROR 1429 (HY000): TLS with the backend failed'), "another name: $text");
        expect($strict->stop() === 0, 'exit code');
    });

    $s->test('mysql: PHP\'s clients: another user on the same connection, prepared statements, transactions', static function (): void {
        if (!extension_loaded('mysqli') || !extension_loaded('pdo_mysql')) {
            throw new Absent('no mysqli or pdo_mysql');
        }
        $server = mariadb_called('red');
        $proxy = by_user($server->port, $server->port, ", mysqlVersion: '5.5.5-10.11.6-MariaDB'");
        $client = new \mysqli('127.0.0.1', 'alice', 'secret', 'shop', $proxy->port);
        expect($client->server_info === '10.11.6-MariaDB', "greeted as $client->server_info");
        expect($client->query('select name from me')->fetch_row() === ['red'], 'select');
        expect($client->change_user('bob', 'secret', 'shop') && $client->query('select current_user()')->fetch_row() === ['bob@%'], 'CHANGE USER');
        try {
            $client->change_user('alice', 'wrong', 'shop');
            throw new Failed('a wrong password changes the user');
        } catch (\mysqli_sql_exception $denied) {
            expect($denied->getCode() === 1045, $denied->getMessage());
        }
        $pdo = new \PDO("mysql:host=127.0.0.1;port=$proxy->port;dbname=shop", 'alice', 'secret', [\PDO::ATTR_EMULATE_PREPARES => false]);
        $pdo->beginTransaction();
        $insert = $pdo->prepare('insert into `lines` values (?, ?)');
        foreach (range(1, 100) as $n) {
            $insert->execute([$n, str_repeat('w', $n * 1000)]);
        }
        $select = $pdo->prepare('select sum(length(word)) from `lines` where n <= ?');
        $select->execute([100]);
        expect((int) $select->fetchColumn() === 5_050_000, 'prepared');
        $pdo->rollBack();
        expect((int) $pdo->query('select count(*) from `lines`')->fetchColumn() === 0, 'rolled back');
        expect($pdo->query('select connection_id()')->fetchColumn() < 0xc0000000, "the backend's own number");
        unset($pdo, $insert, $select, $client);
        expect($proxy->stop() === 0, 'exit code');
    });
};
