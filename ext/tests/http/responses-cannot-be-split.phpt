--TEST--
A status out of range or a header that could split a response is a ValueError
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\WebSocket\HandshakeResponse;

ob_start(fn (string $said): string => str_replace(' type iterable, ', ' type Traversable|array, ', $said)); // before 8.2
attempt(fn () => new Response(199));
attempt(fn () => new Response(600));
attempt(fn () => new Response(200, '', ['X' => "a\r\nY: b"]));
attempt(fn () => new Response(200, '', ['X' => "a\0"]));
attempt(fn () => new Response(200, '', ["X: y\r\n" => 'a']));
attempt(fn () => new Response(200, '', ['a']));
attempt(fn () => new Response(200, '', ['X' => [1.5]]));
attempt(fn () => (new Response())->withHeader('X', "\n"));
attempt(fn () => (new Response())->withHeader('a b', 'x'));
attempt(fn () => Response::redirect("/\r\nX: y"));
attempt(fn () => Response::redirect('/', 200));
attempt(fn () => Response::file('/does/not/exist'));
attempt(fn () => Response::json(NAN));
attempt(fn () => Response::stream(5));
attempt(fn () => Response::stream([], "a\r\nX: y"));
foreach ([Response::stream([]), Response::stream([], status: 404), Response::stream([], 'text/csv'), Response::stream([], null)] as $stream) {
    echo $stream->status, ' ', $stream->headers['Content-Type'] ?? 'no type', "\n";
}
attempt(fn () => new HandshakeResponse(200));
attempt(fn () => new HandshakeResponse(600));
attempt(fn () => new HandshakeResponse(403, ['X' => "a\rb"]));
attempt(fn () => new HandshakeResponse(403, ["X\n" => 'a']));
$r = (new Response(200, 'b', ['X-Y' => 'a']))->withHeader('x-y', 'b')->withAddedHeader('X-Z', '1')->withAddedHeader('x-z', '2');
echo json_encode([$r->status, $r->headers, $r->body]), "\n";
attempt(function () use ($r) { $r->status = 1; });
$h = new HandshakeResponse();
echo json_encode([$h->status, $h->headers, $h->body]), "\n";
$e = new Tusk\WebSocket\HandshakeException();
echo $e->response->status, ' ', $e->getCode(), ' ', $e->getMessage(), "\n";
?>
--EXPECT--
ValueError: Tusk\Http\Response::__construct(): Argument #1 ($status) must be between 200 and 599, 199 given
ValueError: Tusk\Http\Response::__construct(): Argument #1 ($status) must be between 200 and 599, 600 given
ValueError: Tusk\Http\Response::__construct(): Argument #3 ($headers) must have no CR, LF, NUL or other control byte in header "X"
ValueError: Tusk\Http\Response::__construct(): Argument #3 ($headers) must have no CR, LF, NUL or other control byte in header "X"
ValueError: Tusk\Http\Response::__construct(): Argument #3 ($headers) must be of the form name => value, "X: y
" is no header name
ValueError: Tusk\Http\Response::__construct(): Argument #3 ($headers) must be of the form name => value, "(a number)" is no header name
ValueError: Tusk\Http\Response::__construct(): Argument #3 ($headers) must have strings as values, header "X" has another type
ValueError: Tusk\Http\Response::withHeader(): Argument #2 ($value) must have no CR, LF, NUL or other control byte
ValueError: Tusk\Http\Response::withHeader(): Argument #1 ($name) must be a header name, "a b" given
ValueError: Tusk\Http\Response::redirect(): Argument #1 ($location) must have no CR, LF, NUL or other control byte
ValueError: Tusk\Http\Response::redirect(): Argument #2 ($status) must be between 300 and 399, 200 given
ValueError: Tusk\Http\Response::file(): Argument #1 ($path) must be a file that can be read, "/does/not/exist" given
JsonException: Inf and NaN cannot be JSON encoded
TypeError: Tusk\Http\Response::stream(): Argument #1 ($chunks) must be of type Traversable|array, int given
ValueError: Tusk\Http\Response::stream(): Argument #2 ($type) must be a media type, "a
X: y" given
200 application/octet-stream
404 application/octet-stream
200 text/csv
200 no type
ValueError: Tusk\WebSocket\HandshakeResponse::__construct(): Argument #1 ($status) must be between 300 and 599, 200 given
ValueError: Tusk\WebSocket\HandshakeResponse::__construct(): Argument #1 ($status) must be between 300 and 599, 600 given
ValueError: Tusk\WebSocket\HandshakeResponse::__construct(): Argument #2 ($headers) must have no CR, LF, NUL or other control byte in header "X"
ValueError: Tusk\WebSocket\HandshakeResponse::__construct(): Argument #2 ($headers) must be of the form name => value, "X
" is no header name
[200,{"X-Y":"b","X-Z":["1","2"]},"b"]
Error: Cannot modify readonly property Tusk\Http\Response::$status
[403,[],""]
403 403 The handshake is refused with status 403
