--TEST--
Pages of listed origins may read an event stream with their cookies, also when who may waits; others get 403; without a list nothing is said
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\Request;
use Tusk\Sse\EventStream;

$server = new Server('127.0.0.1:0');
$open = fn (EventStream $s) => false;
$server->events('/only', $open, origins: ['https://example.org', 'HTTP://[::1]:8080']);
$server->events('/asked', $open, authorize: function (Request $r) { Timer::sleep(0.001); return 'ann'; }, origins: ['https://example.org']);
$server->events('/nobody', $open, origins: []);
$server->events('/any', $open);
foreach ([['nonsense'], ['*'], array_fill(0, 128, 'https://example.org')] as $bad) {
    attempt(fn () => $server->events('/bad', $open, origins: $bad));
}
attempt(fn () => $server->websocket('/bad', subprotocols: array_map(fn ($i) => "p$i", range(1, 128))));
talk($server, function (int $port) use ($server): void {
    $ask = function (string $path, ?string $origin, string $method = 'GET') use ($port): string {
        $answer = http($port, "$method $path HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" . ($origin === null ? '' : "Origin: $origin\r\n") . "\r\n");
        $fields = preg_match_all('/^(?:Vary|Access-Control-[\w-]+): .*$/m', $answer, $found) ? implode(' | ', array_map(trim(...), $found[0])) : '-';
        return substr($answer, 9, 3) . " $fields";
    };
    foreach ([null, 'https://example.org', 'http://[::1]:8080', 'http://example.org', 'https://example.org.evil', 'null', "https://example.org\r\nOrigin: https://evil.example"] as $origin) {
        echo strtok($origin ?? '(none)', "\r"), ': ', $ask('/only', $origin), "\n";
    }
    echo 'HEAD: ', $ask('/only', 'https://example.org', 'HEAD'), "\n";
    echo 'asked: ', $ask('/asked', 'https://example.org'), "\n";
    echo 'asked, other: ', $ask('/asked', 'https://evil.example'), "\n";
    echo 'nobody: ', $ask('/nobody', 'https://example.org'), ', ', $ask('/nobody', null), "\n";
    echo 'any: ', $ask('/any', 'https://evil.example'), "\n";
    // One connection, one answer after the other: what the first was asked from is not told to the second.
    $peer = new Peer($port);
    $peer->write("HEAD /only HTTP/1.1\r\nHost: h\r\nOrigin: https://example.org\r\n\r\n");
    $first = $peer->readHead();
    $peer->write("HEAD /only HTTP/1.1\r\nHost: h\r\n\r\n");
    $second = $peer->readHead();
    fclose($peer->stream);
    echo 'kept: ', (int) str_contains($first, 'Allow-Origin: https://example.org'), (int) str_contains($second, 'Allow-Origin'), "\n";
    echo 'refused: ', $server->stats()['handshakes_refused'], "\n";
});
?>
--EXPECT--
ValueError: Tusk\Server::events(): Argument #5 ($origins) must be a list of origins like "https://example.org", "nonsense" found
ValueError: Tusk\Server::events(): Argument #5 ($origins) must be a list of origins like "https://example.org", "*" found
ValueError: Tusk\Server::events(): Argument #5 ($origins) must not hold more than 127, 128 found
ValueError: Tusk\Server::websocket(): Argument #6 ($subprotocols) must not hold more than 127, 128 found
(none): 200 Vary: Origin
https://example.org: 200 Vary: Origin | Access-Control-Allow-Origin: https://example.org | Access-Control-Allow-Credentials: true
http://[::1]:8080: 200 Vary: Origin | Access-Control-Allow-Origin: http://[::1]:8080 | Access-Control-Allow-Credentials: true
http://example.org: 403 Vary: Origin | Vary: Accept
https://example.org.evil: 403 Vary: Origin | Vary: Accept
null: 403 Vary: Origin | Vary: Accept
https://example.org: 403 Vary: Origin | Vary: Accept
HEAD: 200 Vary: Origin | Access-Control-Allow-Origin: https://example.org | Access-Control-Allow-Credentials: true
asked: 200 Vary: Origin | Access-Control-Allow-Origin: https://example.org | Access-Control-Allow-Credentials: true
asked, other: 403 Vary: Origin | Vary: Accept
nobody: 403 Vary: Origin | Vary: Accept, 200 Vary: Origin
any: 200 -
kept: 10
refused: 6
