--TEST--
What its maker had open is closed in a template, a worker and a fork, and neither writes into nor closes what is opened there
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (PHP_OS_FAMILY !== 'Linux') die('skip Linux only');
--FILE--
<?php
use Tusk\Parallel\Pool;

function temporary(int $n): array
{
    return array_map(fn () => tmpfile(), range(1, $n));
}
/** Opens files, writes by what was open before, forgets that, and says what is in the files. */
$uses = function (): string {
    global $logs;
    $own = temporary(40);
    $written = count(array_filter($logs, fn ($log) => @fwrite($log, 'not yours') === 9));
    $logs = [];
    $whole = count(array_filter($own, fn ($file) => @fwrite($file, 'mine') === 4 && rewind($file) && stream_get_contents($file) === 'mine'));
    return "$written written, $whole of 40 are whole";
};
$logs = temporary(10);
$inBootstrap = '';
$pool = new Pool(workers: 1, max: 1, bootstrap: function () use ($uses, &$inBootstrap): void {
    global $logs;
    $mine = $logs;
    $inBootstrap = $uses();
    $logs = [...$mine, ...temporary(10)]; // a worker has these no more, either
});
echo 'bootstrap: ', $pool->run(fn () => $GLOBALS['inBootstrap']), "\n";
echo 'worker: ', $pool->run($uses), "\n";
$db = new class { public function __serialize(): array { throw new Exception('no bytes'); } };
echo 'fork: ', $pool->run(fn () => [$db, $uses()][1]), "\n";
echo 'a pool of a task: ', $pool->run(function () use ($uses): string {
    $GLOBALS['logs'] = temporary(10);
    $own = new Pool(workers: 1, max: 1);
    return $own->run($uses);
}), "\n";
$logs = array_filter($logs, fn ($log) => fwrite($log, 'x') === 1 && rewind($log) && stream_get_contents($log) === 'x');
echo 'here: ', count($logs), " of 10 are open\n";
?>
--EXPECT--
bootstrap: 0 written, 40 of 40 are whole
worker: 0 written, 40 of 40 are whole
fork: 0 written, 40 of 40 are whole
a pool of a task: 0 written, 40 of 40 are whole
here: 10 of 10 are open
