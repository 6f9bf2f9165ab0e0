--TEST--
Waiting for tasks of Async: in a handler, in a task, in a worker, and where nothing can come
--EXTENSIONS--
tusk
pcntl
--FILE--
<?php
use Tusk\{Server, Timer};
use Tusk\Http\{Client, Request, Response};
use Tusk\Parallel\{Async, Pool};

$pool = new Pool(workers: 1);
$engine = new Async();

// nested
[$outer] = $engine->submit([function () {
    $inner = (new Async())->submit(['a' => fn () => Timer::sleep(0.001), 'b' => fn () => 2]);
    return array_map(fn ($t) => $t->await(), $inner);
}]);
echo json_encode($outer->await()), "\n";

// a worker has a loop of its own
echo json_encode($pool->run(function () {
    $tasks = (new Async())->submit([function () { Timer::sleep(0.01); return 'first'; }, function () { Timer::sleep(0.001); return 'second'; }]);
    return [$tasks[0]->await(), $tasks[1]->await()];
})), "\n";
try {
    (new Async())->wait($engine->submit([fn () => 1]));
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}

// tasks that wait for a worker
[$one, $two] = $engine->submit([fn () => $pool->run(fn () => 'one'), fn () => $pool->run('strrev', 'owt')]);
echo $one->await(), ' ', $two->await(), "\n";

// nothing can come
[$a, $b] = $engine->submit([function () use (&$b) { return $b->await(); }, function () use (&$a) { return $a->await(); }]);
try {
    $a->await();
} catch (LogicException $e) {
    echo $e->getMessage(), "\n";
}
$a->cancel();
echo get_class($a->error()), ', ', get_class($b->error()), "\n";
[$self] = $engine->submit([function () use (&$self) { return $self->await(); }]);
echo $self->error()->getMessage(), "\n";

// a forked child has nothing of its parent's tasks, and a loop of its own
[$mine] = $engine->submit([function () { Timer::sleep(0.05); return 'mine'; }]);
$engine->wait([$mine], 0.001);
$pid = pcntl_fork();
if ($pid === 0) {
    [$own] = (new Async())->submit([function () { Timer::sleep(0.001); return 7; }]);
    // what the child forgets of its parent is lost for good, which valgrind would tell at an exit()
    pcntl_exec('/bin/sh', ['-c', "exit {$own->await()}"]);
}
pcntl_waitpid($pid, $status);
echo pcntl_wexitstatus($status), ' ', $mine->await(), "\n";

// a signal's handler of the application runs while one waits
pcntl_async_signals(true);
pcntl_signal(SIGALRM, function () use (&$signalled) { $signalled->cancel(); });
[$signalled] = $engine->submit([fn () => Timer::sleep(100)]);
pcntl_alarm(1);
echo get_class($signalled->error()), "\n";
pcntl_signal(SIGALRM, function () { throw new RangeException('from a signal'); });
[$goesOn] = $engine->submit([fn () => Timer::sleep(100)]);
pcntl_alarm(1);
try {
    $goesOn->await();
} catch (RangeException $e) {
    echo $e->getMessage(), ', ', $goesOn->state()->name, "\n";
}
$goesOn->cancel();

// inside a server
$server = new Server(listen: '127.0.0.1:0');
$go = null;
$server->get('/both', function (Request $r) use (&$go): Response {
    $tasks = (new Async())->submit([function () use (&$go) { while (!$go) { Timer::sleep(0.001); } return 'waited'; }, fn () => 'at once']);
    return Response::text($tasks[0]->await() . ' ' . $tasks[1]->await());
});
$server->get('/go', function () use (&$go): Response { $go = true; return Response::text('go'); });
$server->get('/held', function () use ($server): Response {
    [$task] = (new Async())->submit([fn () => Timer::sleep(100)]);
    Timer::defer($server->stop(...));
    return Response::text(get_class($task->error()) . ' ' . $task->error()->getMessage());
});
$seen = [];
Timer::defer(function () use ($server, &$seen) { $seen[] = (new Client())->get("http://127.0.0.1:$server->port/both")->body; });
Timer::defer(function () use ($server, &$seen) {
    Timer::sleep(0.01);
    $seen[] = (new Client())->get("http://127.0.0.1:$server->port/go")->body;
    while (count($seen) < 2) {
        Timer::sleep(0.001);
    }
    $server->stop();
});
$server->run();
sort($seen);
echo json_encode($seen), "\n";

// what still waits when the request ends is unwound
[$left, $never] = $engine->submit([function () { try { Timer::sleep(100); } finally { echo "unwound\n"; } }, fn () => print("never\n")]);
$engine->wait([$left], 0);
$engine->submit([fn () => print("never\n")]);
echo "the end\n";
?>
--EXPECT--
{"a":null,"b":2}
["first","second"]
Tusk\Parallel\Async::wait(): Argument #1 ($tasks) must be tasks of this pool
one two
Everybody waits, and for nothing that could come
Tusk\Parallel\Cancelled, Tusk\Parallel\Cancelled
The task waits for itself
7 mine
Tusk\Parallel\Cancelled
from a signal, Running
["go","waited at once"]
never
the end
unwound
