--TEST--
Browsers' pages of other origins get 403; a request without Origin passes; an origin that could never match is a ValueError
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\WebSocket\Connection;

$server = new Server('127.0.0.1:0');
$server->websocket('/only', message: fn (Connection $c, string $data) => $c->send("here: $data"), origins: ['https://example.org', 'http://[::1]:8080']);
$server->websocket('/nobody', origins: []);
$server->websocket('/any');
foreach (['nonsense', 'https://', 'https://example.org/', 'https://a b', '*', ''] as $bad) {
    attempt(fn () => $server->websocket('/bad', origins: [$bad]));
}
$server->websocket('/sandboxed', origins: ['null']);
talk($server, function (int $port): void {
    $status = fn (string $path, ?string $origin): int => Peer::open($port, $path, $origin === null ? [] : ['Origin' => $origin])->status();
    foreach ([null, 'https://example.org', 'HTTPS://EXAMPLE.ORG', 'http://[::1]:8080', 'http://example.org', 'https://example.org:444', 'https://evil.example.org', 'https://example.org.evil', 'null'] as $origin) {
        echo $origin ?? '(none)', ' ', $status('/only', $origin), "\n";
    }
    echo 'two ', Peer::open($port, '/only', ['Origin' => "https://example.org\r\nOrigin: https://evil.example"])->status(), "\n";
    echo $status('/nobody', 'https://example.org'), $status('/nobody', null), ' ', $status('/any', 'https://evil.example'), ' ', $status('/sandboxed', 'null'), "\n";
    $peer = Peer::open($port, '/only', ['Origin' => 'https://example.org']);
    $peer->send('hi');
    echo $peer->text(), "\n";
    $peer->goodbye();
});
?>
--EXPECT--
ValueError: Tusk\Server::websocket(): Argument #7 ($origins) must be a list of origins like "https://example.org", "nonsense" found
ValueError: Tusk\Server::websocket(): Argument #7 ($origins) must be a list of origins like "https://example.org", "https://" found
ValueError: Tusk\Server::websocket(): Argument #7 ($origins) must be a list of origins like "https://example.org", "https://example.org/" found
ValueError: Tusk\Server::websocket(): Argument #7 ($origins) must be a list of origins like "https://example.org", "https://a b" found
ValueError: Tusk\Server::websocket(): Argument #7 ($origins) must be a list of origins like "https://example.org", "*" found
ValueError: Tusk\Server::websocket(): Argument #7 ($origins) must be a list of origins like "https://example.org", "" found
(none) 101
https://example.org 101
HTTPS://EXAMPLE.ORG 101
http://[::1]:8080 101
http://example.org 403
https://example.org:444 403
https://evil.example.org 403
https://example.org.evil 403
null 403
two 403
403101 101 101
here: hi
