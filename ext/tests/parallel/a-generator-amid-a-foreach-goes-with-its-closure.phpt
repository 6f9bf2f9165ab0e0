--TEST--
A generator that stands in a foreach over an object goes with the closure that captured it, and what the foreach goes over is looked through
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, Pool, Sync};

final class Rows implements IteratorAggregate
{
    public function __construct(private mixed $hidden = null) {}
    public function getIterator(): Iterator { return new LimitIterator(new ArrayIterator([1, 2, $this->hidden])); }
}
$amid = static function (iterable $all): Generator {
    $rows = (static fn () => yield from (static function () use ($all) { foreach ($all as $value) { yield $value; } })())();
    $rows->current();
    return $rows;
};
foreach ([new Pool(workers: 1), new Sync()] as $engine) {
    foreach ([new ArrayIterator([1, 2]), new Rows(), new DatePeriod(new DateTime('2026-01-01'), new DateInterval('P1D'), 2), $amid([1, 2])] as $all) {
        $rows = $amid($all);
        $do = static function () use ($rows): bool {
            $rows->next();
            return $rows->valid();
        };
        echo json_encode($engine->submit([$do])[0]->await()), ' ';
    }
    $rows = $amid(new Rows(fopen('php://memory', 'r')));
    try {
        $engine->submit([static fn () => $rows->current()])[0]->await();
    } catch (CannotTravel $e) {
        echo preg_replace('~(\[\.\.\.\])+~', '[...]', strtok($e->getMessage(), ':')), "\n";
    }
}
?>
--EXPECT--
true true true true $closure['rows'][...]->hidden
true true true true $closure['rows'][...]->hidden
