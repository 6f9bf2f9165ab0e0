--TEST--
Wait: with time 0 a handler looks, however its turn stands, and loses its place to nobody; a short time does not hide what is there
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\{Server, Timer, Wait};
use Tusk\Http\{Client, Request, Response};
use Tusk\Parallel\Async;

$free = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($free, false);
fclose($free);
$server = new Server(listen: $address);
$server->get('/{time}', function (Request $r): Response {
    [$a, $b] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $time = (float) $r->params['time'];
    $before = Wait::readable($a, $time);
    fwrite($b, 'x');
    usleep(3000); // the turn's time is old now
    return Response::json([$before, Wait::readable($a, $time), Wait::writable($a, $time)]);
});
$server->onStart(function () use ($server, $address): void {
    foreach (['0', '0.001'] as $time) {
        echo (new Client())->get("http://$address/$time")->body, "\n";
    }
    $server->stop();
});
$server->run();

$engine = new Async();
$order = [];
[$a] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$tasks = $engine->submit([
    function () use ($a, &$order) { $order[] = 1; Wait::readable($a, 0.0); $order[] = 2; },
    function () use (&$order) { $order[] = 3; },
]);
$engine->wait([$tasks[1]]);
echo implode(' ', $order), "\n";
?>
--EXPECT--
[false,true,true]
[false,true,true]
1 2 3
