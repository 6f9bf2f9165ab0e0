--TEST--
A task that is cancelled while it runs a task of its own gets that, not the inner one alone; where it does not heed it, it is killed, whether or not somebody looks
--EXTENSIONS--
tusk
posix
--FILE--
<?php
require __DIR__ . '/../peer.inc';

use Tusk\Parallel\{Cancelled, Pool};

final class Around
{
    public static function loop(string $note): void
    {
        file_put_contents($note, (string) getmypid());
        for (;;);
    }

    public static function outer(string $note, bool $heeds): string
    {
        try {
            return 'goes on after ' . get_debug_type(Pool::current()->task([self::class, 'loop'], $note)->error());
        } catch (Cancelled $e) {
            if ($heeds) {
                throw $e;
            }
        }
        for (;;);
    }
}
$note = tempnam(sys_get_temp_dir(), 'tusk');
$pool = new Pool(workers: 1, max: 1); // nobody else is there for the inner one
$cancelled = function (bool $heeds) use ($pool, $note): array {
    file_put_contents($note, '');
    $task = $pool->task([Around::class, 'outer'], $note, $heeds);
    until(function () use ($note): bool { clearstatcache(); return filesize($note) > 0; }, 'the inner task');
    return [$task, $task->cancel(), (int) file_get_contents($note)];
};
for ($try = 0; $try < 20; $try++) { // a machine that is busy elsewhere may let who heeds run too late for that
    [$task] = $cancelled(true);
    $error = $task->error();
    if ($error === null || !str_contains($error->getMessage(), 'was killed')) {
        break;
    }
}
echo $error === null ? $task->await() : get_class($error) . ': ' . $error->getMessage(), ' ', $task->state()->name, "\n";

[$task, $was, $pid] = $cancelled(false);
until(fn (): bool => !posix_kill($pid, 0), 'its end, that nobody asks for'); // the template takes it in
var_dump($was);
echo get_class($task->error()), ' ', $task->state()->name, ' ', $pool->run(fn (): string => 'and the pool goes on'), "\n";
unlink($note);
?>
--EXPECT--
Tusk\Parallel\Cancelled: The task was cancelled while it ran Cancelled
bool(true)
Tusk\Parallel\Cancelled Cancelled and the pool goes on
