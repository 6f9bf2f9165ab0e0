--TEST--
What stands for a session, a server or a resource is neither cloned nor serialized; values may be cloned
--FILE--
<?php
$values = $exceptions = $stored = [];
foreach ((new ReflectionExtension('tusk'))->getClasses() as $name => $class) {
    if ($class->isEnum() || $class->isInterface()) {
        continue;
    }
    if ($class->isSubclassOf(Throwable::class)) {
        $exceptions[] = $name;
        continue;
    }
    if (!$class->isFinal()) {
        echo "$name is not final\n";
    }
    if ($class->isCloneable()) {
        $values[] = $name;
    }
    try {
        unserialize('O:' . strlen($name) . ":\"$name\":0:{}");
        $stored[] = $name;
    } catch (Exception $e) {
        if ($e->getMessage() !== "Unserialization of '$name' is not allowed") {
            echo $e->getMessage(), "\n";
        }
    }
}
sort($exceptions);
echo implode(' ', $exceptions), "\nunserialized: ", implode(' ', $stored), "\n";
// Of these two there is never an object.
foreach ([Tusk\Timer::class, Tusk\WebSocket\Protocol::class] as $static) {
    echo $static, (new ReflectionMethod($static, '__construct'))->isPrivate() ? ' has a private constructor' : ' can be made', "\n";
    unset($values[array_search($static, $values, true)]);
}
// A clone of a value is a value of its own; everything else that can be cloned is named here.
foreach ($values as $name) {
    foreach ((new ReflectionClass($name))->getProperties() as $property) {
        if (!$property->isReadOnly()) {
            echo "$name has the mutable \${$property->getName()}\n";
        }
    }
}
$handles = ['Server', 'Sse\EventStream', 'Sse\Client', 'Http\Client', 'Http\Request', 'Tls', 'WebSocket\Server', 'WebSocket\Connection',
    'WebSocket\Messages', 'WebSocket\Client', 'WebSocket\Frames', 'WebSocket\Request', 'Testing\Loopback', 'Testing\LoopbackClient', 'Proxy\Lookup', 'Proxy\UpstreamTls', 'Proxy\Tcp',
    'Proxy\Http', 'Proxy\Smtp'];
var_dump(array_intersect(array_map(fn ($h) => "Tusk\\$h", $handles), $values));

$limits = new Tusk\Limits(perAddress: 7);
$response = Tusk\Http\Response::stream((fn () => yield 'x')());
var_dump((clone $limits) == $limits, (clone $response)->status);
foreach ([$limits, new Tusk\Server('127.0.0.1:0'), $response, new Tusk\WebSocket\Frames()] as $object) {
    try {
        serialize($object);
        echo get_debug_type($object), " was serialized\n";
    } catch (Exception $e) {
        echo $e->getMessage(), "\n";
    }
}
?>
--EXPECT--
Tusk\Exception Tusk\Http\InvalidJson Tusk\Parallel\BootstrapFailed Tusk\Parallel\Cancelled Tusk\Parallel\CannotTravel Tusk\Parallel\DeadlineExceeded Tusk\Parallel\QueueFull Tusk\Parallel\TaskExited Tusk\Parallel\TaskFailed Tusk\Parallel\WorkerCrashed Tusk\Proxy\Refused Tusk\WebSocket\HandshakeException
unserialized: 
Tusk\Timer has a private constructor
Tusk\WebSocket\Protocol has a private constructor
array(0) {
}
bool(true)
int(200)
Serialization of 'Tusk\Limits' is not allowed
Serialization of 'Tusk\Server' is not allowed
Serialization of 'Tusk\Http\Response' is not allowed
Serialization of 'Tusk\WebSocket\Frames' is not allowed
