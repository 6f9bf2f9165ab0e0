--TEST--
A Lookup records every way of reading a field, and nothing but that
--EXTENSIONS--
tusk
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Proxy\Lookup;

function fresh(): Lookup { return Lookup::of(user: 'anna', database: 'shop', peerPort: 4711, first: "\0\1"); }
function show(string $what, callable $read): void
{
    $lookup = fresh();
    $value = $read($lookup);
    echo $what, ': ', json_encode($value), ' read ', implode(' ', $lookup->fieldsRead()), "\n";
}

show('nothing', fn (Lookup $l) => null);
show('a field', fn (Lookup $l) => $l->user);
show('the same one twice', fn (Lookup $l) => $l->user . $l->user);
show('a field that is not known', fn (Lookup $l) => $l->serverName);
show('a number', fn (Lookup $l) => $l->peerPort);
show('whether TLS ends here', fn (Lookup $l) => $l->secure);
show('isset', fn (Lookup $l) => [isset($l->database), isset($l->host)]);
show('empty and ??', fn (Lookup $l) => [empty($l->user), $l->domain ?? 'none']);
show('by a variable name', function (Lookup $l) { $name = 'database'; return $l->$name; });
show('reflection', fn (Lookup $l) => (new ReflectionProperty($l, 'user'))->getValue($l));
show('a property of another class', fn (Lookup $l) => @$l->nonsense);
foreach ([
    'foreach' => function (Lookup $l) { foreach ($l as $name => $value) { return $name; } },
    'get_object_vars' => fn (Lookup $l) => count(get_object_vars($l)),
    'array' => fn (Lookup $l) => count((array) $l),
    'print_r' => fn (Lookup $l) => strlen(print_r($l, true)) > 100,
    'var_export' => fn (Lookup $l) => strlen(var_export($l, true)) > 100,
] as $name => $read) {
    $lookup = fresh();
    echo $name, ': ', json_encode($read($lookup)), ' read ', count($lookup->fieldsRead()), "\n";
}
// The VM remembers where a property lies: what one object was read for is not what another was.
$read = fn (Lookup $l) => $l->user;
foreach ([1, 2, 3] as $i) {
    $lookup = fresh();
    $read($lookup);
    echo implode(' ', $lookup->fieldsRead()), "\n";
}
var_dump(Lookup::of(secure: true)->secure);
var_dump(Lookup::of(peerPort: 4711, destination: '198.51.100.2:443')->peerPort); // kept side by side
$l = fresh();
foreach ([fn () => $l->user = 'x', function () use ($l): void { unset($l->user); }] as $write) {
    try {
        $write();
        echo "written\n";
    } catch (Error $e) {
        echo str_contains($e->getMessage(), 'readonly property') ? "readonly\n" : $e->getMessage() . "\n";
    }
}
attempt(fn () => clone $l);
attempt(fn () => serialize($l));
attempt(fn () => $l == fresh());
attempt(fn () => new Lookup());
attempt(fn () => Lookup::of(nonsense: 'x'));
attempt(fn () => Lookup::of('x'));
attempt(fn () => Lookup::of(user: 1.5));
?>
--EXPECT--
nothing: null read 
a field: "anna" read user
the same one twice: "annaanna" read user
a field that is not known: null read serverName
a number: 4711 read peerPort
whether TLS ends here: false read 
isset: [true,false] read host database
empty and ??: [false,"none"] read user domain
by a variable name: "shop" read database
reflection: "anna" read user
a property of another class: null read 
foreach: "listener" read 16
get_object_vars: 17 read 16
array: 17 read 16
print_r: true read 16
var_export: true read 16
user
user
user
bool(true)
int(4711)
readonly
readonly
Error: Trying to clone an uncloneable object of class Tusk\Proxy\Lookup
Exception: Serialization of 'Tusk\Proxy\Lookup' is not allowed
nothing thrown
Error: Call to private Tusk\Proxy\Lookup::__construct() from global scope
ValueError: Tusk\Proxy\Lookup has no field "nonsense"
ValueError: Tusk\Proxy\Lookup::of(): Argument #1 must be named after a field
TypeError: Field "user" must be of type string|int, float given
