--TEST--
A folder's headers go with its files, ranges, conditions and redirects, each route's its own; one that would split an answer, or that the server writes itself, is refused
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\{Request, Response};
use Tusk\Server;

$folder = sys_get_temp_dir() . '/tusk' . getmypid();
mkdir("$folder/below", 0700, true);
file_put_contents("$folder/small.txt", 'small');
file_put_contents("$folder/large.txt", str_repeat('l', 100000));

$server = new Server('127.0.0.1:0');
foreach ([
    "a\r\nSet-Cookie: b", "a\nb", "a\0b", [1.5], ['fine', "a\r\nb"], null, new stdClass(),
] as $value) {
    attempt(fn () => $server->files('/refused', $folder, headers: ['X-Own' => $value]));
}
foreach (["X-Own\r\nSet-Cookie" => 'a', 'X Own' => 'a', '' => 'a', 5 => 'X-Own: a', 'X-Many' => array_fill(0, 9000, 'x')] as $name => $value) {
    attempt(fn () => $server->files('/refused', $folder, headers: [$name => $value]));
}
foreach ([
    'Content-Length', 'content-type', 'ETag', 'Last-Modified', 'DATE', 'Connection', 'Transfer-Encoding', 'Content-Range', 'Accept-Ranges', 'Content-Encoding',
    'Vary', 'X-Content-Type-Options', 'Cache-Control',
] as $name) {
    attempt(fn () => $server->files('/refused', $folder, headers: [$name => 'a']));
}
attempt(fn () => $server->files('/refused', $folder, headers: 'X-Own: a'));

$policy = 'default-src';
$given = ['Content-Security-Policy' => &$policy, 'X-Frame-Options' => 'DENY', 'X-Many' => ['a', 2], 'X-Number' => 5];
$server->files('/own', $folder, followSymlinks: true, headers: $given);
$policy = "changed\r\nSet-Cookie: later=1"; // too late
$server->files('/none', $folder, followSymlinks: true, headers: []);
$server->files('/hsts', $folder, cacheControl: '', followSymlinks: true, headers: ['Strict-Transport-Security' => 'max-age=31536000']);
$server->fallback(fn (Request $r): Response => Response::text("fallback\n", 404));

