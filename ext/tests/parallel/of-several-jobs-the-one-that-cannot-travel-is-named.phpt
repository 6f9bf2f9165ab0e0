--TEST--
Of several jobs the one that cannot travel is named by its key
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, Pool, Sync};

foreach ([new Pool(workers: 1, max: 1), new Sync()] as $engine) {
    $good = fn (mixed $given): int => 1;
    foreach ([
        ['user' => [$good, 7], 'tags' => [$good, ['rows' => [STDOUT]]]],
        [5 => 'time', -1 => [$good, [1, STDOUT]]],
        ['a' => 'time', 'b' => 5],
        ['alone' => [$good, STDOUT]],
    ] as $jobs) {
        try {
            $engine->submit($jobs);
        } catch (CannotTravel $e) {
            echo preg_replace('~(: [^:]+ [^:]+).*~', '$1', $e->getMessage()), "\n";
        }
    }
}
?>
--EXPECT--
$jobs['tags'], $args[0]['rows'][0]: resource (stream)
$jobs[-1], $args[0][1]: resource (stream)
$jobs['b'], $job: is neither a closure, nor a callable string, nor an array
$args[0]: resource (stream)
$jobs['tags'], $args[0]['rows'][0]: resource (stream)
$jobs[-1], $args[0][1]: resource (stream)
$jobs['b'], $job: is neither a closure, nor a callable string, nor an array
$args[0]: resource (stream)
