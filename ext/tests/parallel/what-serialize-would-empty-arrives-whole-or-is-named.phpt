--TEST--
What serialize() would make an empty object of (an iterator; before PHP 8.5 a heap, a queue by priority) arrives whole with a closure, by a fork, and is named elsewhere; what it holds is looked through, as that of a WeakMap is; its heirs that say themselves what they write are believed
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync};

class Plain extends SplMinHeap { public int $own = 1; }
class Part extends LimitIterator { public int $own = 1; }
class Told extends SplMinHeap
{
    public function __serialize(): array { return iterator_to_array(clone $this, false); }
    public function __unserialize(array $all): void { array_map($this->insert(...), $all); }
}
$heap = static function (SplHeap|SplPriorityQueue $into, mixed ...$all): SplHeap|SplPriorityQueue {
    foreach ($all as $value) {
        $into instanceof SplPriorityQueue ? $into->insert($value, $value) : $into->insert($value);
    }
    return $into;
};
$file = fopen('php://memory', 'r');
$known = new WeakMap();
$known[$key = new stdClass()] = ['open' => $file];
$classes = [SplMinHeap::class, Told::class];
$told = [];
$written = method_exists(SplHeap::class, '__serialize'); // from 8.5 on
foreach ([new Pool(workers: 1, classes: $classes), new Sync($classes)] as $at => $engine) {
    $one = static function (string $what, Closure|string|array $job, mixed ...$args) use ($engine, $at, &$told): void {
        try {
            $told[$at][] = "$what: " . json_encode($engine->submit([[$job, ...$args]])[0]->await());
        } catch (Throwable $e) {
            $told[$at][] = "$what: {$e->getMessage()}";
        }
    };
    $list = static fn (Iterator $i): array => iterator_to_array($i, false);
    $one('a heap', $list, $heap(new SplMinHeap(), 3, 1, 2));
    $one('by priority', $list, $heap(new SplPriorityQueue(), 3, 1, 2));
    $captured = $heap(new SplMaxHeap(), 3, 1, 2);
    $one('captured', static fn (): array => iterator_to_array($captured, false));
    $one('deep', static fn (object $o): int => count($o->in['a']), (object) ['in' => ['a' => $heap(new Plain(), 1)]]);
    $one('a part', $list, new LimitIterator(new ArrayIterator([1, 2, 3]), 1));
    $one('its heir', 'get_debug_type', [new Part(new ArrayIterator([1]))]);
    $one('of its own', 'iterator_to_array', $heap(new Told(), 2, 1));
    $one('by name', 'iterator_to_array', new LimitIterator(new ArrayIterator([1])));
    $one('holds a file', $list, $heap(new SplMinHeap(), ['k' => $file]));
    $one('lines', $list, new LimitIterator(new SplFileObject(__FILE__), 1));
    $one('a WeakMap', static fn (): int => count($known));
    $one('back', static fn (): array => ['r' => new LimitIterator(new ArrayIterator())]);
    $one('back, deep', static fn (): object => (object) ['r' => new CachingIterator(new ArrayIterator())]);
    foreach (['a heap by name' => ['iterator_to_array', $heap(new SplMinHeap(), 2, 1)], 'a heap back' => [static fn (): SplMinHeap => $heap(new SplMinHeap(), 2, 1)]] as $what => $job) {
        try {
            $arrived = $engine->submit([$job])[0]->await();
            $arrived = is_array($arrived) ? $arrived : iterator_to_array($arrived, false);
            sort($arrived);
        } catch (Tusk\Parallel\CannotTravel) {
            $arrived = null;
        }
        $told[$at][] = "$what: " . json_encode($arrived === ($written ? [1, 2] : null));
    }
}
echo implode("\n", $told[0]), "\n";
var_dump($told[0] === $told[1]);
?>
--EXPECTF--
a heap: [1,2,3]
by priority: [3,2,1]
captured: [3,2,1]
deep: 1
a part: [2,3]
its heir: $args[0][0]: object of Part, which cannot be serialized: pass what it is made of, and make it where it is used (task: get_debug_type())
of its own: {"1":1,"0":2}
by name: $args[0]: object of LimitIterator, which cannot be serialized: pass what it is made of, and make it where it is used (task: iterator_to_array())
holds a file: $args[0][...]['k']: resource (stream): what is open stays in its process; open it where it is used (task: closure of %swhat-serialize-would-empty-arrives-whole-or-is-named.php:31)
lines: $args[0][...]: live object of SplFileObject: what is open stays in its process; open it where it is used (task: closure of %swhat-serialize-would-empty-arrives-whole-or-is-named.php:31)
a WeakMap: $closure['known'][...]['open']: resource (stream): what is open stays in its process; open it where it is used (task: closure of %swhat-serialize-would-empty-arrives-whole-or-is-named.php:43)
back: $result['r']: object of LimitIterator does not travel back: return what it holds, as an array (task: closure of %swhat-serialize-would-empty-arrives-whole-or-is-named.php:44)
back, deep: $result->r: object of CachingIterator does not travel back: return what it holds, as an array (task: closure of %swhat-serialize-would-empty-arrives-whole-or-is-named.php:45)
a heap by name: true
a heap back: true
bool(true)
