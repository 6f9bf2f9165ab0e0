<?php

declare(strict_types=1);

// What the calls of the API fuzzer are given: values of every kind, drawn by mt_rand() alone, so that a seed is a sequence of calls.

function chance(int $of): bool
{
    return mt_rand(1, $of) === 1;
}

function pick(array $from): mixed
{
    return $from === [] ? null : array_values($from)[mt_rand(0, count($from) - 1)];
}

/** What the fuzzer's own code throws: only this may end where nobody can catch it. */
final class Meant extends Exception {}

final class Text
{
    public mixed $value = null;

    public function __toString(): string
    {
        Rig::catchCallers();
        if (chance(3)) {
            Rig::$objects = array_slice(Rig::$objects, 0, 5);
        }
        return chance(5) ? throw new Meant('in __toString') : text();
    }

    public function __destruct()
    {
        if (chance(9)) {
            gc_collect_cycles();
        }
    }

    public function method(mixed $first = null, mixed ...$rest): mixed
    {
        return $first;
    }
}

final class Answers
{
    public function __call(string $name, array $given): array
    {
        return [$name, $given];
    }
}

final class Several implements IteratorAggregate
{
    public function getIterator(): Iterator
    {
        yield 'a';
        yield chance(2) ? throw new Meant('in an iterator') : 3;
        yield 'b' => 'c';
    }
}

final class Resolver implements Tusk\Proxy\Resolver
{
    public function resolve(Tusk\Proxy\Lookup $lookup): Tusk\Proxy\Route
    {
        Rig::keep($lookup);
        if (chance(3)) {
            act();
        }
        return match (mt_rand(0, 7)) {
            0 => throw new Meant('in a resolver'),
            1 => throw new Tusk\Proxy\Refused(pick([403, 503]), text()),
            2 => ofClass(Tusk\Proxy\Route::class) ?? throw new Meant('no route'),
            3 => Tusk\Proxy\Route::respond(Tusk\Http\Response::text(text()), several(2), ttl: pick([0.0, 1.0])),
            4, 5 => Tusk\Proxy\Route::to('127.0.0.1:1'),
            6, 7 => Tusk\Proxy\Route::to('127.0.0.1:' . Rig::$backend, ttl: pick([0.0, 1.0]), proxyProtocol: mt_rand(0, 2)),
        };
    }
}

/** Those that act do so for as long as the stack allows: Rig::isDeep(). */
function closure(): Closure
{
    $open = (fn () => yield 1)();
    return match (mt_rand(0, 13)) {
        0 => fn () => null,
        1 => fn (...$all) => $all,
        2 => strlen(...),
        3 => fn () => throw new Meant('in a closure'),
        4 => function &(...$all) {
            static $kept;
            $kept = $all;
            return $kept;
        },
        5 => function () {
            yield 1;
            yield 2;
        },
        6 => (new Text())->method(...),
        7 => fn () => act(),
        8 => function () {
            Rig::$objects = [];
            gc_collect_cycles();
            return false;
        },
        9 => function (...$all) { // of a connection, a request, an event stream
            array_map(Rig::keep(...), $all);
            act();
            return Tusk\Http\Response::text('x');
        },
        10 => fn () => Fiber::getCurrent() === null ? Tusk\Timer::sleep(0.001) : Fiber::suspend(),
        11, 12 => function (...$all) use ($open) { // which no bytes can be made of
            static $evaluated = M_PI . 'of a constant', $later = [PHP_OS];
            return [$open->current(), $evaluated, $later, $all];
        },
        13 => (new Answers())->anything(...),
    };
}

/** Addresses are of loopback, with port 0 or one that nobody listens on, or of a server of the child's own. */
function text(): string
{
    return pick(['', "a\0b", '/', '127.0.0.1:0', '[::1]:0', '/{a}/{b*}', "\xff\xfe", 'GET', 'http://127.0.0.1:1/', 'ws://127.0.0.1:1/', "a\r\nb: c", '::1', '0', '-1',
        '9999999999999999999', 'content-type', '*', '10.0.0.0/8', 'text/html', "\x81\x05hello", '127.0.0.1', 'strlen', 'ws', 'ws-echo', str_repeat('x', mt_rand(0, 70000)),
        bytes(mt_rand(0, 20)), 'ws://127.0.0.1:' . Rig::$port . '/', 'http://127.0.0.1:' . Rig::$port . '/', (string) pick(Rig::$ids)]);
}

function bytes(int $count): string
{
    $bytes = '';
    while ($count-- > 0) {
        $bytes .= chr(mt_rand(0, 255));
    }
    return $bytes;
}

function number(): int
{
    return pick([0, 1, -1, 2, 3, 10, 100, 1000, 65535, 65536, PHP_INT_MAX, PHP_INT_MIN, 2147483647, 2147483648, 4294967295, 4294967296, 200, 404]);
}

function fraction(): float
{
    return pick([0.0, -0.0, 0.001, 0.01, NAN, INF, -INF, 1e308, 1e-308, -1.0, 1.5, 1e18, 1e19]);
}

