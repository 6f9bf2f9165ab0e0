--TEST--
What cannot travel is named where it lies, also deep in an object, in a container of SPL or among a generator's variables; what a container holds is never sent as 0, nor shared with a fork; objects that say themselves what they write are believed
--EXTENSIONS--
tusk
--INI--
error_reporting=24575
--FILE--
<?php
// without E_DEPRECATED: an ArrayObject of an object is, from 8.5 on
use Tusk\Parallel\{CannotTravel, Pool, Sync};

class Holder
{
    public mixed $rows = null;
    private mixed $hidden = null;
    public function __construct(mixed $hidden = null) { $this->hidden = $hidden; }
}
class Bag extends ArrayObject { public mixed $own = null; }
class Chosen extends ArrayObject
{
    public function __serialize(): array { return ['n' => 7]; }
    public function __unserialize(array $data): void { $this->exchangeArray($data); }
}

$file = fopen('php://memory', 'r');
$ways = [
    'a property' => static function (mixed $v): Holder { $h = new Holder(); $h->rows = ['x' => [$v]]; return $h; },
    'a private one' => static fn (mixed $v): array => ['k' => new Holder((object) ['in' => $v])],
    'ArrayObject' => static fn (mixed $v): ArrayObject => new ArrayObject(['log' => [1, $v]]),
    'of an object' => static fn (mixed $v): ArrayObject => new ArrayObject(new Holder($v)),
    'its heir' => static function (mixed $v): Bag { $b = new Bag(); $b->own = $v; return $b; },
    'SplObjectStorage' => static function (mixed $v): SplObjectStorage { $s = new SplObjectStorage(); $s[new stdClass()] = $v; return $s; },
    'SplQueue' => static function (mixed $v): SplQueue { $q = new SplQueue(); $q[] = 1; $q[] = $v; return $q; },
];
$classes = [Holder::class, Bag::class, Chosen::class, ArrayObject::class, SplObjectStorage::class, SplQueue::class];
$told = static function (callable $do): string {
    try {
        return 'travelled: ' . var_export($do(), true);
    } catch (CannotTravel $e) {
        return preg_replace('~^(\$\S+: [^:,]+?)(:|,| does not).*~', '$1', $e->getMessage());
    }
};
foreach (['Pool' => new Pool(workers: 1, classes: $classes), 'Sync' => new Sync(classes: $classes)] as $engine => $run) {
    $one = static fn (Closure|array|string $job, mixed ...$args): mixed => $run->submit([[$job, ...$args]])[0]->await();
    foreach ($ways as $name => $way) {
        foreach (['file' => $file, 'closure' => static fn (): int => 1, 'generator' => (static fn () => yield 1)(), 'class' => new class {}] as $what => $value) {
            $told_here[$engine][] = "$name, $what: " . $told(static fn () => $one('get_debug_type', $way($value)));
        }
        $held = $way($file);
        $told_here[$engine][] = "$name, captured: " . $told(static fn () => $one(static fn (): string => get_debug_type($held)));
    }
    $lines = (static function () use ($file) { yield fgets($file); })();
    $told_here[$engine][] = 'generator, captured: ' . $told(static fn () => $one(static fn () => $lines->current()));
    $plain = (static function () { yield 5; })();
    $told_here[$engine][] = 'another: ' . $told(static fn () => $one(static fn () => $plain->current()));
    $told_here[$engine][] = 'back: ' . $told(static fn () => $one(static fn () => ['r' => new ArrayObject(['f' => fopen('php://memory', 'r')])]));
    $told_here[$engine][] = 'back: ' . $told(static fn () => $one(static fn () => ['r' => (object) ['f' => [static fn () => 1]]]));
    $told_here[$engine][] = 'chosen: ' . $told(static fn () => $one('iterator_to_array', new Chosen([$file])));
}
echo implode("\n", $told_here['Pool']), "\n";
var_dump($told_here['Pool'] === $told_here['Sync']);

$ring = new ArrayObject(['n' => 1]);
$ring['me'] = $ring;
$ring['set'] = new SplObjectStorage();
$ring['set'][$ring] = 2;
$back = (new Pool(workers: 1, classes: $classes))->run(static fn (ArrayObject $o): ArrayObject => $o, $ring);
var_dump($back['me'] === $back, $back['set'][$back]);
?>
--EXPECT--
a property, file: $args[0]->rows['x'][0]: resource (stream)
a property, closure: $args[0]->rows['x'][0]: object of Closure
a property, generator: $args[0]->rows['x'][0]: object of Generator
a property, class: $args[0]->rows['x'][0]: object of class@anonymous
a property, captured: $closure['held']->rows['x'][0]: resource (stream)
a private one, file: $args[0]['k']->hidden->in: resource (stream)
a private one, closure: $args[0]['k']->hidden->in: object of Closure
a private one, generator: $args[0]['k']->hidden->in: object of Generator
a private one, class: $args[0]['k']->hidden->in: object of class@anonymous
a private one, captured: $closure['held']['k']->hidden->in: resource (stream)
ArrayObject, file: $args[0]['log'][1]: resource (stream)
ArrayObject, closure: $args[0]['log'][1]: object of Closure
ArrayObject, generator: $args[0]['log'][1]: object of Generator
ArrayObject, class: $args[0]['log'][1]: object of class@anonymous
ArrayObject, captured: $closure['held']['log'][1]: resource (stream)
of an object, file: $args[0][...]->hidden: resource (stream)
of an object, closure: $args[0][...]->hidden: object of Closure
of an object, generator: $args[0][...]->hidden: object of Generator
of an object, class: $args[0][...]->hidden: object of class@anonymous
of an object, captured: $closure['held'][...]->hidden: resource (stream)
its heir, file: $args[0]->own: resource (stream)
its heir, closure: $args[0]->own: object of Closure
its heir, generator: $args[0]->own: object of Generator
its heir, class: $args[0]->own: object of class@anonymous
its heir, captured: $closure['held']->own: resource (stream)
SplObjectStorage, file: $args[0][...]: resource (stream)
SplObjectStorage, closure: $args[0][...]: object of Closure
SplObjectStorage, generator: $args[0][...]: object of Generator
SplObjectStorage, class: $args[0][...]: object of class@anonymous
SplObjectStorage, captured: $closure['held'][...]: resource (stream)
SplQueue, file: $args[0][...]: resource (stream)
SplQueue, closure: $args[0][...]: object of Closure
SplQueue, generator: $args[0][...]: object of Generator
SplQueue, class: $args[0][...]: object of class@anonymous
SplQueue, captured: $closure['held'][...]: resource (stream)
generator, captured: $closure['lines'][...]['file']: resource (stream)
another: travelled: 5
back: $result['r']['f']: resource (stream)
back: $result['r']->f[0]: a closure
chosen: travelled: array (
  'n' => 7,
)
bool(true)
bool(true)
int(2)
