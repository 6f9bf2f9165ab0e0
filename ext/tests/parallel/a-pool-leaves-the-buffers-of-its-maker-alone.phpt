--TEST--
A pool that is made, reloaded or forks the caller amid output buffers neither sends what waits in them nor has it in its processes
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Template};

$calls = 0;
foreach (Template::cases() as $template) {
    ob_start(function (string $text) use (&$calls): string {
        $calls++;
        return strtoupper($text);
    });
    ob_start();
    echo 'of the maker, ';
    $pool = new Pool(workers: 1, max: 1, template: $template, bootstrap: function () { echo 'unheard'; });
    $pool->reload();
    $task = $pool->task(function () { echo 'of the task'; return ob_get_level(); });
    $task->await();
    $live = new class { public int $v = 5; };
    $fork = $pool->task(function () use ($live) { echo "of the fork $live->v"; return ob_get_level(); });
    $fork->await();
    echo 'whole';
    $whole = ob_get_clean();
    ob_end_clean();
    echo json_encode([$whole, $task->output(), $task->await(), $fork->output(), $fork->await(), $calls]), "\n";
    $calls = 0;
}
ob_start(function (string $text): string {
    return (new Pool(workers: 1, max: 1))->run('strrev', $text);
});
echo "\nreffub a ni edaM";
ob_end_flush();
?>
--EXPECT--
["of the maker, whole","of the task",1,"of the fork 5",1,1]
["of the maker, whole","of the task",1,"of the fork 5",1,1]
Made in a buffer
