--TEST--
Code that runs while a constructor reads its arguments, a __toString() or an error handler, finds no object of the extension in the backtrace, however it looks
--FILE--
<?php
/** Looks wherever it is called from, and keeps what of ours it finds. */
final class Spy
{
    public static int $looks = 0;
    /** @var array<string, object> */
    public static array $found = [];
    public static bool $throws = true;
    public static bool $suspends = false;

    public static function look(): bool
    {
        self::$looks++;
        foreach (debug_backtrace() as $frame) {
            if (str_starts_with(isset($frame['object']) ? $frame['object']::class : '', 'Tusk\\')) {
                self::$found[$frame['object']::class] = $frame['object'];
            }
        }
        if (self::$suspends) {
            Fiber::suspend();
        }
        return self::$throws ? throw new Exception('seen') : true;
    }

    public function __toString(): string
    {
        self::look();
        return '127.0.0.1:0';
    }
}

function value(ReflectionParameter $parameter): mixed
{
    $type = $parameter->getType();
    $type = $type instanceof ReflectionUnionType ? $type->getTypes()[0] : $type;
    $name = $type?->getName() ?? 'mixed';
    return match (true) {
        $name === 'int' => 1,
        $name === 'float' => 1.0,
        $name === 'string' => 'x',
        $name === 'bool' => true,
        $name === 'array', $name === 'iterable' => [],
        $name === 'Tusk\Proxy\Resolver' => new class implements Tusk\Proxy\Resolver {
            public function resolve(Tusk\Proxy\Lookup $lookup): Tusk\Proxy\Route { throw new Exception(); }
        },
        enum_exists($name) => $name::cases()[0],
        class_exists($name) && (new ReflectionClass($name))->isInstantiable() => new $name(...arguments($name)),
        default => null,
    };
}

function arguments(string $class): array
{
    $values = [];
    foreach ((new ReflectionClass($class))->getConstructor()?->getParameters() ?? [] as $parameter) {
        if (!$parameter->isOptional()) {
            $values[$parameter->name] = value($parameter);
        }
    }
    return $values;
}

/** Text that is made; a fraction, text or null where none belongs is deprecated or warned of. */
const ODD = ['fraction' => 1.5, 'text' => '1 and more', 'null' => null];

set_error_handler(Spy::look(...));
$never = [];
foreach ((new ReflectionExtension('tusk'))->getClasses() as $name => $class) {
    if (!$class->isInstantiable() || $class->isSubclassOf(Throwable::class) && $class->getConstructor()->class === 'Exception') {
        continue;
    }
    Spy::$looks = 0;
    foreach ($class->getConstructor()?->getParameters() ?? [] as $parameter) {
        foreach ([new Spy(), ...array_values(ODD)] as $odd) {
            $refused = $name === Tusk\Parallel\Pool::class ? ['max' => 0, 'queue' => 0] : []; // looked at later: nothing is forked
            $arguments = [...arguments($name), ...$refused, $parameter->name => $odd];
            try {
                new $name(...$arguments);
            } catch (Throwable) {
            }
        }
    }
    if (Spy::$looks === 0) {
        $never[] = $name;
    }
}
echo 'found: ', implode(', ', array_keys(Spy::$found)), "\n";
echo "nothing to convert in:\n  ", implode("\n  ", $never), "\n";

// Nothing is thrown, and the object is made as ever.
Spy::$throws = false;
$frame = new Tusk\WebSocket\CloseFrame(1000.5, new Spy());
var_dump($frame->code, $frame->reason);
$limits = new Tusk\Limits(connections: 5.5);
var_dump($limits->connections);
$response = (new ReflectionClass(Tusk\Http\Response::class))->newInstance(200.5, new Spy());
var_dump($response->status, $response->body);
$server = new Tusk\Server(workers: 1.5);
$other = new Tusk\WebSocket\Deflate();
try {
    Closure::fromCallable([$other, '__construct'])(1.5); // called as a closure, too
} catch (Error $e) {
    echo $e->getMessage(), "\n";
}

// Neither does the collector find it, nor who goes through a fiber that was left in the midst of it; and that is let go whole.
Spy::$suspends = true;
$fiber = new Fiber(fn () => new Tusk\Http\Response(200.5, new Spy()));
$left = new Fiber(fn () => new Tusk\Server(user: new Spy()));
$fiber->start();
$left->start();
gc_collect_cycles();
foreach ((new ReflectionFiber($fiber))->getTrace(DEBUG_BACKTRACE_PROVIDE_OBJECT) as $frame) {
    if (($frame['class'] ?? '') === Tusk\Http\Response::class) {
        echo $frame['class'], $frame['type'], $frame['function'], ': ', isset($frame['object']) ? 'shown' : 'hidden', "\n";
    }
}
$fiber->resume();
$fiber->resume();
var_dump($fiber->getReturn()->body);
unset($left);
gc_collect_cycles();
Spy::$suspends = false;
echo 'found: ', implode(', ', array_keys(Spy::$found)), "\n";

// What is thrown after that has the object's frame as ever.
try {
    new Tusk\Limits(0);
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}
try {
    new Tusk\Tls('/nowhere', '/nowhere');
} catch (ValueError $e) {
    echo $e->getTrace()[0]['type'], "\n";
}
?>
--EXPECT--
found: 
nothing to convert in:
  Tusk\Condition
  Tusk\WebSocket\Server
  Tusk\WebSocket\HandshakeException
  Tusk\Testing\Loopback
  Tusk\Parallel\Sync
int(1000)
string(11) "127.0.0.1:0"
int(5)
int(200)
string(11) "127.0.0.1:0"
Tusk\WebSocket\Deflate is readonly once it is made
Tusk\Http\Response::__construct: hidden
string(11) "127.0.0.1:0"
found: 
Tusk\Limits::__construct(): Argument #1 ($connections) must be between 1 and 1000000000, 0 given
->
