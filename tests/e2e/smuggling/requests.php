<?php

declare(strict_types=1);

// Requests that two readers may take for different ones: name => bytes. `GET /smuggled` inside of a body is what one of them would count as a request.

$hello = "5\r\nhello\r\n0\r\n\r\n";

$hidden = "GET /smuggled HTTP/1.1\r\nHost: x\r\nX-Rest: ";
$post = "POST /e HTTP/1.1\r\nHost: x\r\n";
$get = "GET /e HTTP/1.1\r\nHost: x\r\n";
$chunked = "{$post}Transfer-Encoding: chunked\r\n\r\n";
$all = [];

// Both lengths, in every spelling of the coding: who knows the coding stops at the empty chunk, who does not reads $hidden as the body.
$body = "0\r\n\r\n$hidden";
$codings = [
    'plain' => 'Transfer-Encoding: chunked', 'space before the colon' => 'Transfer-Encoding : chunked', 'tab before the value' => "Transfer-Encoding:\tchunked", 'no space' => 'Transfer-Encoding:chunked',
    'folded line' => " Transfer-Encoding: chunked", 'folded value' => "Transfer-Encoding:\r\n chunked", 'folded by a tab' => "Transfer-Encoding:\r\n\tchunked", 'vertical tab' => "Transfer-Encoding: \x0bchunked",
    'form feed' => "Transfer-Encoding: chunked\x0c", 'no-break space' => "Transfer-Encoding: chunked\xa0", 'NUL behind' => "Transfer-Encoding: chunked\0", 'NUL in the name' => "Transfer-Encoding\0: chunked",
    'x in front' => 'Transfer-Encoding: xchunked', 'x behind' => 'Transfer-Encoding: chunkedx', 'identity' => 'Transfer-Encoding: identity', 'identity, chunked' => 'Transfer-Encoding: identity, chunked',
    'chunked, identity' => 'Transfer-Encoding: chunked, identity', 'twice in a list' => 'Transfer-Encoding: chunked, chunked', 'gzip, chunked' => 'Transfer-Encoding: gzip, chunked', 'comma in front' => 'Transfer-Encoding: ,chunked',
    'comma behind' => 'Transfer-Encoding: chunked,', 'quoted' => 'Transfer-Encoding: "chunked"', 'in a quote' => 'Transfer-Encoding: "x, chunked', 'with a parameter' => 'Transfer-Encoding: chunked;q=1', 'capitals' => 'TRANSFER-ENCODING: CHUNKED',
    'underscore' => 'Transfer_Encoding: chunked', 'point' => 'Transfer.Encoding: chunked', 'behind a bare LF' => "X: y\nTransfer-Encoding: chunked", 'behind a bare CR' => "X: y\rTransfer-Encoding: chunked",
    'two lines' => "Transfer-Encoding: chunked\r\nTransfer-Encoding: x", 'two lines, the second good' => "Transfer-Encoding: x\r\nTransfer-Encoding: chunked", 'empty' => 'Transfer-Encoding:', 'in TE' => 'TE: chunked',
    'Connection names it' => "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked", 'bell' => "Transfer-Encoding: chunked\x07", 'DEL' => "Transfer-Encoding: chunked\x7f", 'high letter' => "Transfer-Encoding: chun\xe9ked",
];
foreach ($codings as $name => $line) {
    $all["coding and length, $name"] = "{$post}Content-Length: " . strlen($body) . "\r\n$line\r\n\r\n$body";
    $all["length and coding, $name"] = "$post$line\r\nContent-Length: 4\r\n\r\n" . sprintf("%x\r\n%s\r\n0\r\n\r\n", strlen($hidden), $hidden);
    $all["coding, $name"] = "$post$line\r\n\r\n" . $hello;
}
foreach (['GET', 'HEAD', 'DELETE', 'OPTIONS', 'PATCH', 'get', 'PURGE'] as $method) {
    $all["a body with $method"] = "$method /e HTTP/1.1\r\nHost: x\r\nContent-Length: " . strlen($hidden) . "\r\n\r\n$hidden";
    $all["chunks with $method"] = "$method /e HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" . $hello;
}

