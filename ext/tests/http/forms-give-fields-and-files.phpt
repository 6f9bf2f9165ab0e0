--TEST--
A form gives its fields and files, of either kind; what is malformed or over a limit is refused and counted before a handler sees it
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server};
use Tusk\Http\{Request, Response, UploadedFile};

$server = new Server('127.0.0.1:0', limits: new Limits(formParts: 3, partHeadBytes: 120, fileBytes: 8));
$server->post('/', function (Request $r) use (&$kept): Response {
    $kept = $r;
    return Response::json([$r->form('a'), $r->formAll(), array_map(fn (UploadedFile $f) => [$f->field, $f->name, $f->type, $f->size, $f->contents()], $r->files())]);
});
/** The answer's status and body. */
function post(int $port, string $body, string $type = 'multipart/form-data; boundary=X', bool $pieces = false, string $more = ''): string
{
    $peer = new Peer($port);
    $peer->write("POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: $type\r\n{$more}Content-Length: " . strlen($body) . "\r\n\r\n");
    if ($pieces) {
        Tusk\Timer::sleep(0); // the head arrives alone, so the body is collected
    }
    $peer->write($body);
    $answer = $peer->readAll();
    return rtrim(substr($answer, 9, 3) . ' ' . substr((string) strstr($answer, "\r\n\r\n"), 4));
}
function part(string $disposition, string $contents, string $more = ''): string
{
    return "--X\r\nContent-Disposition: form-data; $disposition\r\n$more\r\n$contents\r\n";
}
talk($server, function (int $port) use (&$kept, &$one, $server): void {
    echo post($port, part('name=a', '1') . part('name="b[]"', "two\r\nlines") . part('name="b[]"', 'ü') . '--X--'), "\n";
    $file = part('name=f; filename="/etc/x\"y.png"', "\x89PNG\r\n", "Content-Type: image/png\r\n");
    $answers = [];
    foreach ([false, true] as $pieces) {
        $answers[] = post($port, str_replace("\x89", 'P', $file) . part('name=f; filename=""', '') . part('name=7; filename=e', '') . "--X--\r\n", pieces: $pieces);
    }
    echo $answers[0], $answers[0] === $answers[1] ? ' however it comes' : $answers[1], "\n";
    // Kept after its request has been answered.
    $one = $kept->file('f');
    $stream = $one->stream();
    fseek($stream, 1);
    var_dump($one === $kept->file('f'), stream_get_contents($stream), @fwrite($stream, 'x') > 0, count($kept->files('f')), $kept->files('none'), $kept->file('none'), $kept->form('f'), $kept->file('7')->size);
    $kept = null;
    echo $one->contents() === "PPNG\r\n" ? "the file outlives its request\n" : 'gone';
    echo post($port, 'a=1+2&b%5B%5D=3&b[]=%C3%BC', 'application/x-www-form-urlencoded; charset=utf-8'), "\n";
    echo post($port, '{"a":1}', 'application/json'), "\n";
    echo post($port, '--X--'), "\n";
    echo post($port, '', 'multipart/form-data'), "\n";

    echo "refused:\n";
    $three = str_repeat(part('name=a', '1'), 3);
    echo post($port, "$three--X--") === '200 ["1",{"a":["1","1","1"]},[]]' ? "three are fine\n" : 'three?';
    foreach ([false, true] as $pieces) {
        echo post($port, $three . part('name=a', '1') . '--X--', pieces: $pieces), "\n";
    }
    echo post($port, 'a&b&c&d', 'application/x-www-form-urlencoded'), "\n";
    echo post($port, part('name=f; filename=x', '123456789') . '--X--', pieces: true), "\n";
    echo post($port, part('name=f; filename=x', '1', 'X: ' . str_repeat('y', 120) . "\r\n") . '--X--'), "\n";
    echo post($port, part('name=f', 'MQ==', "Content-Transfer-Encoding: base64\r\n") . '--X--'), "\n";
    echo post($port, part('filename=x', '1') . '--X--'), "\n";
    echo post($port, part('name=a', '1')), "\n";
    echo post($port, '--X--', 'multipart/form-data'), "\n";
    echo post($port, '--X--', more: "Content-Type: text/plain\r\n"), "\n";
    echo $server->stats()['forms_refused'], "\n";
});
attempt(fn () => new UploadedFile());
attempt(fn () => clone $one);
attempt(fn () => serialize($one));
foreach (['formParts' => 0, 'partHeadBytes' => 63, 'fileBytes' => -1] as $limit => $value) {
    attempt(fn () => new Limits(...[$limit => $value]));
}
?>
--EXPECTF--
200 ["1",{"a":["1"],"b[]":["two\r\nlines","ü"]},[]]
200 [null,[],[["f","x\"y.png","image/png",6,"PPNG\r\n"],["7","e","text/plain",0,""]]] however it comes
bool(true)
string(5) "PNG
"
bool(false)
int(1)
array(0) {
}
NULL
NULL
int(0)
the file outlives its request
200 ["1 2",{"a":["1 2"],"b[]":["3","ü"]},[]]
200 [null,[],[]]
200 [null,[],[]]
200 [null,[],[]]
refused:
three are fine
413 the form has more than 3 fields
413 the form has more than 3 fields
413 the form has more than 3 fields
413 a file of the form has more than 8 bytes
413 the head of a part of the form has more than 120 bytes
415 the transfer encoding of a part is not taken
400 the form is not what its type says
400 the form is not what its type says
400 the form is not what its type says
400 the form is not what its type says
10
Error: Call to private Tusk\Http\UploadedFile::__construct() from global scope
Error: Trying to clone an uncloneable object of class Tusk\Http\UploadedFile
Exception: Serialization of 'Tusk\Http\UploadedFile' is not allowed
ValueError: %sformParts%s0%s
ValueError: %spartHeadBytes%s63%s
ValueError: %sfileBytes%s-1%s
