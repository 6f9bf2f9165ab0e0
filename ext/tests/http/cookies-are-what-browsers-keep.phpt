--TEST--
withCookie: a line of Set-Cookie for each, with attributes; what a browser would drop is a ValueError
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;

$plain = Response::text('x');
$two = $plain->withCookie('a', '1')->withCookie('b', 'x=y', maxAge: 60, path: '/app', domain: 'example.org', secure: true, httpOnly: false, sameSite: 'None');
var_dump($plain->headers, $two->headers['Set-Cookie']);
echo Response::text('')->withCookie('a', '', maxAge: 0)->headers['Set-Cookie'], "\n";
echo Response::text('')->withCookie('a', '', maxAge: -5, sameSite: 'Strict')->headers['Set-Cookie'], "\n";
$mixed = new Response(200, '', ['set-cookie' => 'c=3']);
var_dump($mixed->withCookie('d', '4')->headers);

attempt(fn () => $plain->withCookie('a b', '1'));
attempt(fn () => $plain->withCookie('', '1'));
attempt(fn () => $plain->withCookie('a', "1\0"));
attempt(fn () => $plain->withCookie('a', str_repeat('x', 4096)));
attempt(fn () => $plain->withCookie('a', '1', path: 'app'));
attempt(fn () => $plain->withCookie('a', '1', path: '/;x'));
attempt(fn () => $plain->withCookie('a', '1', domain: 'a; Secure'));
attempt(fn () => $plain->withCookie('a', '1', domain: ''));
attempt(fn () => $plain->withCookie('a', '1', sameSite: 'lax'));
attempt(fn () => $plain->withCookie('a', '1', sameSite: 'None'));
attempt(fn () => $plain->withCookie('__Secure-a', '1'));
attempt(fn () => $plain->withCookie('__host-a', '1'));
attempt(fn () => $plain->withCookie('__Host-a', '1', path: '/app', secure: true));
attempt(fn () => $plain->withCookie('__Host-a', '1', domain: 'example.org', secure: true));
echo $plain->withCookie('__Host-a', '1', secure: true)->withCookie('__Secure-b', '2', path: '/app', domain: 'example.org', secure: true)->withCookie('__Hosta', '3')->headers['Set-Cookie'][1], "\n";
var_dump(strlen($plain->withCookie('a', str_repeat('x', 4095))->headers['Set-Cookie']));

$every = implode(array_map(chr(...), range(1, 255)));
$server = new Tusk\Server();
$server->get('/', fn (Tusk\Http\Request $r) => Response::text($r->cookie('a') === $every ? 'the same' : bin2hex($r->cookie('a') ?? ''))->withCookie('b', '2'));
$set = $plain->withCookie('a', $every)->headers['Set-Cookie'];
$cookie = strstr($set, '; ', true);
var_dump(preg_match('~^a=[!#-+\-./0-:<-\[\]-\~]+$~D', $cookie));
$server->events('/events', function (Tusk\Sse\EventStream $s) use ($every): void {
    $s->send($s->cookie('a') === $every ? 'the same' : 'another');
    $s->send($s->cookie('c') ?? 'none');
    $s->close();
});
preg_match_all('~^data: .*~m', (new Tusk\Testing\Loopback($server))->raw("GET /events HTTP/1.1\r\nHost: x\r\nCookie: $cookie; b=2\r\n\r\n"), $data);
echo implode("\n", $data[0]), "\n";
echo (new Tusk\Testing\Loopback($server))->raw("GET / HTTP/1.1\r\nHost: x\r\nCookie: $cookie; b=2\r\n\r\n");
?>
--EXPECTF--
array(1) {
  ["Content-Type"]=>
  string(25) "text/plain; charset=utf-8"
}
array(2) {
  [0]=>
  string(35) "a=1; Path=/; HttpOnly; SameSite=Lax"
  [1]=>
  string(71) "b=x=y; Max-Age=60; Path=/app; Domain=example.org; Secure; SameSite=None"
}
a=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax
a=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict
array(1) {
  ["set-cookie"]=>
  array(2) {
    [0]=>
    string(3) "c=3"
    [1]=>
    string(35) "d=4; Path=/; HttpOnly; SameSite=Lax"
  }
}
ValueError: Tusk\Http\Response::withCookie(): Argument #1 ($name) must be a cookie name (a token), "a b" given
ValueError: Tusk\Http\Response::withCookie(): Argument #1 ($name) must be a cookie name (a token), "" given
ValueError: Tusk\Http\Response::withCookie(): Argument #2 ($value) must not contain any null bytes
ValueError: Tusk\Http\Response::withCookie(): Argument #2 ($value) must have at most 4096 bytes, encoded and together with the name: browsers drop a longer cookie; 4097 given
ValueError: Tusk\Http\Response::withCookie(): Argument #4 ($path) must begin with "/" and have no semicolon, "app" given
ValueError: Tusk\Http\Response::withCookie(): Argument #4 ($path) must begin with "/" and have no semicolon, "/;x" given
ValueError: Tusk\Http\Response::withCookie(): Argument #5 ($domain) must be a host name, "a; Secure" given
ValueError: Tusk\Http\Response::withCookie(): Argument #5 ($domain) must be a host name, "" given
ValueError: Tusk\Http\Response::withCookie(): Argument #8 ($sameSite) must be "Lax", "Strict" or "None", "lax" given
ValueError: Tusk\Http\Response::withCookie(): Argument #8 ($sameSite) must not be "None" without secure: browsers drop the cookie
ValueError: Tusk\Http\Response::withCookie(): Argument #6 ($secure) must be true for a cookie "__Secure-a": browsers drop it without
ValueError: Tusk\Http\Response::withCookie(): Argument #6 ($secure) must be true for a cookie "__host-a": browsers drop it without
ValueError: Tusk\Http\Response::withCookie(): Argument #4 ($path) must be "/" for a cookie "__Host-a", "/app" given
ValueError: Tusk\Http\Response::withCookie(): Argument #5 ($domain) must be null for a cookie "__Host-a": it is of one host
__Secure-b=2; Path=/app; Domain=example.org; Secure; HttpOnly; SameSite=Lax
int(4129)
int(1)
data: the same
data: none
HTTP/1.1 200 OK
Date: %s
Content-Length: 8
Content-Type: text/plain; charset=utf-8
Set-Cookie: b=2; Path=/; HttpOnly; SameSite=Lax
Connection: close

the same
