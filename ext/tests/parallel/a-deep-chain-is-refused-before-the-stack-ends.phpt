--TEST--
Objects that lie in each other too deep are refused with where they are by who sends them: the caller, a task, a fiber; however they are known
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Async, CannotTravel, Pool};

final class Node
{
    public ?Node $next = null;
    public array $more = [];
}

final class Work
{
    public static function chain(int $length, bool $arrays = false): Node
    {
        $first = new Node();
        for ($i = 1; $i < $length; $i++) {
            $outer = new Node();
            if ($arrays) {
                $outer->more = ['next' => $first];
            } else {
                $outer->next = $first;
            }
            $first = $outer;
        }
        return $first;
    }

    /** In a fiber of a worker. */
    public static function fiber(int $length): int
    {
        $pool = Pool::current();
        return (new Async())->submit([static fn () => $pool->run([self::class, 'count', self::chain($length)])])[0]->await();
    }

    public static function count(Node $node): int
    {
        for ($count = 1; $node->next !== null; $count++) {
            $node = $node->next;
        }
        return $count;
    }
}

function tell(string $name, callable $do): void
{
    try {
        $result = $do();
        echo "$name: ", is_int($result) ? $result : get_debug_type($result), "\n";
    } catch (CannotTravel $e) {
        echo "$name: {$e->getMessage()}\n";
    }
}

$pool = new Pool(workers: 1, classes: [Node::class]);
foreach ([1000, 1001, 2000, 20000] as $length) {
    tell("an argument of $length", fn () => $pool->run([Work::class, 'count', Work::chain($length)]));
    tell("a result of $length", fn () => $pool->run([Work::class, 'chain', $length]));
    tell("in a fiber $length", fn () => $pool->run([Work::class, 'fiber', $length]));
}
tell('with arrays between', fn () => $pool->run([Work::class, 'chain', 20000, true]));

// What knows all of them is near to each of them, and is gone into along the chain all the same.
$all = [];
for ($node = Work::chain(20000); $node !== null; $node = $node->next) {
    $all[] = $node;
}
tell('a chain and the list of it', fn () => $pool->run([Work::class, 'count', $all[0], $all]));
$wide = new Node();
$wide->more = array_map(fn () => Work::chain(2), range(1, 5000));
tell('many, and not deep', fn () => $pool->run(static fn (Node $node): int => count($node->more), $wide));
$ring = Work::chain(900);
for ($last = $ring; $last->next !== null; $last = $last->next);
$last->more = [$ring, array_map(fn () => $ring, range(1, 200)), &$last->more];
tell('a ring', fn () => $pool->run(static fn (Node $node): int => 1, $ring));
?>
--EXPECT--
an argument of 1000: 1000
a result of 1000: Node
in a fiber 1000: 1000
an argument of 1001: $args[0]: objects that lie in each other more than 1,000 deep (task: Work::count())
a result of 1001: $result: objects that lie in each other more than 1,000 deep (task: Work::chain())
in a fiber 1001: $args[0]: objects that lie in each other more than 1,000 deep (task: Work::count())
an argument of 2000: $args[0]: objects that lie in each other more than 1,000 deep (task: Work::count())
a result of 2000: $result: objects that lie in each other more than 1,000 deep (task: Work::chain())
in a fiber 2000: $args[0]: objects that lie in each other more than 1,000 deep (task: Work::count())
an argument of 20000: $args[0]: objects that lie in each other more than 1,000 deep (task: Work::count())
a result of 20000: $result: objects that lie in each other more than 1,000 deep (task: Work::chain())
in a fiber 20000: $args[0]: objects that lie in each other more than 1,000 deep (task: Work::count())
with arrays between: $result: objects that lie in each other more than 1,000 deep (task: Work::chain())
a chain and the list of it: $args[0]: objects that lie in each other more than 1,000 deep (task: Work::count())
many, and not deep: 5000
a ring: 1