// Lengths.
$lengths = [
    'plus' => '+5', 'minus' => '-5', 'two numbers' => '5 6', 'list' => '5, 5', 'list that differs' => '5, 6', 'hexadecimal' => '0x5', 'zeros' => '0005', 'tab behind' => "5\t", 'semicolon' => '5;', 'point' => '5.0',
    'wraps in 64 bits' => '18446744073709551621', 'wraps in 32 bits' => '4294967301', 'empty' => '', 'folded' => "\r\n 5", 'exponent' => '5e0', 'NUL' => "5\0", 'arabic' => "\xd9\xa5", 'bare CR' => "5\r6",
];
foreach ($lengths as $name => $value) {
    $all["length, $name"] = "{$post}Content-Length: $value\r\n\r\nhello";
}
$named = ['twice' => "Content-Length: 5\r\nContent-Length: 5", 'twice, differing' => "Content-Length: 5\r\nContent-Length: 0", 'differing, the other way' => "Content-Length: 0\r\nContent-Length: 5",
    'underscore' => 'Content_Length: 5', 'space before the colon' => 'Content-Length : 5', 'behind a bare LF' => "X: y\nContent-Length: 5", 'Connection names it' => "Connection: Content-Length\r\nContent-Length: 5"];
foreach ($named as $name => $lines) {
    $all["length, $name"] = "$post$lines\r\n\r\nhello";
}

// Chunks.
$chunks = [
    'extension' => "5;a=b\r\nhello\r\n0\r\n\r\n", 'extension with a bare LF' => "5;a\nhello\r\n0\r\n\r\n", 'extension, LF and a line' => "5;\nxx\r\n4c\r\n0\r\n\r\n$hidden\r\n0\r\n\r\n", 'quoted line end' => "5;a=\"\r\n\"\r\nhello\r\n0\r\n\r\n",
    'space behind' => "5 \r\nhello\r\n0\r\n\r\n", 'tab behind' => "5\t\r\nhello\r\n0\r\n\r\n", 'space in front' => " 5\r\nhello\r\n0\r\n\r\n", 'hexadecimal sign' => "0x5\r\nhello\r\n0\r\n\r\n", 'plus' => "+5\r\nhello\r\n0\r\n\r\n",
    'minus' => "-5\r\nhello\r\n0\r\n\r\n", 'zeros' => "0005\r\nhello\r\n000\r\n\r\n", 'many zeros' => str_repeat('0', 40) . "5\r\nhello\r\n0\r\n\r\n", 'bare LF' => "5\nhello\r\n0\r\n\r\n", 'bare CR' => "5\rhello\r\n0\r\n\r\n",
    'bare LF behind data' => "5\r\nhello\n0\r\n\r\n", 'bare LFs' => "5\nhello\n0\n\n", 'other bytes behind data' => "5\r\nhelloXX0\r\n\r\n", 'longer data' => "5\r\nhello you\r\n0\r\n\r\n", 'wraps' => "10000000000000005\r\nhello\r\n0\r\n\r\n",
    'wraps to 5 from F' => "ffffffffffffffff5\r\nhello\r\n0\r\n\r\n", 'no digit' => "\r\nhello\r\n0\r\n\r\n", 'a letter' => "g\r\nhello\r\n0\r\n\r\n", 'underscore' => "1_0\r\nhello\r\n0\r\n\r\n", 'extension at the end' => "0;x=y\r\n\r\n",
    'NUL behind' => "5\0\r\nhello\r\n0\r\n\r\n", 'two CR' => "5\r\r\nhello\r\n0\r\n\r\n", 'end in bare LF' => "5\r\nhello\r\n0\r\n\n", 'end in CR CR' => "5\r\nhello\r\n0\r\n\r\r\n", 'end without its empty line' => "5\r\nhello\r\n0\r\n",
    'no end' => "5\r\nhello\r\n",
];
foreach ($chunks as $name => $bytes) {
    $all["chunk, $name"] = $chunked . $bytes;
}
$trailers = [
    'length' => "Content-Length: 40\r\n", 'coding' => "Transfer-Encoding: chunked\r\n", 'host' => "Host: other\r\n", 'forwarded' => "X-Forwarded-For: 203.0.113.9\r\nX-Real-IP: 203.0.113.9\r\nX_Real.IP: 203.0.113.9\r\n", 'folded' => "X: y\r\n Content-Length: 5\r\n",
    'bare LF' => "X: y\nContent-Length: 5\r\n", 'bare CR' => "X: y\rContent-Length: 5\r\n", 'no colon' => "nonsense\r\n", 'a request' => "GET /smuggled HTTP/1.1\r\nHost: x\r\n", 'good' => "X-Sum: 1\r\n", 'connection' => "Connection: close\r\n",
];
foreach ($trailers as $name => $lines) {
    $all["trailer, $name"] = "{$post}Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n5\r\nhello\r\n0\r\n$lines\r\n";
}

