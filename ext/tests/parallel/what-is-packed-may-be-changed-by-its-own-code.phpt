--TEST--
An object's own code may write to what is packed around it, and let go of it: what was given travels
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, Pool};

final class Does
{
    public function __construct(public Closure $what)
    {
    }

    public function __serialize(): array
    {
        ($this->what)();
        return [];
    }

    public function __unserialize(array $values): void
    {
    }
}

final class Told
{
    public static function of(mixed ...$values): string
    {
        return preg_replace('/Does::__set_state\S*/', 'Does', json_encode($values));
    }
}

/** A key of its own, which nobody else holds. */
function key_of(string $name, int $number): string
{
    return str_repeat($name, $number);
}

$pool = new Pool(workers: 1);

$grows = [1, 2];
$grows[] = new Does(function () use (&$grows): void {
    for ($i = 0; $i < 1000; $i++) {
        $grows[] = str_repeat('more', 9);
    }
});
$grows[] = 'last';
echo $pool->run('Told::of', [&$grows]), ' ', count($grows), "\n";

$map = [key_of('first', 3) => 1, key_of('second', 3) => new Does(function () use (&$map): void { $map = null; }), 'end' => 2];
echo $pool->run('Told::of', [&$map]), ' ', var_export($map, true), "\n";

// The next one with as many keys is compared with those of one that is gone.
$gone = [key_of('one', 4) => 1, key_of('two', 4) => 2];
$next = [key_of('uno', 4) => 3, key_of('due', 4) => 4];
$let = new Does(function () use (&$gone): void { $gone = null; });
echo $pool->run('Told::of', [[&$gone], $let, $next]), "\n";

$object = new Does(function () use (&$object): void { $object = null; });
$holds = [&$object];
echo $pool->run('Told::of', $holds), ' ', var_export($object, true), "\n";

$object = new Does(function () use (&$object): void {
    $object = null;
    throw new DomainException('and says no');
});
try {
    $pool->run('Told::of', [&$object]);
} catch (CannotTravel $e) {
    echo $e->getMessage(), "\n";
}

$closure = fn () => Told::of($grows[0]);
$taken = new Does(function () use (&$closure): void { $closure = null; });
$job = (function () use (&$closure, $taken, $pool) {
    $captures = static fn () => Told::of($taken, 'x');
    $closure = $captures;
    unset($captures);
    return $pool->run('Told::of', 'y', [&$closure]);
});
try {
    echo $job(), "\n";
} catch (CannotTravel $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
[[[1,2,{},"last"]]] 1004
[[{"firstfirstfirst":1,"secondsecondsecond":{},"end":2}]] NULL
[[[{"oneoneoneone":1,"twotwotwotwo":2}],{},{"unounounouno":3,"duedueduedue":4}]]
[[{}]] NULL
$args[0][0]: object of Does: and says no (task: Told::of())
["y",[{}]]
