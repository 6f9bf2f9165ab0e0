--TEST--
Closures on one line are told apart by all that the source says of them, those within them included, in a pool and in Sync
--EXTENSIONS--
tusk
--INI--
display_errors=0
--FILE--
<?php
namespace App;

use Tusk\Parallel\{CannotTravel, Pool, Sync};

class K { const C = 1; public $p = 'p'; static $s = 's'; static function who() { return 'K' . static::class; } static function all() { return [
  [fn () => self::who(), fn () => static::who(), fn () => new self, fn () => new static, fn () => static::class, fn () => self::class, fn () => self::$s, fn () => static::C, fn () => self::C, fn () => isset(self::$s), fn () => empty(self::$s)],
]; } }
class L extends K { const C = 2; public $p = 'l'; static function who() { return 'L' . static::class; } static function par() { return [[fn () => parent::who(), fn () => self::who(), fn () => static::who(), fn () => new parent, fn () => new self, fn () => parent::class, fn () => parent::C, fn () => static::C]]; } }
function named($a = 0, $b = 0) { return [$a, $b]; }
$rows = [
 [fn ($a, $b) => $a - $b, fn ($a, $b) => $b - $a, fn ($a, $b) => $a <=> $b, fn ($a, $b) => $b <=> $a, fn ($a, $b) => $a > $b, fn ($a, $b) => $a < $b, fn ($a, $b) => $a, fn ($a, $b) => $b, fn ($b, $a) => $a - $b],
 [fn () => [1], fn () => [2], fn () => ['a' => 1], fn () => ['b' => 1], fn () => null, fn () => true, fn () => false, fn () => [], fn () => [null], fn () => [[1, 2], 3], fn () => [[1, 3], 3], fn () => 1, fn () => 1.0, fn () => '1', fn () => [1.0], fn () => ['1']],
 [fn ($a, $b) => (int) $a, fn ($a, $b) => (string) $a, fn ($a, $b) => (float) $a, fn ($a, $b) => (array) $a, fn ($a, $b) => (bool) $a, fn ($a, $b) => \is_int($a), fn ($a, $b) => \is_string($a), fn ($a, $b) => is_int($a), fn ($a, $b) => is_string($a)],
 [function ($a, $b) { $a += $b; return $a; }, function ($a, $b) { $a -= $b; return $a; }, function ($a, $b) { $a *= $b; return $a; }, function ($a, $b) { $a .= $b; return $a; }, function ($a, $b) { $a ??= $b; return $a; }],
 [fn ($a) => isset($a[0]), fn ($a) => empty($a[0]), fn ($a) => isset($a), fn ($a) => empty($a), fn ($a) => isset($a->x), fn ($a) => empty($a->x)],
 [fn (int $a) => $a, fn (string $a) => $a, fn (float $a) => $a, fn (?int $a) => $a, fn (int|string $a) => $a, fn ($a): int => $a, fn ($a): string => $a, fn (int ...$a) => $a, fn (K $a) => 1, fn (L $a) => 1],
 [fn () => fn () => 1, fn () => fn () => 2, fn () => fn () => fn () => 3, fn () => fn () => fn () => 4],
 [fn () => (fn () => 1)(), fn () => (fn () => 2)(), fn () => (fn () => (fn () => 3)())(), fn () => (fn () => (fn () => 4)())()],
 [fn ($a = 1) => $a, fn ($a = 2) => $a, fn ($a = [1]) => $a, fn ($a = K::C) => $a, fn ($a = L::C) => $a, fn ($a = K::C + 1) => $a, fn ($a = PHP_INT_SIZE) => $a],
 [fn ($a) => match ($a) { 7 => 'x', default => 'y' }, fn ($a) => match ($a) { 8 => 'x', default => 'y' }, fn ($a) => match ($a) { '7' => 'x', default => 'y' }, fn ($a) => match (true) { $a > 5 => 'x', default => 'y' }],
 [function ($a) { switch ($a) { case 7: return 1; case 1: return 2; case 3: return 3; case 4: return 4; case 5: return 5; } }, function ($a) { switch ($a) { case 8: return 1; case 1: return 2; case 3: return 3; case 4: return 4; case 7: return 5; } }],
 [function &() { static $x = 1; return $x; }, function () { static $x = 1; return $x; }, function () { static $x = 2; return $x; }, function () { static $x = [2]; return $x; }],
 [fn () => new K, fn () => new L, fn () => K::who(), fn () => L::who(), fn () => K::C, fn () => L::C, fn () => (new K)->p, fn () => (new L)->p],
 [fn ($a) => named(a: $a), fn ($a) => named(b: $a), fn ($a) => named($a), fn ($a) => [named(a: $a), named(b: $a)], fn ($a) => [named(b: $a), named(a: $a)], fn ($a) => fn ($a) => 1, fn ($a) => (fn () => named(a: $a))(), fn ($a) => (fn () => named(b: $a))(), fn ($a) => \str_pad('x', $a, '-'), fn ($a) => \str_pad('x', $a, '+')],
 [fn ($a, $b) => [$a, $b], fn ($a, $b) => [$b, $a], fn ($a, $b) => [$a => $b], fn ($a, $b) => [$b => $a], fn ($a, $b) => "$a$b", fn ($a, $b) => "$b$a", fn ($a, $b) => $a ? $b : 0, fn ($a, $b) => $b ? $a : 0, fn ($a, $b) => $a ?: $b],
 [fn () => (function () { yield 1; })()->current(), fn () => (function () { return 1; })()],
 [fn ($a) => $a++ + $a, fn ($a) => ++$a + $a, fn ($a) => -$a, fn ($a) => +$a, fn ($a) => !$a, fn ($a) => ~$a],
 [fn ($a) => $a && true, fn ($a) => $a || true, fn ($a) => $a ?? true, fn ($a) => $a?->x, fn ($a) => @$a['x']],
 [static fn () => 1, fn () => 1],
 [fn ($a) => \max($a, 3), fn ($a) => \max(3, $a) . '', fn ($a) => max($a, 9), fn ($a) => min($a, 9)],
 ...K::all(), ...L::all(), ...L::par(),
];

/** What came of it, without what a closure is. */
function told(\Closure $do): string
{
    try {
        $result = $do();
        return get_debug_type($result) . json_encode($result);
    } catch (CannotTravel $e) {
        return 'Closure{}';
    } catch (\Throwable $e) {
        return get_class($e);
    }
}

$engines = [new Pool(workers: 1, classes: [K::class, L::class]), new Sync([K::class, L::class])];
$asked = $wrong = 0;
foreach ($rows as $line => $row) {
    foreach ($row as $place => $closure) {
        foreach ([[7, 2], ['7', '2'], [[1], 5]] as $arguments) {
            $arguments = array_slice($arguments, 0, (new \ReflectionFunction($closure))->getNumberOfParameters());
            $expected = told(fn () => $closure(...$arguments));
            foreach ($engines as $engine) {
                $got = told(fn () => $engine->submit([[$closure, ...$arguments]])[0]->await());
                $asked++;
                if ($got !== $expected) {
                    $wrong++;
                    echo get_class($engine), " took another for number $place of row $line (", json_encode($arguments), "): $got instead of $expected\n";
                }
            }
        }
    }
}
echo $asked > 500 ? 'asked' : "only $asked", ", $wrong wrong\n";
?>
--EXPECT--
asked, 0 wrong
