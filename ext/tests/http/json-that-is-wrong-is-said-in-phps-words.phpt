--TEST--
json() says what is wrong with a text in the words and with the code of json_decode()
--FILE--
<?php
use Tusk\Server;
use Tusk\Http\{Request, Response};
use Tusk\Testing\Loopback;

$bodies = [
    'nothing' => '',
    'half' => '{"a":{"b":1',
    'two' => '1 2',
    'brackets' => '[1}',
    'quotes' => "{'a':1}",
    'line break' => "\"a\nb\"",
    'NUL' => "[1,\0]",
    'no UTF-8' => "\"\xff\"",
    'half a pair' => '"\\ud834"',
    'deep' => str_repeat('[', 600) . str_repeat(']', 600),
];
$server = new Server('127.0.0.1:0');
$server->post('/', function (Request $r): Response {
    try {
        return Response::text(var_export($r->json(), true));
    } catch (JsonException $e) {
        return Response::text(get_class($e) . ' ' . $e->getCode() . ' ' . $e->getMessage() . (json_last_error() === 0 ? '' : ', and left its error'));
    }
});
$loopback = new Loopback($server);
foreach ($bodies as $what => $body) {
    try {
        json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        $theirs = 'nothing is wrong';
    } catch (JsonException $e) { // later versions of PHP say where, too
        $theirs = $e->getCode() . ' ' . preg_replace('/ near location .*/', '', $e->getMessage());
    }
    $ours = $loopback->request('POST', '/', [], $body)->body;
    echo "$what: ", $ours === "Tusk\\Http\\InvalidJson $theirs" ? 'the same' : "$ours, not $theirs", "\n";
}
?>
--EXPECT--
nothing: the same
half: the same
two: the same
brackets: the same
quotes: the same
line break: the same
NUL: the same
no UTF-8: the same
half a pair: the same
deep: the same
