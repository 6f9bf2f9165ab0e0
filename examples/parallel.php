<?php

// Three slow things side by side, in worker processes: php examples/parallel.php 9010, then http://127.0.0.1:9010/.

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\Http\{Request, Response};
use Tusk\Parallel\Pool;
use Tusk\Server;

final class Slow
{
    public static function find(int $id): array
    {
        usleep(50_000); // a query that blocks
        return ['id' => $id, 'name' => "user $id"];
    }
}

$pool = new Pool(workers: 2, max: 8); // early: workers are forks of what this process is now
$server = new Server(listen: '127.0.0.1:' . $argv[1]);
$server->get('/', function (Request $r) use ($pool): Response {
    $rows = range(1, 1000);
    $tasks = $pool->submit([
        'user' => [Slow::class, 'find', 7],
        'friend' => [Slow::class, 'find', 8],
        'sum' => fn (): int => array_sum($rows),
    ], deadline: 5.0);
    return Response::json(array_map(fn ($task) => $task->await(), $tasks)); // this handler waits, the server does not
});
$server->onListen(fn (Server $s) => print("Three slow things at once: curl http://127.0.0.1:$s->port/\n"));
exit($server->run());