// Versions and request lines.
foreach (['HTTP/1.0', 'HTTP/1.2', 'HTTP/1.10', 'HTTP/2.0', 'http/1.1', 'HTTP/01.1', 'HTTP/1.1 ', 'HTTP/1.1x', 'HTTP/1,1', ''] as $version) {
    $all["version \"$version\""] = "GET /e $version\r\nHost: x\r\nConnection: keep-alive\r\n\r\n";
    $all["version \"$version\", chunks"] = "POST /e $version\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n" . $hello;
}
$all['version 0.9'] = "GET /e\r\n";
$lines = [
    'two spaces' => 'GET  /e HTTP/1.1', 'tab' => "GET\t/e HTTP/1.1", 'tab before the version' => "GET /e\tHTTP/1.1", 'space in the target' => 'GET /e /smuggled HTTP/1.1', 'two versions' => 'GET /e HTTP/1.1 HTTP/1.1', 'CR in the target' => "GET /e\r/x HTTP/1.1",
    'NUL in the target' => "GET /e\0 HTTP/1.1", 'high bytes' => "GET /e\xc3\xa9\x80\xff HTTP/1.1", 'fragment' => 'GET /e#x HTTP/1.1', 'encoded line end' => 'GET /e%0d%0aX:%20y HTTP/1.1', 'backslash' => 'GET /e\\..\\x HTTP/1.1', 'no slash' => 'GET e HTTP/1.1',
    'absolute' => 'GET http://x/e HTTP/1.1', 'absolute, another host' => 'GET http://other/e HTTP/1.1', 'absolute, no path' => 'GET http://x?e HTTP/1.1', 'absolute with a user' => 'GET http://x@other/e HTTP/1.1', 'absolute of another scheme' => 'GET ftp://x/e HTTP/1.1',
    'asterisk' => 'GET * HTTP/1.1', 'OPTIONS asterisk' => 'OPTIONS * HTTP/1.1', 'NUL in the method' => "G\0ET /e HTTP/1.1", 'control in the method' => "GET\x01 /e HTTP/1.1", 'brackets in the method' => 'G[E]T /e HTTP/1.1', 'a long method' => str_repeat('A', 40) . ' /e HTTP/1.1',
    'a method of signs' => '!$%&|~ /e HTTP/1.1', 'CONNECT' => 'CONNECT x:80 HTTP/1.1', 'TRACE' => 'TRACE /e HTTP/1.1', 'space in front' => ' GET /e HTTP/1.1',
];
foreach ($lines as $name => $line) {
    $all["line, $name"] = "$line\r\nHost: x\r\n\r\n";
}
foreach (["\r\n", "\r\n\r\n", "\r\n\r\n\r\n", "\n", "\r", "\0", ' '] as $before) {
    $all['in front ' . bin2hex($before)] = "$before{$get}\r\n";
}
$all['bare LFs only'] = "GET /e HTTP/1.1\nHost: x\n\n";
$all['an empty line of bare LF'] = "GET /e HTTP/1.1\r\nHost: x\r\n\n";

