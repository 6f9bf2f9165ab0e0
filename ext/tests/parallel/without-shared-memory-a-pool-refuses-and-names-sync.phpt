--TEST--
Where there is no shared memory, or no descriptors, making a Pool is an exception that says why and names Sync; nothing is run in its stead
--EXTENSIONS--
tusk
posix
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') { die('skip a checker needs more addresses than the limit leaves'); } ?>
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync, Template};

$descriptors = fn (): int => count(glob('/proc/self/fd/*'));
$limits = ['addresses' => [POSIX_RLIMIT_AS, 2 << 30], 'descriptors' => [POSIX_RLIMIT_NOFILE, 3], 'files' => [POSIX_RLIMIT_FSIZE, 1 << 20]];
$ran = false;
foreach ($limits as $name => [$limit, $soft]) {
    foreach ($name === 'files' ? [Template::Fresh] : Template::cases() as $template) { // a fork's memory is no file
        $before = $descriptors();
        [$old, $hard] = match ($limit) {
            POSIX_RLIMIT_AS => [posix_getrlimit()['soft totalmem'], posix_getrlimit()['hard totalmem']],
            POSIX_RLIMIT_NOFILE => [posix_getrlimit()['soft openfiles'], posix_getrlimit()['hard openfiles']],
            POSIX_RLIMIT_FSIZE => [posix_getrlimit()['soft filesize'], posix_getrlimit()['hard filesize']],
        };
        [$old, $hard] = array_map(fn (int|string $value): int => $value === 'unlimited' ? POSIX_RLIMIT_INFINITY : $value, [$old, $hard]);
        posix_setrlimit($limit, $soft, $hard);
        try {
            (new Pool(workers: 1, template: $template))->run(function () use (&$ran): void { $ran = true; });
            $said = 'nothing';
        } catch (Tusk\Exception $e) {
            $said = get_class($e) . ': ' . $e->getMessage();
        }
        posix_setrlimit($limit, $old, $hard);
        echo "$name, $template->name: $said\n";
        var_dump($before === $descriptors());
    }
}
var_dump($ran);
var_dump((new Sync())->submit(['a' => ['strrev', 'abc']])['a']->await(), (new Pool(workers: 1))->run('strrev', 'abc'));
?>
--EXPECT--
addresses, Fork: Tusk\Exception: Cannot start worker processes: Cannot allocate memory (new Tusk\Parallel\Sync() runs the same tasks in this process)
bool(true)
addresses, Fresh: Tusk\Exception: Cannot start worker processes: Cannot allocate memory (new Tusk\Parallel\Sync() runs the same tasks in this process)
bool(true)
descriptors, Fork: Tusk\Exception: Cannot start worker processes: Too many open files (new Tusk\Parallel\Sync() runs the same tasks in this process)
bool(true)
descriptors, Fresh: Tusk\Exception: Cannot start worker processes: Too many open files (new Tusk\Parallel\Sync() runs the same tasks in this process)
bool(true)
files, Fresh: Tusk\Exception: Cannot start worker processes: File too large (new Tusk\Parallel\Sync() runs the same tasks in this process)
bool(true)
bool(false)
string(3) "cba"
string(3) "cba"
