--TEST--
Processes of a pool have nothing of other pools: no mapping, and no number of a descriptor that somebody else has by now
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (PHP_OS_FAMILY !== 'Linux') die('skip Linux only');
--FILE--
<?php
use Tusk\Parallel\Pool;
use Tusk\Parallel\Task;

/** Mappings of regions, whose memory stays as long as somebody has one. */
function regions(): int
{
    static $before; // opcache has one as well
    $now = preg_match_all('~ rw-s .* /dev/zero~', file_get_contents('/proc/' . getmypid() . '/maps')); // PHP keeps what /proc/self led to, over a fork, too
    return $now - ($before ??= $now);
}
regions(); // before there is a pool
/** Opens files where the numbers of descriptors are free, lets go of all pools and says how many of the files can be read. */
$release = function (): string {
    global $others, $waits;
    $files = array_map(fn () => fopen(__FILE__, 'r'), range(1, 60));
    $others = $waits = null;
    gc_collect_cycles();
    return count(array_filter($files, fn ($file) => fgets($file) !== false)) . ' of 60 files are open';
};
$uses = function (): string {
    global $others, $waits;
    $told = [];
    foreach ([
        fn () => $waits->await(), fn () => $waits->await(0.01), fn () => $waits->error(), fn () => $waits->state(), fn () => $waits->stats(), fn () => $waits->cancel(),
        fn () => $others[0]->run('time'), fn () => $others[0]->wait([$waits], 0.01), fn () => $others[0]->stats(), fn () => $others[0]->expect(2), fn () => $others[0]->reload(),
        fn () => $others[0]->close(), fn () => $others[0]->close(),
    ] as $call) {
        try {
            $told[] = get_debug_type($call());
        } catch (Throwable $e) {
            $told[] = preg_match('~belongs to the process|process that made~', $e->getMessage());
        }
    }
    return implode(' ', $told);
};

$others = [new Pool(workers: 1, max: 1), new Pool(workers: 1, max: 1)];
$waits = $others[0]->task(function (): never {
    while (true) {
        usleep(1000);
    }
});
$others[1]->run('time');
$inBootstrap = '';
$pool = new Pool(workers: 1, max: 1, bootstrap: function () use ($uses, $release, &$inBootstrap): void {
    $inBootstrap = $uses() . ', ' . $release();
});
echo 'bootstrap: ', $pool->run(fn () => $GLOBALS['inBootstrap']), "\n";
$pool->reload();
$pool->close();
$pool = new Pool(workers: 1, max: 1);
echo 'worker: ', $pool->run(fn () => regions()), ', ', $pool->run($uses), ', ', $pool->run($release), "\n";
$db = new class { public $pool; public function __serialize(): array { throw new Exception('no bytes'); } };
echo 'fork: ', $pool->run(fn () => [$db, regions()][1]), ', ', $pool->run(fn () => [$db, $uses()][1]), ', ', $pool->run(fn () => [$db, $release()][1]), "\n";

echo 'a pool of a task: ', $pool->run(function (): string {
    $own = new Pool(workers: 1, max: 1, bootstrap: function (): void {
        $GLOBALS['told'] = [Task::stopping(), Pool::current()];
    });
    return $own->run(fn () => regions() . ' ' . json_encode($GLOBALS['told'])) . ' ' . Pool::current()->run('strrev', 'abc');
}), "\n";
?>
--EXPECT--
bootstrap: 1 1 1 Tusk\Parallel\State array bool 1 1 array null 1 null null, 60 of 60 files are open
worker: 1, 1 1 1 Tusk\Parallel\State array bool 1 1 array null 1 null null, 60 of 60 files are open
fork: 1, 1 1 1 Tusk\Parallel\State array bool 1 1 array null 1 null null, 60 of 60 files are open
a pool of a task: 1 [false,null] cba
