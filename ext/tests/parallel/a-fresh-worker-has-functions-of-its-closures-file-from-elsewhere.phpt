--TEST--
A closure runs in a fresh worker that has a function of the closure's file from elsewhere: names are resolved in the worker, also where it has no such function
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Template};

function price(int $net): int
{
    return $net;
}
$code = tempnam(sys_get_temp_dir(), 'tusk') . '.php';
$locals = implode(' ', array_map(fn (int $i): string => "\$v$i = \$net + $i;", range(1, 500))); // a frame much larger than that of the function above
file_put_contents($code, "<?php function price(int \$net, int ...\$more): int { $locals return \$v500 + array_sum(\$more); }");
$pool = new Pool(workers: 1, max: 1, bootstrap: fn () => require $code, template: Template::Fresh);
echo $pool->run(fn () => price(3)), ' ';
echo $pool->run(fn () => array_sum(array_map(
    fn (int $i): int => price($i),
    range(1, 3),
))), "\n";
echo $pool->run(function (): string {
    static $seen = 0;
    $seen++;
    return $seen . ' ' . price(1, 2, 3);
}), "\n";
$pool->close();
$bare = new Pool(workers: 1, max: 1, template: Template::Fresh);
foreach ([
    fn () => price(3),
    fn () => price(net: 3), // which number the name has is known where the file is compiled
] as $of_nobody) {
    try {
        $bare->run($of_nobody);
    } catch (Throwable $e) {
        echo $e->getMessage(), "\n";
    }
}
unlink($code);
?>
--EXPECT--
503 1506
1 506
Call to undefined function price()
Call to undefined function price()
