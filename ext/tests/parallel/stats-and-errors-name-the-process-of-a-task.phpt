--TEST--
stats() and a crash name the process that ran a task: of a pool's very first task, of tasks within tasks, of those that a crash ended, and where several workers came and went before somebody looked
--EXTENSIONS--
tusk
posix
--FILE--
<?php
require __DIR__ . '/../peer.inc';

use Tusk\Parallel\{Pool, State, WorkerCrashed};

$who = static fn (): int => getmypid();
$first = 0;
for ($i = 0; $i < 20; $i++) {
    $pool = new Pool(workers: 1);
    $task = $pool->task($who);
    $first += (int) ($task->await() === $task->stats()['pid']);
    $pool->close();
}
echo "first tasks: $first\n";

$pool = new Pool(workers: 2);
$within = static function () use ($who): array {
    $task = Pool::current()->task($who);
    return [$task->await(), $task->stats()['pid']];
};
[$is, $told] = $pool->run($within);
var_dump($is === $told);

$crash = static function (): array {
    $task = Pool::current()->task(static function (string $note): void {
        file_put_contents($note, (string) getmypid());
        posix_kill(getmypid(), SIGKILL);
    }, $note = tempnam(sys_get_temp_dir(), 'tusk'));
    while ($task->state() === State::Queued) { // the other worker takes it: this one would end itself
        usleep(1_000);
    }
    try {
        $task->await();
    } catch (WorkerCrashed $e) {
        return [(int) file_get_contents($note), $e->getMessage(), $task->stats()['pid'], unlink($note)];
    }
    return [];
};
try {
    [$was, $message, $told] = $pool->run($crash);
    var_dump($was === $told, str_contains($message, "(process $was) was ended by signal 9"));
} catch (WorkerCrashed $e) {
    echo $e->getMessage(), "\n";
}

$note = tempnam(sys_get_temp_dir(), 'tusk');
$jobs = array_fill(0, 8, static function () use ($note): int {
    file_put_contents($note, 'x', FILE_APPEND);
    return getmypid();
});
$jobs[] = static function () use ($note): never { // begun twice
    file_put_contents($note, 'x', FILE_APPEND);
    ini_set('log_errors', '0');
    trigger_error((string) getmypid(), E_USER_ERROR);
};
$pool = new Pool(workers: 1, max: 1, tasksPerWorker: 1);
$tasks = $pool->submit($jobs, retry: 1);
until(function () use ($note): bool { clearstatcache(); return filesize($note) >= 9; }, 'all of them');
unlink($note);
$crashed = array_pop($tasks);
echo 'unseen: ', count(array_filter($tasks, static fn ($task): bool => $task->await() === $task->stats()['pid'])), "\n";
echo preg_replace('~^(\d+) in .* \(worker 0, process \1\) \(task: \$jobs\[8\], closure of \S+:51\)$~', 'the one that crashed', $crashed->error()->getMessage()), ' ', $crashed->stats()['attempts'], "\n";
?>
--EXPECT--
first tasks: 20
bool(true)
bool(true)
bool(true)
unseen: 8
the one that crashed 2
