--TEST--
Condition wakes in order and only who waits; Scope ends with its task, handler or fiber
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\{Condition, Scope, Server, Timer};
use Tusk\Http\{Client, Request, Response};
use Tusk\Parallel\{Async, Pool, Sync};

$engine = new Async();
$condition = new Condition();
$log = [];
$wait = function (string $name) use ($condition, &$log) { $log[] = $condition->wait() ? $name : "$name late"; };
$tasks = $engine->submit([[$wait, 'a'], [$wait, 'b'], [$wait, 'c'], function () use ($condition, &$log) {
    $log[] = $condition->notify();
    Timer::sleep(0.001);
    $log[] = $condition->notify(5);
    $log[] = $condition->notify();
}]);
foreach ($tasks as $task) {
    $task->await();
}
echo json_encode($log), "\n";
var_dump($condition->wait(0.001), $condition->wait(0));
try {
    $condition->wait();
} catch (LogicException $e) {
    echo $e->getMessage(), "\n";
}
// the script waits for a task
$engine->submit([function () use ($condition) { Timer::sleep(0.001); $condition->notify(); }]);
var_dump($condition->wait());
// one that was notified and cancelled in one breath passes it on
[$first, $second] = $engine->submit([fn () => $condition->wait(), fn () => $condition->wait(10)]);
$engine->wait([$first], 0.001);
$condition->notify();
$first->cancel();
var_dump($first->error() instanceof Tusk\Parallel\Cancelled, $second->await());
foreach ([fn () => $condition->wait(-1), fn () => $condition->notify(0)] as $wrong) {
    try {
        $wrong();
    } catch (ValueError $e) {
        echo $e->getMessage(), "\n";
    }
}

final class Told
{
    public function __construct(private string $name) {}
    public function __destruct() { echo "end of $this->name\n"; }
}
$map = new WeakMap();
$bind = function (string $name) use ($map): string { $map[Scope::current()] = new Told($name); return $name; };
var_dump(Scope::current() === Scope::current());
foreach ($engine->submit(['t1' => fn () => $bind('t1'), 't2' => function () use ($bind) { $bind('t2'); throw new Exception('x'); }]) as $key => $task) {
    $task->error();
    echo "$key has ended\n";
}
[$held] = $engine->submit([function () use ($bind) { $bind('cancelled'); Timer::sleep(100); }]);
$engine->wait([$held], 0.001);
$held->cancel();
[$sync] = (new Sync())->submit([fn () => 1]);
$pool = new Pool(workers: 1);
echo $pool->run(function () {
    $map = new WeakMap();
    $map[Scope::current()] = 1;
    $GLOBALS['map'] = $map;
    return 'kept: ' . count($map);
}), ', ', $pool->run(fn () => 'left: ' . count($GLOBALS['map'])), "\n";
$fiber = new Fiber(function () use ($bind) { var_dump(Scope::current() === Fiber::getCurrent()); $bind('fiber'); });
$fiber->start();
unset($fiber);
$server = new Server(listen: '127.0.0.1:0');
$server->get('/', function (Request $r) use ($bind): Response { $bind('handler'); Timer::sleep(0.001); echo "answers\n"; return Response::text('x'); });
Timer::defer(function () use ($server) { (new Client())->get("http://127.0.0.1:$server->port/"); $server->stop(); });
$server->run();
echo count($map), "\n";
?>
--EXPECT--
[1,"a",2,0,"b","c"]
bool(false)
bool(false)
Everybody waits, and for nothing that could come
bool(true)
bool(true)
bool(true)
Tusk\Condition::wait(): Argument #1 ($timeout) must be between 0 and 1e9 seconds, -1 given
Tusk\Condition::notify(): Argument #1 ($count) must be at least 1, 0 given
bool(true)
end of t1
end of t2
t1 has ended
t2 has ended
end of cancelled
kept: 1, left: 0
bool(true)
end of fiber
answers
end of handler
0
