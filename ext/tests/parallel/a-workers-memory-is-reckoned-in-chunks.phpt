--TEST--
PHP has its memory in chunks of 2 MB: what a limit that is no multiple of it, a list that begins another chunk, or strings that share none leave unused is no room for arguments
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') { die('skip no memory limit without the Zend allocator'); } ?>
--INI--
memory_limit=256M
--FILE--
<?php
use Tusk\Parallel\Pool;

$rows = fn (int $count): array => array_fill(0, $count, ['id' => 1, 'name' => 'n']);
$strings = fn (int $count, int $length): array => array_map(fn (int $i): string => str_repeat(chr($i), $length), range(1, $count));
$cases = [
    ['5M', $rows, [12_000]],
    ['7M', $rows, [30_000]],
    ['12M', $rows, [50_000]],
    ['12M', $rows, [66_000]],
    ['16M', $strings, [9, 1_200_000]],
    ['16M', $strings, [17, 750_000]],
    ['16M', $strings, [5, 1_200_000]],
    ['16M', $strings, [10, 750_000]],
];
$pools = $workers = []; // before this process holds much itself
foreach ($cases as [$memory]) {
    $pools[] = $pool = new Pool(workers: 1, max: 1, memory: $memory);
    $workers[] = $pool->run('getmypid');
}
foreach ($cases as $i => [$memory, $make, $with]) {
    $error = $pools[$i]->submit([['count', $make(...$with)]])[0]->error();
    $stays = $pools[$i]->run('getmypid') === $workers[$i];
    echo "$memory, ", implode(' of ', $with), ': ', $error === null ? 'fits' : $error::class, $stays ? '' : ', and its worker ended', "\n";
}
?>
--EXPECT--
5M, 12000: Tusk\Parallel\CannotTravel
7M, 30000: Tusk\Parallel\CannotTravel
12M, 50000: Tusk\Parallel\CannotTravel
12M, 66000: Tusk\Parallel\CannotTravel
16M, 9 of 1200000: Tusk\Parallel\CannotTravel
16M, 17 of 750000: Tusk\Parallel\CannotTravel
16M, 5 of 1200000: fits
16M, 10 of 750000: fits
