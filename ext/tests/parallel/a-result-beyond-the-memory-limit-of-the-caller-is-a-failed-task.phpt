--TEST--
A result that takes more memory than the caller's memory_limit leaves is that task's failure, not the caller's end
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, Pool};

$part = (int) getenv('TUSK_SLOW') < 10 ? 1 : 4; // a smaller limit and less over it under valgrind
ini_set('memory_limit', (24 << 20) / $part);
$pool = new Pool(workers: 1, max: 1, memory: '512M');
$jobs = [
    'a string' => fn (): string => str_repeat('x', (48 << 20) / $part),
    'strings' => fn (): array => array_map(fn (int $i): string => str_repeat((string) $i, 4000), range(1, 10_000 / $part)),
    'a list' => fn (): array => range(1, 2_000_000 / $part),
    'rows' => fn (): array => array_fill(0, 100_000 / $part, ['id' => 1, 'name' => 'n']),
    'an object' => fn (): object => (object) ['rows' => array_fill(0, 500_000 / $part, 7)],
    'an error' => fn () => throw new DomainException(str_repeat('x', (48 << 20) / $part)),
    'what fits' => fn (): int => strlen(str_repeat('x', (48 << 20) / $part)) * $part,
];
foreach ($pool->submit($jobs) as $what => $task) {
    $error = $task->error();
    echo "$what: ", $error === null ? $task->await() : $error::class . ': ' . $error->getMessage(), "\n";
}
for ($rows = 1 << 10; $rows <= 1 << 17; $rows <<= 1) { // three bytes each, which become 376
    $task = $pool->submit([fn (): array => array_fill(0, $rows, ['a' => null])])[0];
    if ($task->error() === null ? count($task->await()) !== $rows : !$task->error() instanceof CannotTravel) {
        echo "$rows rows: {$task->error()}\n";
    }
}
?>
--EXPECTF--
a string: Tusk\Parallel\CannotTravel: $result: it takes more than the memory limit of this process leaves: raise memory_limit, or return less (task: $jobs['a string'], closure of %sa-result-beyond-the-memory-limit-of-the-caller-is-a-failed-task.php:8)
strings: Tusk\Parallel\CannotTravel: $result: it takes more than the memory limit of this process leaves: raise memory_limit, or return less (task: $jobs['strings'], closure of %sa-result-beyond-the-memory-limit-of-the-caller-is-a-failed-task.php:9)
a list: Tusk\Parallel\CannotTravel: $result: it takes more than the memory limit of this process leaves: raise memory_limit, or return less (task: $jobs['a list'], closure of %sa-result-beyond-the-memory-limit-of-the-caller-is-a-failed-task.php:10)
rows: Tusk\Parallel\CannotTravel: $result: it takes more than the memory limit of this process leaves: raise memory_limit, or return less (task: $jobs['rows'], closure of %sa-result-beyond-the-memory-limit-of-the-caller-is-a-failed-task.php:11)
an object: Tusk\Parallel\CannotTravel: $result: it takes more than the memory limit of this process leaves: raise memory_limit, or return less (task: $jobs['an object'], closure of %sa-result-beyond-the-memory-limit-of-the-caller-is-a-failed-task.php:12)
an error: Tusk\Parallel\CannotTravel: $result: it takes more than the memory limit of this process leaves: raise memory_limit, or return less (task: $jobs['an error'], closure of %sa-result-beyond-the-memory-limit-of-the-caller-is-a-failed-task.php:13)
what fits: 50331648
