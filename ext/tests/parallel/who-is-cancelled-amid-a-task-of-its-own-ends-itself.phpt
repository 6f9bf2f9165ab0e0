--TEST--
A task that is cancelled, or late, while it runs a task of its own gets that, not the inner one alone: of its pool, of Sync, of Async, in a fork of the caller; where it does not heed it, it is killed, whether or not somebody looks
--EXTENSIONS--
tusk
posix
--FILE--
<?php
require __DIR__ . '/../peer.inc';

use Tusk\Parallel\{Async, Cancelled, Pool, Sync};

final class Around
{
    public static function loop(string $note): void
    {
        file_put_contents($note, (string) getmypid());
        for (;;);
    }

    public static function outer(string $note, bool $heeds, string $engine = Pool::class): string
    {
        $engine = $engine === Pool::class ? Pool::current() : new $engine();
        try {
            return 'goes on after ' . get_debug_type($engine->submit([[self::class, 'loop', $note]])[0]->error());
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
$until_inner = function () use ($note): int {
    until(function () use ($note): bool { clearstatcache(); return filesize($note) > 0; }, 'the inner task');
    return (int) file_get_contents($note);
};
$tell = function (Closure|array $job, ?float $deadline) use ($pool, $note, $until_inner): string {
    for ($try = 0; $try < 20; $try++) { // a machine that is busy elsewhere may let who heeds run too late for that
        file_put_contents($note, '');
        [$task] = $pool->submit([$job], deadline: $deadline);
        if ($deadline === null) {
            $until_inner();
            $task->cancel();
        }
        $error = $task->error();
        if ($error === null || preg_match('~was killed|before the task began~', $error->getMessage()) === 0) {
            break;
        }
        $pool->run('time');
    }
    return $error === null ? $task->await() : $error->getMessage() . ' ' . $task->state()->name;
};
$live = new class {}; // does not travel
foreach ([
    'of its pool' => [Around::class, 'outer', $note, true],
    'of Sync' => [Around::class, 'outer', $note, true, Sync::class],
    'of Async' => [Around::class, 'outer', $note, true, Async::class],
    'in a fork' => fn (): string => $live::class === '' ?: Around::outer($note, true),
] as $where => $job) {
    echo $where, ': ', $tell($job, null), "; ", $tell($job, 0.25 * slow()), "\n";
}

file_put_contents($note, '');
$task = $pool->task([Around::class, 'outer'], $note, false);
$pid = $until_inner();
$task->cancel();
until(fn (): bool => !posix_kill($pid, 0), 'its end, that nobody asks for'); // the template takes it in
echo get_class($task->error()), ' ', $task->state()->name, ' ', $pool->run(fn (): string => 'and the pool goes on'), "\n";
unlink($note);
?>
--EXPECT--
of its pool: The task was cancelled while it ran Cancelled; The deadline passed while the task ran Failed
of Sync: The task was cancelled while it ran Cancelled; The deadline passed while the task ran Failed
of Async: The task was cancelled while it ran Cancelled; The deadline passed while the task ran Failed
in a fork: The task was cancelled while it ran Cancelled; The deadline passed while the task ran Failed
Tusk\Parallel\Cancelled Cancelled and the pool goes on