// Hosts.
$hosts = ['none' => '', 'two' => "Host: x\r\nHost: other\r\n", 'two that agree' => "Host: x\r\nHost: x\r\n", 'empty' => "Host:\r\n", 'space' => "Host: x other\r\n", 'comma' => "Host: x, other\r\n", 'slash' => "Host: x/other\r\n", 'at' => "Host: other@x\r\n",
    'folded' => "Host: x\r\n other\r\n", 'Connection names it' => "Host: x\r\nConnection: Host\r\n", 'underscore' => "Host: x\r\nX_Forwarded_Host: other\r\n", 'port' => "Host: x:99999999999\r\n", 'NUL' => "Host: x\0other\r\n"];
foreach ($hosts as $name => $bytes) {
    $all["host, $name"] = "GET /e HTTP/1.1\r\n$bytes\r\n";
}

// Fields.
$fields = [
    'NUL' => "X: a\0b", 'CR' => "X: a\rb", 'LF' => "X: a\nb", 'LF and a request' => "X: a\n\n$hidden", 'high byte in the name' => "X\x80: a", 'high bytes in the value' => "X: \x80\xff", 'DEL' => "X: \x7f", 'space in the name' => 'X Y: a', 'no colon' => 'X', 'empty name' => ': a',
    'folded' => "X: a\r\n b", 'folded first' => ' X: a', 'colon in front' => ':method: GET', 'pseudo' => ':path: /smuggled', 'CR CR LF' => "X: a\r", 'parentheses' => 'X(: a', 'escape' => "X: \x1b", 'tab' => "X: a\tb",
];
foreach ($fields as $name => $line) {
    $all["field, $name"] = "$get$line\r\n\r\n";
}

// Who the client is, in the spellings that CGI makes one of, and taken away by Connection.
foreach (['X-Forwarded-For', 'X_Forwarded_For', 'X.Forwarded.For', 'x-forwarded_for', 'X!Forwarded~For', 'X-Real-IP', 'X.Real.IP'] as $name) {
    $all["client, $name"] = "$get$name: 203.0.113.9\r\n\r\n";
    $all["client, Connection names $name"] = "{$get}Connection: $name\r\n$name: 203.0.113.9\r\n\r\n";
}
foreach (['X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Proto, Via, Forwarded', '", X-Forwarded-For, "', 'close, keep-alive', '"close"', '", close, "', 'Host, Content-Length, Transfer-Encoding', "keep-alive\r\nConnection: close", ',,,'] as $value) {
    $all["Connection: $value"] = "{$get}Connection: $value\r\n\r\n";
}

// Other protocols, and answers that come before the end.
$socket = "Sec-WebSocket-Version: 99\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
foreach (['websocket', 'h2c', 'h2c, websocket', '", h2c, "', 'TLS/1.0', 'websocket/13', ''] as $protocol) {
    $all["upgrade to $protocol"] = "{$get}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: $protocol\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n$socket\r\n";
    $all["upgrade to $protocol with a body"] = "{$post}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: $protocol\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\nContent-Length: " . strlen($hidden) . "\r\n$socket\r\n$hidden";
}
$all['upgrade by HTTP/1.0'] = "GET /e HTTP/1.0\r\nHost: x\r\nConnection: Upgrade, keep-alive\r\nUpgrade: websocket\r\n$socket\r\n";
foreach (['100-continue', '100-Continue', '200-ok', '100-continue, x', "100-continue\r\nExpect: 100-continue", '"100-continue"', ''] as $value) {
    $all["Expect: $value"] = "{$post}Expect: $value\r\nContent-Length: 5\r\n\r\nhello";
    $all["Expect: $value without a body"] = "{$get}Expect: $value\r\n\r\n";
}
foreach (['GET', 'POST', 'DELETE', 'get', ''] as $method) {
    $all["X-HTTP-Method-Override: $method"] = "{$post}X-HTTP-Method-Override: $method\r\nContent-Length: 5\r\n\r\nhello";
}

return $all;