/** To wait for: a moment, or what is refused. */
function seconds(): float
{
    return pick([0.0, -0.0, 0.001, 0.002, 0.01, 0.02, NAN, INF, -1.0, 1e308]);
}

/** One end of a pair, whose other end said something, or is gone; or one that is closed, too. */
function stream(): mixed
{
    if (Rig::$streams !== [] && !chance(3)) {
        return pick(Rig::$streams);
    }
    [$one, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    match (mt_rand(0, 3)) {
        0 => fwrite($other, text()),
        1 => fclose($other),
        2 => fclose($one),
        3 => null,
    };
    Rig::$streams = [...array_slice(Rig::$streams, -5), $one, $other];
    return $one;
}

/** A watch calls in each turn: it ends soon. */
function watching(): Closure
{
    return function (string $id) {
        try {
            act();
        } finally {
            chance(3) ? Tusk\Watch::disable($id) : Tusk\Watch::cancel($id);
        }
    };
}

/** Beside a timer that rests at each call nothing is ever quiet, and a loopback waits for that: it ends soon. */
function ticking(): Closure
{
    $left = 3;
    return function (string $id) use (&$left) {
        try {
            act();
        } finally {
            --$left > 0 || Tusk\Timer::cancel($id);
        }
    };
}

/** Arrays that hold themselves, references and keys of every kind. */
function &several(int $depth): array
{
    $all = [];
    for ($left = mt_rand(0, 4); $left > 0; $left--) {
        $all[pick([number(), text(), count($all), 'port', '0', "\0*\0x", 'content-type'])] = any($depth - 1);
    }
    if (chance(10)) {
        $all['self'] = &$all;
    } elseif (chance(5)) {
        foreach ($all as &$one);
        $all[] = &$one;
    }
    return $all;
}

function any(int $depth = 3): mixed
{
    return $depth <= 0 ? number() : match (mt_rand(0, 13)) {
        0 => pick([null, true, false]),
        1, 2 => number(),
        3 => fraction(),
        4, 5 => text(),
        6, 7 => several($depth),
        8 => pick([new Text(), new stdClass(), new Several(), new ArrayObject([1]), WeakReference::create(new Text())]),
        9 => closure(),
        10, 11 => pick(Rig::$objects),
        12 => make(pick(array_keys(Rig::$classes))),
        13 => pick(Tusk\WebSocket\MessageType::cases()),
    };
}

function typed(?ReflectionType $type): mixed
{
    if ($type === null || chance(12)) {
        return any();
    }
    if (!$type instanceof ReflectionNamedType) {
        return typed(pick($type->getTypes()));
    }
    if ($type->allowsNull() && chance(5)) {
        return null;
    }
    $name = $type->getName();
    return match (true) {
        $name === 'int' => chance(15) ? 1.5 : number(),
        $name === 'float' => fraction(),
        $name === 'string' => chance(8) ? new Text() : text(),
        $name === 'bool' => chance(2),
        $name === 'array' => several(3),
        $name === 'iterable' => pick([[1, 'a'], new Several(), (fn () => yield 'x')()]),
        $name === 'callable', $name === 'Closure' => closure(),
        $name === 'Throwable' => new Exception('given'),
        $name === 'Tusk\Proxy\Resolver' => new Resolver(),
        enum_exists($name) => pick($name::cases()),
        isset(Rig::$classes[$name]) => ofClass($name),
        default => any(),
    };
}

function ofClass(string $name): ?object
{
    $have = array_filter(Rig::$objects, fn ($object) => $object instanceof $name);
    return $have !== [] && !chance(4) ? pick($have) : make($name);
}

/** In order, by name, or none; how long to wait is always said, and is a moment. */
function arguments(?ReflectionFunctionAbstract $function): array
{
    $inOrder = $named = [];
    foreach ($function?->getParameters() ?? [] as $parameter) {
        $waits = in_array($parameter->name, ['timeout', 'seconds', 'deadline'], true);
        if ($parameter->isVariadic()) {
            for ($left = mt_rand(0, 3); $left > 0 && $named === []; $left--) {
                $inOrder[] = typed($parameter->getType());
            }
            continue;
        }
        if (!$waits && $parameter->isOptional() && chance(3)) {
            continue;
        }
        $value = match (true) {
            $waits => seconds(),
            $parameter->name === 'job' && !chance(4) => closure(),
            $parameter->name === 'stream' => chance(5) ? any() : stream(),
            $parameter->name === 'callback' && [$function->class, $function->name] === [Tusk\Timer::class, 'repeat'] => ticking(),
            $parameter->name === 'callback' && $function->class === Tusk\Watch::class => watching(),
            default => typed($parameter->getType()),
        };
        if ($named === [] && count($inOrder) === $parameter->getPosition() && !chance(5)) {
            $inOrder[] = $value;
        } else {
            $named[$parameter->name] = $value;
        }
    }
    return [...$inOrder, ...$named];
}
