--TEST--
What is open is refused with its path as an argument as well, also where it cannot be serialized and a fork would take it along
--EXTENSIONS--
tusk
pdo_sqlite
sockets
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, Pool, Sync};

$open = [
    'PDO' => new PDO('sqlite::memory:'),
    'in an array' => ['a' => [new PDO('sqlite::memory:')]],
    'beside what only a fork has' => [(fn () => yield 1)(), [new PDO('sqlite::memory:')]],
    'in an object that only a fork has' => new class(socket_create(AF_INET, SOCK_STREAM, 0)) { public function __construct(public Socket $socket) {} },
    'a file' => new SplFileObject(__FILE__),
    'captured' => [fn () => $GLOBALS['nothing'] ?? 1, 2],
];
$type = fn (mixed ...$values) => implode(' ', array_map(get_debug_type(...), $values));
foreach ([new Pool(workers: 1), new Sync()] as $engine) {
    foreach ($open as $name => $value) {
        try {
            echo "$name: {$engine->submit([[$type, 1, $value]])[0]->await()}\n";
        } catch (CannotTravel $e) {
            echo "$name: ", $e->getMessage(), "\n";
        }
    }
}
try {
    (new Pool(workers: 1))->run([$type, 1], 2, $open['PDO']);
} catch (CannotTravel $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECTF--
PDO: $args[1]: live object of PDO: what is open stays in its process; open it where it is used (task: closure of %swhat-is-open-is-no-argument.php:12)
in an array: $args[1]['a'][0]: live object of PDO: what is open stays in its process; open it where it is used (task: closure of %swhat-is-open-is-no-argument.php:12)
beside what only a fork has: $args[1][1][0]: live object of PDO: what is open stays in its process; open it where it is used (task: closure of %swhat-is-open-is-no-argument.php:12)
in an object that only a fork has: $args[1]->socket: live object of Socket: what is open stays in its process; open it where it is used (task: closure of %swhat-is-open-is-no-argument.php:12)
a file: $args[1]: live object of SplFileObject: what is open stays in its process; open it where it is used (task: closure of %swhat-is-open-is-no-argument.php:12)
captured: int array
PDO: $args[1]: live object of PDO: what is open stays in its process; open it where it is used (task: closure of %swhat-is-open-is-no-argument.php:12)
in an array: $args[1]['a'][0]: live object of PDO: what is open stays in its process; open it where it is used (task: closure of %swhat-is-open-is-no-argument.php:12)
beside what only a fork has: $args[1][1][0]: live object of PDO: what is open stays in its process; open it where it is used (task: closure of %swhat-is-open-is-no-argument.php:12)
in an object that only a fork has: $args[1]->socket: live object of Socket: what is open stays in its process; open it where it is used (task: closure of %swhat-is-open-is-no-argument.php:12)
a file: $args[1]: live object of SplFileObject: what is open stays in its process; open it where it is used (task: closure of %swhat-is-open-is-no-argument.php:12)
captured: int array
$args[2]: live object of PDO: what is open stays in its process; open it where it is used (task: closure of %swhat-is-open-is-no-argument.php:12)
