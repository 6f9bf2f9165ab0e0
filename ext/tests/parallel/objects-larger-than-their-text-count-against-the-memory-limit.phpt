--TEST--
Objects that are larger than their text says are counted by their classes: beyond the caller's memory limit they are a failed task
--EXTENSIONS--
tusk
--INI--
memory_limit=48M
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip no memory limit without the Zend allocator'); ?>
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, Pool};

eval('class Wide { ' . implode(' ', array_map(fn ($i) => "public \$p$i = 0;", range(1, 200))) . '
    public function __serialize(): array { return []; }
    public function __unserialize(array $data): void {} }');

$pool = new Pool(workers: 1, memory: '512M', classes: [Wide::class]);
foreach ([100, 20000, 100] as $count) {
    try {
        $task = $pool->submit([[fn (int $count) => array_map(fn () => new Wide(), range(1, $count)), $count]])[0];
        echo count($task->await()), "\n";
    } catch (CannotTravel $e) {
        echo $e->getMessage(), "\n";
    }
    unset($task);
}
?>
--EXPECTF--
100
$result: it takes more than the memory limit of this process leaves: raise memory_limit, or return less (task: closure of %sobjects-larger-than-their-text-count-against-the-memory-limit.php:11)
100