/** Status, and the fields that no answer has by itself. */
function told(int $port, string $path, string $fields = '', string $method = 'GET'): string
{
    $lines = explode("\r\n", explode("\r\n\r\n", http($port, "$method $path HTTP/1.1\r\nHost: a\r\n{$fields}Connection: close\r\n\r\n"))[0]);
    return rtrim(substr($lines[0], 9, 3) . ': ' . implode(', ', preg_grep('/^(Content-Security|X-Frame|X-Many|X-Number|Strict|Set-Cookie|Cache-Control|X-Own)/', $lines)));
}
talk($server, function (int $port): void {
    preg_match('/ETag: (\S+)/', http($port, "GET /own/small.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"), $tag);
    foreach ([
        ['/own/small.txt'], ['/own/large.txt'], ['/own/small.txt', '', 'HEAD'],
        ['/own/small.txt', "Range: bytes=0-1\r\n"], ['/own/large.txt', "Range: bytes=0-1\r\n"], ['/own/small.txt', "If-None-Match: $tag[1]\r\n"],
        ['/own/small.txt', "If-Match: \"other\"\r\n"], ['/own/small.txt', "Range: bytes=100-\r\n"], ['/own/below'], ['/own/missing'], ['/own/..%2f'],
        ['/none/small.txt'], ['/none/below'], ['/hsts/small.txt'], ['/hsts'],
    ] as $asked) {
        echo implode(' ', array_map('trim', str_replace($tag[1], 'tag', $asked))), ' ', told($port, ...$asked), "\n";
    }
    // Often enough to be put together in one piece.
    $all = [];
    for ($i = 0; $i < 120; $i++) {
        foreach (['own', 'none', 'hsts'] as $route) {
            $all[$route][told($port, "/$route/small.txt")] = true;
        }
    }
    for ($i = 0; $i < 60; $i++) {
        $all['own'][told($port, '/own/small.txt')] = true;
    }
    echo json_encode(array_map('count', $all)), "\n";
});
unlink("$folder/small.txt");
unlink("$folder/large.txt");
rmdir("$folder/below");
rmdir($folder);
?>
--EXPECT--
ValueError: Tusk\Server::files(): Argument #6 ($headers) must have no CR, LF, NUL or other control byte in header "X-Own"
ValueError: Tusk\Server::files(): Argument #6 ($headers) must have no CR, LF, NUL or other control byte in header "X-Own"
ValueError: Tusk\Server::files(): Argument #6 ($headers) must have no CR, LF, NUL or other control byte in header "X-Own"
ValueError: Tusk\Server::files(): Argument #6 ($headers) must have strings as values, header "X-Own" has another type
ValueError: Tusk\Server::files(): Argument #6 ($headers) must have no CR, LF, NUL or other control byte in header "X-Own"
ValueError: Tusk\Server::files(): Argument #6 ($headers) must have strings as values, header "X-Own" has another type
ValueError: Tusk\Server::files(): Argument #6 ($headers) must have strings as values, header "X-Own" has another type
ValueError: Tusk\Server::files(): Argument #6 ($headers) must be of the form name => value, "X-Own
Set-Cookie" is no header name
ValueError: Tusk\Server::files(): Argument #6 ($headers) must be of the form name => value, "X Own" is no header name
ValueError: Tusk\Server::files(): Argument #6 ($headers) must be of the form name => value, "" is no header name
ValueError: Tusk\Server::files(): Argument #6 ($headers) must be of the form name => value, "(a number)" is no header name
ValueError: Tusk\Server::files(): Argument #6 ($headers) must have at most 64 KiB of headers, "X-Many" is too much
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "Content-Length": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "content-type": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "ETag": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "Last-Modified": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "DATE": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "Connection": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "Transfer-Encoding": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "Content-Range": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "Accept-Ranges": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "Content-Encoding": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "Vary": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "X-Content-Type-Options": the server writes it itself
ValueError: Tusk\Server::files(): Argument #6 ($headers) must not have "Cache-Control": that is what $cacheControl is for
TypeError: Tusk\Server::files(): Argument #6 ($headers) must be of type array, string given
/own/small.txt 200: Cache-Control: no-cache, Content-Security-Policy: default-src, X-Frame-Options: DENY, X-Many: a, X-Many: 2, X-Number: 5
/own/large.txt 200: Cache-Control: no-cache, Content-Security-Policy: default-src, X-Frame-Options: DENY, X-Many: a, X-Many: 2, X-Number: 5
/own/small.txt  HEAD 200: Cache-Control: no-cache, Content-Security-Policy: default-src, X-Frame-Options: DENY, X-Many: a, X-Many: 2, X-Number: 5
/own/small.txt Range: bytes=0-1 206: Cache-Control: no-cache, Content-Security-Policy: default-src, X-Frame-Options: DENY, X-Many: a, X-Many: 2, X-Number: 5
/own/large.txt Range: bytes=0-1 206: Cache-Control: no-cache, Content-Security-Policy: default-src, X-Frame-Options: DENY, X-Many: a, X-Many: 2, X-Number: 5
/own/small.txt If-None-Match: tag 304: Cache-Control: no-cache, Content-Security-Policy: default-src, X-Frame-Options: DENY, X-Many: a, X-Many: 2, X-Number: 5
/own/small.txt If-Match: "other" 412: Cache-Control: no-cache, Content-Security-Policy: default-src, X-Frame-Options: DENY, X-Many: a, X-Many: 2, X-Number: 5
/own/small.txt Range: bytes=100- 416: Cache-Control: no-cache, Content-Security-Policy: default-src, X-Frame-Options: DENY, X-Many: a, X-Many: 2, X-Number: 5
/own/below 301: Content-Security-Policy: default-src, X-Frame-Options: DENY, X-Many: a, X-Many: 2, X-Number: 5
/own/missing 404:
/own/..%2f 403:
/none/small.txt 200: Cache-Control: no-cache
/none/below 301:
/hsts/small.txt 200: Strict-Transport-Security: max-age=31536000
/hsts 301: Strict-Transport-Security: max-age=31536000
{"own":1,"none":1,"hsts":1}
