--TEST--
withStatus(), withBody() and withoutHeader() give a changed copy: a body takes the place of a file or of chunks, what the constructor refuses they refuse; a file with another status is its body, where that status has one
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\Server;
use Tusk\Testing\Loopback;

function chunks(): Generator
{
    yield 'never asked for';
}

$told = fn (Response $r): string => json_encode([$r->status, $r->headers, $r->body]);
$first = Response::json(['a' => 1]);
$changed = $first->withStatus(422)->withBody('{}')->withoutHeader('content-TYPE');
echo $told($first), ' ', $told($changed), ' ', $told(Response::json([])), "\n";
echo $told((new Response(200, 'x', ['X-A' => ['1', '2'], 'x-a' => '3', 'B' => '4']))->withoutHeader('X-a')->withoutHeader('none')), "\n";
echo $told(Response::redirect('/')->withStatus(200)), "\n";
attempt(fn () => $first->withStatus(199));
attempt(fn () => $first->withStatus(600));
attempt(fn () => $first->withoutHeader("X:"));
attempt(fn () => $first->withoutHeader(''));

$server = new Server();
$file = Response::file(__FILE__, 'text/x-test');
$server->get('/file', fn (): Response => $file->withBody('no file')->withHeader('Content-Type', 'text/plain'));
$server->get('/typed', fn (): Response => $file->withBody('of its type'));
$server->get('/other', fn (): Response => $file->withHeader('content-type', 'text/x-other'));
$server->get('/same', fn (): Response => $file);
$server->get('/chunks', fn (): Response => Response::stream(chunks(), 'text/x-chunks', 200, 15)->withBody('no chunks'));
$server->get('/later', fn (): Response => Response::stream(['a', 'b'], 'text/x-chunks')->withStatus(202));
$server->get('/created', fn (): Response => Response::text('here')->withStatus(201));
foreach ([204, 205, 304, 404, 412, 416] as $status) {
    $server->get("/$status", fn (): Response => $file->withStatus($status));
}
$loopback = new Loopback($server);
foreach ([204, 205, 304, 404, 412, 416] as $status) {
    $answer = $loopback->request('GET', "/$status");
    echo $answer->status, ' ', $answer->header('content-type') ?? 'no type', ' ', $answer->header('content-length') === (string) strlen($answer->body) ? 'with its length' : $answer->header('content-length') ?? 'no length', ' ',
        $answer->body === file_get_contents(__FILE__) ? 'whole' : "($answer->body)", "\n";
}
echo json_encode($loopback->request('GET', '/other')->headerValues('content-type')), ' ', json_encode($loopback->request('GET', '/same')->headerValues('content-type')), "\n";
foreach (['/file', '/typed', '/chunks', '/later', '/created', '/created'] as $path) {
    $answer = $loopback->request('GET', $path);
    echo $path, ' ', $answer->status, ' ', $answer->header('content-type'), ' ', $answer->header('content-length') ?? 'in chunks', ' ', $answer->body, "\n";
}
var_dump($loopback->request('GET', '/same')->body === file_get_contents(__FILE__));
?>
--EXPECT--
[200,{"Content-Type":"application\/json"},"{\"a\":1}"] [422,[],"{}"] [200,{"Content-Type":"application\/json"},"[]"]
[200,{"B":"4"},"x"]
[200,{"Location":"\/"},""]
ValueError: Tusk\Http\Response::withStatus(): Argument #1 ($status) must be between 200 and 599, 199 given
ValueError: Tusk\Http\Response::withStatus(): Argument #1 ($status) must be between 200 and 599, 600 given
ValueError: Tusk\Http\Response::withoutHeader(): Argument #1 ($name) must be a header name, "X:" given
ValueError: Tusk\Http\Response::withoutHeader(): Argument #1 ($name) must be a header name, "" given
204 no type no length ()
205 no type with its length ()
304 no type no length ()
404 text/x-test with its length whole
412 text/x-test with its length whole
416 text/x-test with its length whole
["text\/x-other"] ["text\/x-test"]
/file 200 text/plain 7 no file
/typed 200 text/x-test 11 of its type
/chunks 200 text/x-chunks 9 no chunks
/later 202 text/x-chunks in chunks ab
/created 201 text/plain; charset=utf-8 4 here
/created 201 text/plain; charset=utf-8 4 here
bool(true)
