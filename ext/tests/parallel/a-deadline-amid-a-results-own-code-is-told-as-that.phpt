--TEST--
A deadline or cancelling that comes while a result is written, or arguments come to life, is told as what it is
--EXTENSIONS--
tusk
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) die('skip a quarter of a second is too little for valgrind'); ?>
--FILE--
<?php
use Tusk\Parallel\{Pool, Task};

final class Slow
{
    public function __construct(public string $where, public int $n = 0) {}

    private static function until_stopped(): void
    {
        while (!Task::stopping()) {
        }
        for (;;); // interrupted here
    }

    public function __serialize(): array
    {
        $this->where === 'leaves' && self::until_stopped();
        return [$this->where, $this->n];
    }

    public function __unserialize(array $data): void
    {
        [$this->where, $this->n] = $data;
        $this->where === 'arrives' && self::until_stopped();
    }
}
final class Sleeps
{
    public array $in = [];

    public function __sleep(): array
    {
        while (!Task::stopping()) {
        }
        for (;;);
        return ['in'];
    }
}
$pool = new Pool(workers: 1, max: 1, classes: [Slow::class, Sleeps::class]);
$jobs = [
    'result' => fn () => new Slow('leaves'),
    'in an array' => fn () => [1, ['deep' => new Slow('leaves')]],
    'by __sleep' => fn () => new Sleeps,
    'argument' => [fn (Slow $one) => $one->n, new Slow('arrives')],
];
foreach ($jobs as $what => $job) {
    $task = $pool->submit([$job], deadline: 0.1)[0];
    echo $what, ': ', get_class($task->error()), ' ', $task->error()->getMessage(), ' ', $task->state()->name, "\n";
}
$task = $pool->task($jobs['result']);
while ($task->state()->name !== 'Running') {
    usleep(1000);
}
$task->cancel();
echo 'cancelled: ', get_class($task->error()), ' ', $task->error()->getMessage(), ' ', $task->state()->name, "\n";
echo $pool->stats()['died'], " died\n";
?>
--EXPECT--
result: Tusk\Parallel\DeadlineExceeded The deadline passed while the task ran Failed
in an array: Tusk\Parallel\DeadlineExceeded The deadline passed while the task ran Failed
by __sleep: Tusk\Parallel\DeadlineExceeded The deadline passed while the task ran Failed
argument: Tusk\Parallel\DeadlineExceeded The deadline passed while the task ran Failed
cancelled: Tusk\Parallel\Cancelled The task was cancelled while it ran Cancelled
0 died
