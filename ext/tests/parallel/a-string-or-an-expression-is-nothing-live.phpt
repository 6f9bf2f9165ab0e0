--TEST--
A closure that goes by a fork takes strings that were made at run time, and has static variables whose expressions nobody has evaluated: each was taken for an open resource, and the process crashed
--FILE--
<?php
use Tusk\Parallel\Pool;

define('HOST', 'db.test');
$pool = new Pool(workers: 1);
$open = (function () { yield 1; })(); // no bytes can be made of it
$made = fn (string $of): string => $of . bin2hex(random_bytes(1))[0] . '.';

$tell = fn (mixed ...$all): array => [$open->current(), array_map(get_debug_type(...), $all)];
echo json_encode($pool->run($tell, $made('a'), 'literal', 1 << 40, 1.5, null, [$made('b')], true)), "\n";
echo json_encode($pool->task($tell, $made('a'))->await()), "\n";

$static = function (string $name) use ($open): string {
    static $host = HOST . ':5432', $hosts = ['first' => HOST];
    return $open->current() . " $name $host $hosts[first]";
};
echo substr_replace($pool->run($static, $made('e')), '?', 3, 1), "\n";

final class Settings
{
    public string $host = HOST;
    public array $hosts = [HOST];
}
$read = fn (Settings $settings, string $text): string => $open->current() . " $settings->host {$settings->hosts[0]}";
echo $pool->run($read, (new ReflectionClass(Settings::class))->newInstanceWithoutConstructor(), $made('f')), "\n";

try {
    $pool->run($tell, $made('g'), [$made('h'), fopen('php://memory', 'r')]);
} catch (Tusk\Parallel\CannotTravel $thrown) {
    echo $thrown->getMessage(), "\n";
}
?>
--EXPECTF--
[1,["string","string","int","float","null","array","bool"]]
[1,["string"]]
1 e?. db.test:5432 db.test
1 db.test db.test
$args[1][1]: resource (stream): what is open stays in its process; open it where it is used (task: closure of %sa-string-or-an-expression-is-nothing-live.php:9)
