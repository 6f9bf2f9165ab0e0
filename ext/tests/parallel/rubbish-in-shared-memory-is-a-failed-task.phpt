--TEST--
A worker that writes rubbish over the shared memory, answers included, neither crashes nor hangs its parent
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (!is_writable('/proc/self/mem')) { die('skip no /proc/self/mem'); } ?>
--FILE--
<?php
use Tusk\Parallel\Pool;

/** Writes for a while over a range of the mapping that all workers and the parent share: the first part holds slots, the rest arenas. */
function scribble(int $from, int $length, int $times, int $seed): void
{
    $maps = (string) file_get_contents('/proc/self/maps');
    preg_match_all('~^([0-9a-f]+)-([0-9a-f]+) rw-s .*zero~m', $maps, $shared, PREG_SET_ORDER);
    $longest = 0; // opcache shares memory, too, and less
    foreach ($shared as [, $first, $end]) {
        if (hexdec($end) - hexdec($first) > $longest) {
            $longest = hexdec($end) - hexdec($first);
            $start = hexdec($first);
        }
    }
    if ($longest < 256 * 1024 * 1024) {
        throw new Error('no shared mapping of a pool');
    }
    $memory = fopen('/proc/self/mem', 'r+');
    stream_set_write_buffer($memory, 0);
    mt_srand($seed);
    for ($i = 0; $i < $times; $i++) {
        fseek($memory, $start + $from + mt_rand(0, $length));
        $bytes = '';
        for ($length = 1 + mt_rand(0, 63); strlen($bytes) < $length;) {
            $bytes .= chr(mt_rand(0, 255));
        }
        fwrite($memory, $bytes);
    }
}
$rows = array_map(fn ($i) => ['id' => $i, 'name' => "n$i", 'tags' => [1, 2.5, 'x'], 'at' => new DateTimeImmutable('@0')], range(1, 50));
$answer = fn () => $rows;
$slots = 0;
$ends = ['right' => 0, 'other' => 0, 'error' => 0];
$pools = (int) getenv('TUSK_SLOW') < 10 ? 12 : 2; // under valgrind each worker that crashes takes a second
foreach (range(1, $pools) as $seed) {
    $pool = new Pool(workers: 2, max: 2, queue: 64);
    $pool->run('strlen', 'x');
    $arena = $seed % 2 === 0;
    $head = 256 * 1024 * 1024; // the parent's arena lies before those of workers
    $jobs = [];
    for ($i = 0; $i < 40; $i++) {
        $jobs[] = $i % 8 === 3
            ? ['scribble', $arena ? $head : 0, $arena ? $head + 65536 : 16384, $arena ? 3000 : 30, $seed * 100 + $i]
            : [$answer];
    }
    foreach ($pool->submit($jobs, deadline: 5.0) as $i => $task) {
        $error = $task->error();
        if ($error !== null) {
            $ends['error']++;
        } else {
            $ends[$task->await() == $rows || $i % 8 === 3 ? 'right' : 'other']++;
        }
    }
    $pool->close();
}
echo array_sum($ends) === 40 * $pools ? 'all' : array_sum($ends), " tasks have ended\n";
var_dump($ends['right'] > 0);
$pool = new Pool(workers: 1);
var_dump($pool->run('strlen', 'still here'));
?>
--EXPECT--
all tasks have ended
bool(true)
int(10)
