--TEST--
Trusted proxies are addresses or ranges, for X-Forwarded-For as for PROXY heads; what is neither is named
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Http\Response;

/** Who the server says we are, coming from $from and claiming to be 192.0.2.7. */
function ask(array $trusted, string $from, bool $proxyHead = false): string
{
    $server = new Server('127.0.0.1:0', trustedProxies: $trusted, proxyProtocol: $proxyHead);
    $server->get('/', fn ($r) => Response::text($r->remoteAddress));
    $said = '';
    talk($server, function (int $port) use (&$said, $from, $proxyHead): void {
        $peer = new Peer($port, '127.0.0.1', "$from:0");
        $peer->write(($proxyHead ? "PROXY TCP4 192.0.2.7 192.0.2.1 4000 443\r\n" : '')
            . "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" . ($proxyHead ? '' : "X-Forwarded-For: 192.0.2.7\r\n") . "\r\n");
        $answer = $peer->readAll();
        $said = strtok($answer, "\r\n") . ' ' . substr((string) strstr($answer, "\r\n\r\n"), 4);
    });
    return rtrim($said);
}
foreach ([false, true] as $proxyHead) {
    echo ask(['127.0.0.0/8', 'fd00::/8'], '127.9.8.7', $proxyHead), "\n";
    echo ask(['::1', '127.0.0.8/30'], '127.0.0.11', $proxyHead), "\n";
    echo ask(['::ffff:127.0.0.0/104'], '127.0.0.1', $proxyHead), "\n";
    echo ask(['127.0.0.8/30', '::/0'], '127.0.0.12', $proxyHead), "\n";
}
foreach (['10.0.0.1/8', '10.0.0.0/33', 'fd00::/129', 'proxy.test', '', "10.0.0.0/8\0", 'unix:/run/x'] as $wrong) {
    attempt(fn () => new Server(trustedProxies: ['127.0.0.1', $wrong]));
}
attempt(fn () => new Server(trustedProxies: [8]));
attempt(fn () => new Server(proxyProtocol: true)); // of nobody
?>
--EXPECTF--
HTTP/1.1 200 OK 192.0.2.7
HTTP/1.1 200 OK 192.0.2.7
HTTP/1.1 200 OK 192.0.2.7
HTTP/1.1 200 OK 127.0.0.12
HTTP/1.1 200 OK 192.0.2.7
HTTP/1.1 200 OK 192.0.2.7
HTTP/1.1 200 OK 192.0.2.7
HTTP/1.1 400 Bad Request %S
ValueError: Tusk\Server::__construct(): Argument #5 ($trustedProxies) must have addresses or ranges, "10.0.0.1" or "10.0.0.0/8", "10.0.0.1/8" given
ValueError: Tusk\Server::__construct(): Argument #5 ($trustedProxies) must have addresses or ranges, "10.0.0.1" or "10.0.0.0/8", "10.0.0.0/33" given
ValueError: Tusk\Server::__construct(): Argument #5 ($trustedProxies) must have addresses or ranges, "10.0.0.1" or "10.0.0.0/8", "fd00::/129" given
ValueError: Tusk\Server::__construct(): Argument #5 ($trustedProxies) must have addresses or ranges, "10.0.0.1" or "10.0.0.0/8", "proxy.test" given
ValueError: Tusk\Server::__construct(): Argument #5 ($trustedProxies) must have addresses or ranges, "10.0.0.1" or "10.0.0.0/8", "" given
TypeError: Tusk\Server::__construct(): Argument #5 ($trustedProxies) must be a list of strings, string found
ValueError: Tusk\Server::__construct(): Argument #5 ($trustedProxies) must have addresses or ranges, "10.0.0.1" or "10.0.0.0/8", "unix:/run/x" given
TypeError: Tusk\Server::__construct(): Argument #5 ($trustedProxies) must be a list of strings, int found
ValueError: Tusk\Server::__construct(): Argument #6 ($proxyProtocol) wants $trustedProxies to name the balancers: the header of nobody else is asked for, or believed
