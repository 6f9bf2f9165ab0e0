--TEST--
An exception of a task brings up to fifteen previous ones, the nearest
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync};

$throws = function (int $count): never {
    $error = null;
    for ($i = $count; $i > 0; $i--) {
        $error = new RuntimeException("$i", $i, $error);
    }
    throw $error;
};
foreach ([new Pool(workers: 1), new Sync()] as $engine) {
    foreach ([3, 16, 17, 2000] as $count) {
        $messages = [];
        for ($error = $engine->submit([[$throws, $count]])[0]->error(); $error !== null; $error = $error->getPrevious()) {
            $messages[] = $error->getMessage();
        }
        echo implode(' ', $messages), "\n";
    }
}
?>
--EXPECT--
1 2 3
1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
1 2 3
1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
