--TEST--
Workers of another user go on with an access log that was moved, losing nothing; at SIGHUP the master opens the new one for those that follow
--EXTENSIONS--
pcntl
posix
--SKIPIF--
<?php if (posix_geteuid() !== 0) echo 'skip only root can be somebody else'; ?>
--FILE--
<?php
require __DIR__ . '/workers.inc';
require __DIR__ . '/../../../php/src/Proxy/AccessLog.php';
use Tusk\Proxy\{AccessLog, Http};

ini_set('display_errors', '0');
ini_set('error_log', $errors = tempnam(sys_get_temp_dir(), 'tusk'));
chmod($errors, 0666);
$folder = sys_get_temp_dir() . '/tusk-rotated-' . getmypid();
mkdir($folder, 0755); // nobody but root may make anything here
$log = "$folder/access.log";
$doing = new Doing();
$proxy = new Http($doing, workers: 2, user: '61234', group: '61235');
$doing->of($proxy);
$proxy->onAccess(AccessLog::to($log));
$lines = fn (string $file): int => is_file($file) ? count(file($file)) : 0;
beside($proxy, function (int $port, int $master) use ($log, $lines, $errors): void {
    $asked = 0;
    $ask = function () use ($port, &$asked): void {
        $asked++;
        get($port, "/nothing-$asked");
    };
    $ask();
    until(fn () => $lines($log) === 1, 'the first line');
    rename($log, "$log.1");
    until(function () use ($ask, $errors): bool {
        $ask();
        return str_contains(file_get_contents($errors), 'cannot be opened again');
    }, 'a worker that looked for it');
    until(fn () => $lines("$log.1") === $asked, 'every line in the file that was moved');
    var_dump(is_file($log));
    $old = array_column(whoAre($port, 2), 'pid');
    posix_kill($master, SIGHUP);
    until(fn () => is_file($log), 'the new file');
    until(fn () => array_intersect(array_column(whoAre($port, 2), 'pid'), $old) === [], 'a new generation');
    $before = $lines($log);
    until(function () use ($ask, $lines, $log, $before): bool {
        $ask(); // one that still drains may have taken the one before
        return $lines($log) > $before;
    }, 'a line in the new file');
    echo fileowner($log), " owns it\n";
});
$said = file_get_contents($errors);
// each of two workers says so of the moved file, and one that still drains once more of the master's
var_dump(substr_count($said, 'cannot be opened again') <= 4, str_contains($said, 'RuntimeException'));
array_map(unlink(...), [$errors, $log, "$log.1"]);
rmdir($folder);
?>
--EXPECT--
bool(false)
0 owns it
run: 0
the application waits for its own child: found
bool(true)
bool(false)
