--TEST--
A task that waits for one closure of Async is told of its deadline, or that it was cancelled, where the signal came as another one ran
--EXTENSIONS--
tusk
--FILE--
<?php
require __DIR__ . '/../peer.inc';

use Tusk\Parallel\{Async, Pool};
use Tusk\Timer;

function outer(string $began): string
{
    $engine = new Async();
    [$rests] = $engine->submit([
        static fn () => Timer::sleep(60),
        static function () use ($began): void {
            touch($began);
            while (true) { // the signal finds this one
            }
        },
    ]);
    $rests->await();
    return 'nobody told it';
}

$began = tempnam(sys_get_temp_dir(), 'tusk');
$pool = new Pool(1, max: 1);
$tell = function (?float $deadline) use ($pool, $began): string {
    for ($try = 0; $try < 5; $try++) { // a machine that is busy elsewhere may let who heeds run too late for that
        unlink($began);
        [$task] = $pool->submit([['outer', $began]], deadline: $deadline);
        if ($deadline === null) {
            until(function () use ($began): bool { clearstatcache(); return file_exists($began); }, 'the other closure');
            $task->cancel();
        }
        $error = $task->error();
        touch($began);
        if (!str_contains($error->getMessage(), 'was killed') && !str_contains($error->getMessage(), 'before the task began')) {
            break;
        }
        $pool->run('time');
    }
    return get_class($error) . ': ' . $error->getMessage() . "\n";
};
echo $tell(0.2 * slow()), $tell(null);
unlink($began);
?>
--EXPECT--
Tusk\Parallel\DeadlineExceeded: The deadline passed while the task ran
Tusk\Parallel\Cancelled: The task was cancelled while it ran
