--TEST--
A fiber of a task's Async that catches the task's Cancelled or DeadlineExceeded, and then waits, keeps it from nobody: the task around it is told, and its finally runs
--EXTENSIONS--
tusk
posix
--FILE--
<?php
require __DIR__ . '/../peer.inc';

use Tusk\Parallel\{Async, Cancelled, DeadlineExceeded, Pool};
use Tusk\Timer;

final class Around
{
    public static function outer(string $note): void
    {
        $waits = function () use ($note): void {
            try {
                file_put_contents($note, 'inner');
                for (;;);
            } catch (Cancelled|DeadlineExceeded) {
                Timer::sleep(60);
            }
        };
        try {
            (new Async())->submit([$waits])[0]->await();
        } finally {
            file_put_contents($note, 'finally of the task');
        }
    }
}
$note = tempnam(sys_get_temp_dir(), 'tusk');
$pool = new Pool(workers: 1, max: 1);
foreach ([null, 0.25 * slow()] as $deadline) {
    for ($try = 0; $try < 20; $try++) { // a machine that is busy elsewhere may let it run too late for that
        file_put_contents($note, '');
        [$task] = $pool->submit([[Around::class, 'outer', $note]], deadline: $deadline);
        if ($deadline === null) {
            until(fn (): bool => file_get_contents($note) === 'inner', 'the inner task');
            $task->cancel();
        }
        $error = $task->error();
        if ($error !== null && preg_match('~was killed|before the task began~', $error->getMessage()) === 0) {
            break;
        }
        $pool->run('time');
    }
    echo $error?->getMessage(), ', ', file_get_contents($note), "\n";
}
unlink($note);
?>
--EXPECT--
The task was cancelled while it ran, finally of the task
The deadline passed while the task ran, finally of the task
