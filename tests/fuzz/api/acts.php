<?php

declare(strict_types=1);

// What a child of the API fuzzer does with the extension's classes.

use Tusk\Bench\EchoServer;
use Tusk\Bench\Load;
use Tusk\Parallel\Pool;
use Tusk\Timer;

/** An object of that class by a constructor, or by a static method that may give one. */
function make(string $name): ?object
{
    $class = Rig::$classes[$name];
    if ($class->isEnum()) {
        return pick($name::cases());
    }
    if (Rig::isDeep()) {
        return null;
    }
    $depth = Rig::$depth++;
    try {
        Rig::say("new $name");
        if (isset(Rig::$forks[$name])) {
            $object = forking($name);
        } elseif (chance(10)) {
            $object = $class->newInstanceWithoutConstructor();
        } elseif ($class->isInstantiable()) {
            $arguments = arguments($class->getConstructor());
            $object = chance(4) ? new $name(...$arguments) : $class->newInstance(...$arguments); // what Reflection calls has its arguments converted
        } else {
            $static = pick($class->getMethods(ReflectionMethod::IS_STATIC));
            $object = $static?->invoke(null, ...arguments($static));
        }
        Rig::keep($object);
        return is_object($object) ? $object : null;
    } catch (Throwable) {
        return null;
    } finally {
        Rig::$depth = $depth;
    }
}

/** What forks: small, seldom, and now and then what is refused. */
function forking(string $name): ?object
{
    if (!chance(4) || Rig::$forks[$name]-- <= 0) {
        return null;
    }
    $odd = pick([0, -1, 1.5, 'x', null, PHP_INT_MAX, new Text()]);
    if ($name === Pool::class) {
        $given = ['workers' => chance(5) ? $odd : 1, 'max' => chance(5) ? $odd : 1, 'queue' => pick([1, 4, 1024]), 'bootstrap' => chance(3) ? closure() : null];
        return new Pool(...$given, onFull: pick(Tusk\Parallel\OnFull::cases()), template: pick(Tusk\Parallel\Template::cases()));
    }
    if ($name === EchoServer::class) {
        $echo = new EchoServer(pick(['ws', 'http', 'sse', 'fanout', 'tcp']), chance(5) ? $odd : 1, pick(['127.0.0.1', '::1']), 0, chance(5) ? several(2) : []);
        Rig::$port = Rig::$backend = $echo->port();
        return $echo;
    }
    ofClass(EchoServer::class);
    $options = ['connections' => 1, 'workers' => 1, 'duration' => 0.05, 'warmup' => 0, 'drain' => 0.05, 'timeout' => 0.2];
    return new Load(pick(['ws-echo', 'http', 'sse', 'tcp-rr', 'ws-handshake']), pick(['ws', 'http', 'tcp']) . '://127.0.0.1:' . Rig::$port . '/', $options + (chance(3) ? several(1) : []));
}

/** Jobs for a pool, each in its own way. */
function jobs(): void
{
    $pool = ofClass(Pool::class);
    if ($pool === null) {
        return;
    }
    $job = chance(2) ? closure() : [closure(), ...array_values(several(2))];
    $given = array_values(several(3));
    Rig::say('jobs');
    Rig::keep(match (mt_rand(0, 3)) {
        0 => $pool->run($job, ...$given),
        1 => $pool->task($job, ...$given),
        2 => $pool->task($job, ...$given)->await(0.01),
        3 => $pool->all([$job, closure()], deadline: 0.01),
    });
}

/** It ends soon, also where somebody asked it not to. */
function ends(object $host): void
{
    foreach ([0.01, 0.02, 0.04] as $seconds) {
        Timer::delay($seconds, fn () => $host->stop());
    }
}

function run(object $host): void
{
    ends($host);
    if (method_exists($host, 'listen') && chance(3)) {
        Timer::defer(act(...));
    }
    Rig::$running++;
    try {
        $host->run();
    } finally {
        Rig::$running--;
    }
}

/**
 * Whoever walks over it, or has its iterator, waits for what comes until it is closed: where a server runs a timer does that, elsewhere a client waits
 * plainly, and no timer runs.
 */
function may_walk(object $object): bool
{
    $walked = Rig::$walked[$object] ?? $object;
    if (!method_exists($walked, 'getIterator') || !method_exists($walked, 'close')) {
        return true;
    }
    if (Rig::$running > 0) {
        Timer::delay(0.01, fn () => $walked->close());
    }

    return Rig::$running > 0;
}

/** What may be done with any object. */
function around(object $object, ReflectionClass $class): void
{
    $property = pick($class->getProperties())?->name ?? 'none';
    $what = mt_rand(0, 12);
    if (!may_walk($object) && ($what === 8 || $what === 9)) {
        return;
    }
    Rig::say("around $class->name, $what");
    match ($what) {
        0 => [ob_start(), var_dump($object), ob_end_clean()],
        1 => json_encode($object),
        2 => Rig::keep(clone $object),
        3 => unserialize(serialize([$object])),
        4 => Rig::compare($object, pick(Rig::$objects)),
        5 => $object->$property = any(),
        6 => (function () use ($object, $property) {
            $taken = &$object->$property;
            $taken = any();
        })(),
        7 => (function () use ($object, $property) { unset($object->$property); })(),
        8 => (function () use ($object) {
            foreach ($object as $value) {
                if (chance(3)) {
                    break;
                }
            }
        })(),
        9 => (function () use ($object) {
            foreach ($object as &$value) {
                $value = any();
            }
        })(),
        10 => gc_collect_cycles(),
        11 => var_export($object, true),
        12 => Rig::keep($fiber = new Fiber(act(...))) ?? $fiber->start(),
    };
}

function told(Throwable $thrown): void
{
    Rig::say($thrown::class . ': ' . $thrown->getMessage());
    if (chance(6)) {
        Rig::keep($thrown);
    }
}

function call(object $object, ReflectionClass $class): void
{
    $method = pick($class->getMethods());
    if ($method === null || ($method->isConstructor() && isset(Rig::$forks[$class->name]))) {
        return;
    }
    Rig::say("$class->name::$method->name()");
    if ($method->name === 'run' && method_exists($object, 'stop')) {
        run($object);
        return;
    }
    $arguments = arguments($method);
    $on = $method->isStatic() ? null : $object;
    if ($object instanceof Iterator && !may_walk($object)) {
        return;
    }
    $result = chance(3) ? $method->getClosure($on)(...$arguments) : $method->invoke($on, ...$arguments);
    if ($result instanceof Iterator) {
        Rig::$walked[$result] = $object;
    }
    Rig::keep($result);
}

function act(): void
{
    if (Rig::isDeep()) {
        return;
    }
    $depth = Rig::$depth++;
    try {
        if ($depth === 0 && chance(100)) {
            serve();
            return;
        }
        if ($depth === 0 && chance(40)) {
            jobs();
            return;
        }
        if ($depth < 3 && chance(60)) {
            loopback();
            return;
        }
        $object = chance(5) ? null : pick(Rig::$objects);
        $object ??= make(pick(array_keys(Rig::$classes)));
        if ($object === null) {
            return;
        }
        $class = new ReflectionClass($object);
        if (chance(2)) {
            around($object, $class);
        } else {
            call($object, $class);
        }
    } catch (Throwable $thrown) {
        told($thrown);
    } finally {
        Rig::$depth = $depth;
    }
}
