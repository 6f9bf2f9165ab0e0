--TEST--
Whatever had drawn or seeded PHP's random numbers before a worker or a fork of the caller began, mt_rand(), shuffle() and lcg_value() are its own there; a task's own seed counts, and the caller's draw goes on
--EXTENSIONS--
tusk
--INI--
error_reporting=24575
--FILE--
<?php
// without E_DEPRECATED: lcg_value() is, from 8.4 on
use Tusk\Parallel\{Pool, Template};

/** @return array{int, string, float} */
$draw = static fn (): array => [mt_rand(), str_shuffle('abcdefghijklmnopqrstuvwxyz'), lcg_value()];
$lives = new class { public int $n = 1; }; // cannot be serialized: a closure that captures it runs in a fork
$fork = static fn (): array => [mt_rand(), str_shuffle('abcdefghijklmnopqrstuvwxyz'), lcg_value() * $lives->n];

/** @param list<array> $drawn */
$distinct = static fn (array $drawn): string => implode(' ', array_map(fn (int $i): int => count(array_unique(array_map('strval', array_column($drawn, $i)))), [0, 1, 2]));

lcg_value();
foreach (['used' => static fn () => mt_rand(), 'seeded' => static fn () => mt_srand(5)] as $name => $before) {
    $before();
    foreach (Template::cases() as $template) {
        $pool = new Pool(workers: 1, max: 1, tasksPerWorker: 1, bootstrap: static function (): void { mt_srand(7); lcg_value(); }, template: $template);
        echo "$name, $template->name: ", $distinct([$pool->run($draw), $pool->run($draw), $pool->run($draw), $pool->run($draw)]), "\n";
        $nine = static function (): int { mt_srand(9); return mt_rand(); }; // a line of its own, for opcache's sake
        $seeded = fn (): int => $pool->run($nine);
        var_dump($seeded() === $seeded());
        if ($template === Template::Fork) {
            echo "forks of the caller: ", $distinct([$pool->run($fork), $pool->run($fork), $pool->run($fork), $draw()]), "\n";
        }
        $pool->close();
    }
}
mt_srand(5);
$own = [mt_rand(), mt_rand()];
mt_srand(5);
$first = mt_rand();
$pool = new Pool(workers: 1, max: 1);
$pool->run($draw);
$pool->run($fork);
var_dump([$first, mt_rand()] === $own);
?>
--EXPECT--
used, Fork: 4 4 4
bool(true)
forks of the caller: 4 4 4
used, Fresh: 4 4 4
bool(true)
seeded, Fork: 4 4 4
bool(true)
forks of the caller: 4 4 4
seeded, Fresh: 4 4 4
bool(true)
bool(true)
