--TEST--
Values travel whole, and what cannot is named by its path
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, Pool, Sync};

enum Suit: string
{
    case Hearts = 'h';
}
class Point
{
    public function __construct(public int $x, public ?Point $next = null) {}
}
function same(mixed $value): mixed
{
    return $value;
}
$rows = [];
for ($i = 0; $i < 300; $i++) {
    $rows[] = ['id' => $i, 'name' => str_repeat('n', $i % 70), 'score' => $i / 7, 'tags' => ['a', $i], 'none' => null, 'sub' => ['id' => -$i]];
}
$deep = 1;
for ($i = 0; $i < 200; $i++) {
    $deep = [$deep];
}
$wide = array_combine(array_map(fn ($i) => "k$i", range(1, 100)), range(1, 100));
$values = [null, true, false, 0, -1, 127, 128, PHP_INT_MAX, PHP_INT_MIN, 1.5, -0.0, INF, '', 'x', str_repeat("\0\xff", 5000),
    [], [1, 2], [1 => 'a', 0 => 'b'], [-5 => 1, 'a' => [], 'b' => ['a' => 1]], $rows, $deep, $wide, Suit::Hearts, [Suit::Hearts]];
foreach ([new Pool(workers: 1, classes: [Point::class]), new Sync([Point::class])] as $engine) {
    $bad = 0;
    foreach ($engine->submit(array_map(fn ($value) => ['same', $value], $values)) as $i => $task) {
        $bad += $task->await() !== $values[$i];
    }
    $nan = $engine->submit([['same', NAN]])[0]->await();
    $point = $engine->submit([['same', new Point(1, new Point(2))]])[0]->await();
    $date = $engine->submit([['same', new DateTimeImmutable('2020-01-01')]])[0]->await();
    var_dump($bad, is_nan($nan), $point->next->x, $date->format('Y'));

    $a = ['rows' => [0, 1, 2, STDIN]];
    $cases = [
        ['same', $a], ['same', 1, ['x' => [new SplFileObject(__FILE__)]]], ['same', (function () { yield 1; })()],
        [fn () => STDIN], [fn () => ['user' => (object) ['p' => new ArrayIterator([])]]], [fn () => ['a' => ['b' => new Exception('x')]]],
        [fn () => fn () => 1], [function () { yield 1; }], [fn () => ['file' => new SplFileObject(__FILE__)]], 5, [], ['same', array_reduce(range(1, 300), fn ($in) => [$in], 1)],
    ];
    foreach ($cases as $i => $job) {
        try {
            $engine->submit([$job])[0]->await();
            echo "$i: it went\n";
        } catch (CannotTravel $e) {
            echo "$i: ", $e->getMessage(), "\n";
        }
    }
    $local = 1;
    try {
        $engine->submit([function () use (&$local) { return $local; }]);
    } catch (CannotTravel $e) {
        echo $e->getMessage(), "\n";
    }
}
?>
--EXPECTF--
int(0)
bool(true)
int(2)
string(4) "2020"
0: $args[0]['rows'][3]: resource (stream): what is open stays in its process; open it where it is used (task: same())
1: $args[1]['x'][0]: object of SplFileObject, which cannot be serialized: pass what it is made of, and make it where it is used (task: same())
2: $args[0]: object of Generator, which cannot be serialized: pass what it is made of, and make it where it is used (task: same())
3: $result: resource (stream): what is open stays in its process; open it where it is used (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:40)
4: $result: object of ArrayIterator is not allowed on the way back, or its class does not exist here: name it in the pool's classes:, and load the file that declares it (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:40)
5: $result['a']['b']: object of Exception is not allowed on the way back: name it in the pool's classes:, or return an array (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:40)
6: $result: a closure does not travel back: return what it gives (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:41)
7: $result: object of Generator does not travel back: return iterator_to_array() of it (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:41)
8: $result['file']: object of SplFileObject does not travel back: return what it holds, as an array (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:41)
9: $job: is neither a closure, nor a callable string, nor an array: give a closure, 'strlen', or [Users::class, 'find', 7]
10: $job: is an array, but not a list that begins with what to call: give a closure, 'strlen', or [Users::class, 'find', 7]
11: $args[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]...[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: nested deeper than 256 levels: serialize() it first (task: same())
$closure: the closure captures $local by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:53)
int(0)
bool(true)
int(2)
string(4) "2020"
0: $args[0]['rows'][3]: resource (stream): what is open stays in its process; open it where it is used (task: same())
1: $args[1]['x'][0]: object of SplFileObject, which cannot be serialized: pass what it is made of, and make it where it is used (task: same())
2: $args[0]: object of Generator, which cannot be serialized: pass what it is made of, and make it where it is used (task: same())
3: $result: resource (stream): what is open stays in its process; open it where it is used (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:40)
4: $result: object of ArrayIterator is not allowed on the way back, or its class does not exist here: name it in the pool's classes:, and load the file that declares it (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:40)
5: $result['a']['b']: object of Exception is not allowed on the way back: name it in the pool's classes:, or return an array (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:40)
6: $result: a closure does not travel back: return what it gives (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:41)
7: $result: object of Generator does not travel back: return iterator_to_array() of it (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:41)
8: $result['file']: object of SplFileObject does not travel back: return what it holds, as an array (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:41)
9: $job: is neither a closure, nor a callable string, nor an array: give a closure, 'strlen', or [Users::class, 'find', 7]
10: $job: is an array, but not a list that begins with what to call: give a closure, 'strlen', or [Users::class, 'find', 7]
11: $args[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]...[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: nested deeper than 256 levels: serialize() it first (task: same())
$closure: the closure captures $local by reference: what a worker changes stays there; capture the value, and return the new one (task: closure of %svalues-travel-whole-and-what-cannot-is-named-by-its-path.php:53)
