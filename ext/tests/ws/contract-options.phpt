--TEST--
Contract: options are checked by name and value, as an object and as an array
--FILE--
<?php
require __DIR__ . '/contract.inc';
use Tusk\WebSocket\{Server, ServerOptions};

$defaults = ['maxMessageSize' => 16 << 20, 'maxQueuedBytes' => 16 << 20, 'maxConnections' => 10000, 'handshakeTimeoutMs' => 10000,
    'idleTimeoutMs' => 120000, 'pingIntervalMs' => 0, 'pongTimeoutMs' => 10000];
same('the defaults', $defaults, get_object_vars(new ServerOptions()));
$place = 0;
foreach ($defaults as $name => $default) {
    $place++;
    $least = $name === 'pingIntervalMs' ? 0 : 1;
    foreach ([$least - 1, -7, PHP_INT_MIN, PHP_INT_MAX] as $bad) {
        refused("$name: $bad as an object", ValueError::class, fn () => new ServerOptions(...[$name => $bad]), "#$place (\$$name)", 'between', (string) $bad);
        refused("$name: $bad in an array", ValueError::class, fn () => new Server([$name => $bad]), '#1 ($options)', $name, 'between', (string) $bad);
    }
    foreach (['10', 1.5, null, true, [], new stdClass()] as $bad) {
        refused("$name: a " . get_debug_type($bad) . ' in an array', ValueError::class, fn () => new Server([$name => $bad]), $name, 'integer');
    }
    refused("$name: text as an object", TypeError::class, fn () => new ServerOptions(...[$name => 'many']), "\$$name", 'int');
    foreach ([$least, 1, 5, 100000] as $good) {
        same("$name: $good", $good, (new ServerOptions(...[$name => $good]))->$name);
        accepted("$name: $good in an array", fn () => new Server([$name => $good]));
    }
    $options = new ServerOptions();
    refused("$name cannot be written", Error::class, function () use ($options, $name) { $options->$name = 1; }, 'readonly');
    refused("$name cannot be unset", Error::class, function () use ($options, $name) { unset($options->$name); }, 'readonly');
}
refused('an unknown key', ValueError::class, fn () => new Server(['maxMessageSize' => 1, 'maxMesageSize' => 1]), 'maxMesageSize', 'unknown');
refused('a key in another case', ValueError::class, fn () => new Server(['maxmessagesize' => 1]), 'unknown');
refused('a number as key', ValueError::class, fn () => new Server([1]), 'unknown');
refused('an unknown argument', Error::class, fn () => new ServerOptions(nope: 1), '$nope');
refused('an eighth argument', ArgumentCountError::class, fn () => new ServerOptions(1, 2, 3, 4, 5, 6, 7, 8), 'at most 7');
foreach ([1, 'x', 1.5, true, null, new stdClass()] as $bad) {
    refused('options: ' . get_debug_type($bad), TypeError::class, fn () => new Server($bad), 'ServerOptions|array');
}
refused('no second argument', ArgumentCountError::class, fn () => new Server([], 1));
refused('no property of one\'s own', Error::class, function () use ($options) { $options->more = 1; }, 'dynamic property');
accepted('no argument', fn () => new Server());
accepted('an empty array', fn () => new Server([]));
accepted('an object', fn () => new Server(new ServerOptions(maxConnections: 3)));
accepted('a reference in the array', function () { $n = 5; new Server(['maxConnections' => &$n]); });
tally();
?>
--EXPECT--
193 points hold
