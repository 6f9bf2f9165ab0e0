--TEST--
A fresh template is PHP begun anew: small, with these settings, found closures, new code after reload(), healed, and clear about what it cannot
--EXTENSIONS--
tusk
posix
--INI--
precision=5
--FILE--
<?php
use Tusk\Parallel\{BootstrapFailed, CannotTravel, Pool, Template};

function only_here(): int
{
    return 1;
}
$code = tempnam(sys_get_temp_dir(), 'tusk') . '.php';
$write = function (int $version) use ($code): void {
    file_put_contents($code, "<?php function version(): int { return $version; } ini_set('precision', '7');");
};
$say = function (Closure $what): void {
    try {
        echo json_encode($what()), "\n";
    } catch (Throwable $e) {
        echo $e::class, ': ', str_replace(__DIR__ . '/', '', $e->getMessage()), "\n";
    }
};
$write(1);
$mine = __FILE__;
$open = fopen($mine, 'r');
$grown = array_map(fn (int $i): string => str_repeat('x', 100_000), range(1, 600));
$GLOBALS['carried'] = true;
$pool = new Pool(workers: 2, max: 2, memory: '64M', bootstrap: fn () => require $code, template: Template::Fresh);
$rows = [1, 2, 3];
$say(fn () => $pool->run(
    fn () => [array_sum($rows), isset($GLOBALS['carried']), memory_get_usage() < 10_000_000, ini_get('memory_limit'), strlen(getcwd()) === strlen(getcwd())],
));
$say(fn () => $pool->run(
    fn () => [version(), ini_get('precision'), array_map(
        fn ($i) => "$i",
        $rows,
    )],
));
$say(fn () => $pool->run('only_here'));
$say(fn () => $pool->run(
    fn () => !in_array($mine, array_map(
        fn ($fd) => @readlink($fd),
        glob('/proc/self/fd/*'),
    )),
));
$say(fn () => $pool->run(
    fn () => posix_getppid(),
) !== getmypid());
$write(2);
$pool->reload();
$say(fn () => $pool->run('version'));
$template = $pool->run('posix_getppid');
posix_kill($template, 9);
while ($pool->submit(['posix_getppid'], retry: 3)[0]->await() === $template); // a worker's last task
$say(fn () => $pool->run('version'));
$say(fn () => $pool->stats()['templates']);
$pool->close();

$bare = new Pool(workers: 1, template: Template::Fresh);
$say(fn () => $bare->run('ini_get', 'precision'));
$failing = new Pool(workers: 1, bootstrap: fn () => throw new DomainException('no database'), template: Template::Fresh);
$say(fn () => $failing->run('strlen', 'x'));
$file = fopen('php://memory', 'r');
$say(fn () => new Pool(bootstrap: fn () => fgets($file), template: Template::Fresh));
$say(fn () => Pool::template('3,4'));
unlink($code);
?>
--EXPECT--
[6,false,true,"64M",true]
[1,"7",["1","2","3"]]
Error: only_here() does not exist in the worker: let bootstrap: load the file that declares it (or an autoloader that does), or load it before the pool is made
true
true
2
2
2
"5"
Tusk\Parallel\BootstrapFailed: The bootstrap failed: DomainException: no database
Tusk\Parallel\CannotTravel: $bootstrap['file']: resource (stream): what is open stays in its process; open it where it is used
ValueError: Tusk\Parallel\Pool::template(): Argument #1 ($where) is not what a fresh template is begun with
