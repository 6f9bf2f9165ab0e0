--TEST--
Load: with verify, an echo that is wrong, lost, doubled or out of order is caught
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\Bench\Load;
use Tusk\WebSocket\{Connection, MessageType, Server};

function liar(callable $answer): array
{
    [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $pid = pcntl_fork();
    if ($pid === 0) {
        fclose($here);
        $server = new Server();
        $server->listen('127.0.0.1', 0);
        $n = 0;
        $server->onMessage(function (Connection $c, string $m, MessageType $t) use (&$n, $answer): void {
            $answer($c, $m, $t, ++$n);
        });
        $server->onStart(fn () => fwrite($there, "$server->port\n"));
        $server->run();
        posix_kill(getmypid(), SIGKILL);
    }
    return [(int) fgets($here), $pid];
}

$held = null;
foreach ([
    'wrong' => fn ($c, $m, $t, $n) => $c->send($n % 10 === 0 ? substr($m, 1) . '!' : $m, $t),
    'short' => fn ($c, $m, $t, $n) => $c->send($n % 10 === 0 ? substr($m, 1) : $m, $t),
    'type' => fn ($c, $m, $t, $n) => $c->send($m, $n % 10 === 0 ? MessageType::Binary : $t),
    'lost' => fn ($c, $m, $t, $n) => $n % 10 === 0 ? null : $c->send($m, $t),
    'doubled' => fn ($c, $m, $t, $n) => [$c->send($m, $t), $n % 10 === 0 ? $c->send($m, $t) : null],
    'swapped' => function ($c, $m, $t, $n) use (&$held) {
        if ($n % 10 === 0) {
            $held = $m;
            return;
        }
        $c->send($m, $t);
        if ($held !== null) {
            $c->send($held, $t);
            $held = null;
        }
    },
    'truth' => fn ($c, $m, $t, $n) => $c->send($m, $t),
] as $name => $answer) {
    [$port, $pid] = liar($answer);
    $load = new Load('ws-echo', "ws://127.0.0.1:$port/", ['verify' => true, 'count' => 105, 'pipeline' => 5, 'connections' => 1, 'warmup' => 0,
        'timeout' => '2s', 'hiccup' => false]);
    $load->start();
    while ($load->poll(5)) {
    }
    $c = $load->counters();
    printf("%-8s completed %d, wrong %d, lost %d, duplicated %d, reordered %d, timed out %d\n", $name, $c['completed'], $c['wrong'], $c['lost'],
        $c['duplicated'], $c['reordered'], $c['timed_out']);
    posix_kill($pid, SIGKILL);
    pcntl_waitpid($pid, $status);
}
?>
--EXPECT--
wrong    completed 95, wrong 10, lost 0, duplicated 0, reordered 0, timed out 0
short    completed 95, wrong 10, lost 0, duplicated 0, reordered 0, timed out 0
type     completed 95, wrong 10, lost 0, duplicated 0, reordered 0, timed out 0
lost     completed 95, wrong 0, lost 10, duplicated 0, reordered 0, timed out 0
doubled  completed 105, wrong 0, lost 0, duplicated 10, reordered 0, timed out 0
swapped  completed 95, wrong 0, lost 0, duplicated 0, reordered 10, timed out 0
truth    completed 105, wrong 0, lost 0, duplicated 0, reordered 0, timed out 0
