--TEST--
workers: "auto" is one for each processor that this process has; of one processor it is one process, and no master
--SKIPIF--
<?php
if (PHP_OS_FAMILY !== 'Linux' || (string) shell_exec('command -v taskset') === '') die('skip: taskset sets the mask');
?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Proxy\{Http, Lookup, Resolver, Route, Smtp, Tcp};
use Tusk\Server;

final class Nowhere implements Resolver
{
    public function resolve(Lookup $lookup): Route
    {
        return Route::to('127.0.0.1:1');
    }
}

/** What worker() is in each process that starts; each waits for the others, and the last one stops all. */
function started(Server|Http $served, int $count): string
{
    $file = tempnam(sys_get_temp_dir(), 'tusk');
    $served->listen('127.0.0.1:0');
    $served->onStart(function () use ($served, $file, $count): void {
        file_put_contents($file, json_encode($served->worker()) . "\n", FILE_APPEND | LOCK_EX);
        count(file($file)) === $count && $served->stop();
    });
    $served->run();
    $numbers = file($file, FILE_IGNORE_NEW_LINES);
    unlink($file);
    sort($numbers);
    return implode(' ', $numbers);
}

/** Those of the mask, or fewer, by the quota of a control group. */
function processors(): int
{
    preg_match('/Cpus_allowed:\s+([0-9a-f,]+)/', file_get_contents('/proc/self/status'), $mask);
    $count = substr_count(implode('', array_map(fn (string $digit): string => decbin(hexdec($digit)), str_split(str_replace(',', '', $mask[1])))), '1');
    preg_match('/^0::(.*)$/m', file_get_contents('/proc/self/cgroup'), $group);
    for ($at = $group[1] ?? '/'; ; $at = dirname($at)) {
        [$quota, $period] = explode(' ', @file_get_contents("/sys/fs/cgroup$at/cpu.max") ?: 'max 1');
        $count = $quota === 'max' ? $count : min($count, (int) ceil($quota / $period));
        if ($at === '/') {
            return $count;
        }
    }
}

foreach (['many', '', 'auto ', '2.5', [], '0', '65'] as $given) {
    attempt(fn () => new Server('127.0.0.1:0', workers: $given));
}
foreach ([Tcp::class, Http::class, Smtp::class] as $class) {
    attempt(fn () => new $class(new Nowhere(), workers: 'many'));
    attempt(fn () => new $class(new Nowhere(), workers: []));
    new $class(new Nowhere(), workers: 'auto');
}
echo started(new Server(workers: '2'), 2), "\n"; // from the environment, where types are not strict

$processors = processors();
$all = $processors === 1 ? 'null' : implode(' ', range(0, $processors - 1));
$found = started(new Server(workers: "AUTO"), $processors);
echo $found === $all ? "all" : "$found, not $all", "\n";

preg_match('/Cpus_allowed_list:\s+(\d+)/', file_get_contents('/proc/self/status'), $first);
exec("taskset -pc $first[1] " . getmypid());
echo started(new Server(workers: 'auto'), 1), "\n";
echo started(new Server(workers: 'auto', bootstrap: fn () => null), 1), "\n";
echo started(new Http(new Nowhere(), workers: 'auto'), 1), "\n";
?>
--EXPECT--
ValueError: Tusk\Server::__construct(): Argument #4 ($workers) must be "auto" or a number
ValueError: Tusk\Server::__construct(): Argument #4 ($workers) must be "auto" or a number
ValueError: Tusk\Server::__construct(): Argument #4 ($workers) must be "auto" or a number
ValueError: Tusk\Server::__construct(): Argument #4 ($workers) must be "auto" or a number
TypeError: Tusk\Server::__construct(): Argument #4 ($workers) must be of type string|int, array given
ValueError: Tusk\Server::__construct(): Argument #4 ($workers) must be between 1 and 64, 0 given
ValueError: Tusk\Server::__construct(): Argument #4 ($workers) must be between 1 and 64, 65 given
ValueError: Tusk\Proxy\Tcp::__construct(): Argument #14 ($workers) must be "auto" or a number
TypeError: Tusk\Proxy\Tcp::__construct(): Argument #14 ($workers) must be of type string|int, array given
ValueError: Tusk\Proxy\Http::__construct(): Argument #10 ($workers) must be "auto" or a number
TypeError: Tusk\Proxy\Http::__construct(): Argument #10 ($workers) must be of type string|int, array given
ValueError: Tusk\Proxy\Smtp::__construct(): Argument #10 ($workers) must be "auto" or a number
TypeError: Tusk\Proxy\Smtp::__construct(): Argument #10 ($workers) must be of type string|int, array given
0 1
all
null
0
null
