--TEST--
Tasks of tasks of one Async run also where every place is taken by those that wait for them: three levels deep, with a deadline, in a server's handler; no more than concurrency: are under way beside those that wait
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\{Server, Timer};
use Tusk\Http\{Client, Request, Response};
use Tusk\Parallel\Async;

final class Tree
{
    public static int $now = 0;
    public static int $most = 0;

    public static function count(Async $engine, int $depth): int
    {
        if ($depth === 0) {
            self::$most = max(self::$most, ++self::$now);
            Timer::sleep(0.001);
            self::$now--;
            return 1;
        }
        $tasks = $engine->submit(array_fill(0, 3, fn (): int => self::count($engine, $depth - 1)), deadline: 60.0);
        return array_sum(array_map(fn ($task) => $task->await(), $tasks));
    }
}
foreach ([1, 2, 1000] as $concurrency) {
    $engine = new Async(concurrency: $concurrency);
    Tree::$most = 0;
    [$task] = $engine->submit([fn (): int => Tree::count($engine, 3)]);
    echo $task->await(), ' with ', $concurrency, ' at once: ', Tree::$most <= $concurrency ? 'kept' : Tree::$most, ', open ', $engine->stats()['open'], "\n";
}

$engine = new Async(concurrency: 1);
$server = new Server(listen: '127.0.0.1:0');
$server->get('/', fn (Request $r) => Response::text((string) $engine->submit([fn (): int => Tree::count($engine, 2)])[0]->await()));
$server->onStart(function () use ($server): void {
    echo (new Client())->get("http://127.0.0.1:{$server->port}/")->body, " in a server\n";
    $server->stop();
});
$server->run();

$engine = new Async(concurrency: 2); // who waits for a task of another engine keeps its place
$other = new Async();
$under = $most = 0;
$tasks = $engine->submit(array_fill(0, 6, function () use ($other, &$under, &$most): void {
    $most = max($most, ++$under);
    $other->submit([fn () => Timer::sleep(0.001)])[0]->await();
    $under--;
}));
array_map(fn ($task) => $task->await(), $tasks);
var_dump($most);
?>
--EXPECT--
27 with 1 at once: kept, open 0
27 with 2 at once: kept, open 0
27 with 1000 at once: kept, open 0
9 in a server
int(2)
