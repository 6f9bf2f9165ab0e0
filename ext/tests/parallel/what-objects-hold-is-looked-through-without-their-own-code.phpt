--TEST--
What objects hold is looked through by what they are, not by what they say of themselves, however deep it lies
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync};

class Secret {}
class Hides
{
    private object $secret;
    public function __construct() { $this->secret = new Secret(); }
    public function __debugInfo() { return []; }
}
class Throws
{
    public function __debugInfo() { throw new Exception('nobody asked'); }
}
class Base
{
    private mixed $handle = null;
    public function __construct(mixed $handle) { $this->handle = $handle; }
}
class Holds extends Base
{
    public array $list = [];
}
class Own implements Serializable
{
    public $kept;
    public function serialize() { return serialize(new Secret()); }
    public function unserialize($text) { $this->kept = unserialize($text); }
}
function deep(int $levels): object
{
    $object = (object) ['end' => STDIN];
    for ($i = 0; $i < $levels; $i++) {
        $object = (object) ['in' => $object];
    }
    return $object;
}
$storage = function (): SplObjectStorage {
    $all = new SplObjectStorage();
    $all[new Secret()] = 1;
    return $all;
};
$list = function (): SplDoublyLinkedList {
    $all = new SplDoublyLinkedList();
    $all->push(new Secret());
    return $all;
};
$holds = new Holds(1);
$holds->list = ['a' => [1, [$holds, new Base(STDERR)]]];
$both = [new Holds(STDIN)];
$both[0]->list = [&$both[0]->list, $both];
$classes = [Hides::class, Throws::class, Own::class, Base::class, SplObjectStorage::class, SplDoublyLinkedList::class];
foreach ([new Pool(workers: 1, classes: $classes), new Sync($classes)] as $engine) {
    foreach ([
        fn () => new Hides(), fn () => [new Throws()], fn () => ['own' => new Own()], $storage, $list,
        ['count', ['rows' => [1, 2, 3, new Base(STDIN)]]], ['count', [], $holds], ['count', $both],
        fn () => ['x' => new Base(new Base([STDIN]))], ['count', deep(400)], [fn () => $holds],
    ] as $i => $job) {
        try {
            $value = $engine->submit([$job])[0]->await();
            echo "$i: ", is_array($value) ? get_class($value[0]) : get_class($value), "\n";
        } catch (Throwable $e) {
            echo "$i: ", preg_replace('/(: what is open|, or its class does).*/', '', $e->getMessage()), "\n";
        }
    }
}
?>
--EXPECTF--

Deprecated: %s
0: $result: object of Secret is not allowed on the way back
1: Throws
2: $result: object of Secret is not allowed on the way back
3: $result: object of Secret is not allowed on the way back
4: $result: object of Secret is not allowed on the way back
5: $args[0]['rows'][3]->handle: resource (stream)
6: $args[1]->list['a'][1][1]->handle: resource (stream)
7: $args[0][0]->handle: resource (stream)
8: $result['x']->handle->handle[0]: resource (stream)
9: $args[0]->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in-...>in->in->in->in->in->in->in->in->in->in->in->in->in->in->end: resource (stream)
10: $closure['holds']->list['a'][1][1]->handle: resource (stream)
0: $result: object of Secret is not allowed on the way back
1: Throws
2: $result: object of Secret is not allowed on the way back
3: $result: object of Secret is not allowed on the way back
4: $result: object of Secret is not allowed on the way back
5: $args[0]['rows'][3]->handle: resource (stream)
6: $args[1]->list['a'][1][1]->handle: resource (stream)
7: $args[0][0]->handle: resource (stream)
8: $result['x']->handle->handle[0]: resource (stream)
9: $args[0]->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in->in-...>in->in->in->in->in->in->in->in->in->in->in->in->in->in->end: resource (stream)
10: $closure['holds']->list['a'][1][1]->handle: resource (stream)
