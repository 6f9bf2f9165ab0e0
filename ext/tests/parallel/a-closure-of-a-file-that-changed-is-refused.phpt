--TEST--
Where the file of a closure changed after the pool was made, what stands in its place now is not run; where names of arguments alone tell closures apart, and cannot, neither is
--EXTENSIONS--
tusk
--INI--
opcache.enable_cli=0
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, Pool, Template};

$file = __DIR__ . '/a-closure-of-a-file-that-changed.inc';
function told(Pool $pool, Closure $job): string
{
    try {
        return json_encode($pool->run($job));
    } catch (CannotTravel $e) {
        return preg_replace('~ at \S+~', '', $e->getMessage());
    }
}
foreach (Template::cases() as $template) {
    file_put_contents($file, '<?php return fn () => 1;');
    $one = require $file;
    usleep(50000); // stamps of files are as coarse as the system's ticks
    $pool = new Pool(workers: 1, max: 1, template: $template);
    echo $template->name, ' ', told($pool, $one);
    $pool = new Pool(workers: 1, max: 1, template: $template);
    file_put_contents($file, '<?php return fn () => 2;');
    echo ', ', told($pool, $one);
    touch($file, time() - 3600); // as who copies it with its time
    echo ', ', told($pool, $one), "\n";
}
file_put_contents($file, '<?php return [fn () => later(a: 1), fn () => later(b: 1), fn () => later(1)];');
$unknown = require $file;
eval('function later($a = 0, $b = 0) { return [$a, $b]; }');
$known = require $file;
usleep(50000);
foreach (['before' => $unknown, 'after' => $known] as $when => $closures) {
    foreach ($closures as $closure) {
        $pool = new Pool(workers: 1, max: 1);
        echo "compiled $when: ", told($pool, $closure), ' for ', json_encode($closure()), "\n";
    }
}
file_put_contents($file, '<?php return [fn () => later(a: 1), fn () => later(b: 1)];');
[$closure] = require $file; // a fresh worker does not know what the names mean
usleep(50000);
echo told(new Pool(workers: 1, max: 1, template: Template::Fresh), $closure), "\n";
?>
--CLEAN--
<?php
@unlink(__DIR__ . '/a-closure-of-a-file-that-changed.inc');
?>
--EXPECT--
Fork 1, the closure is not there any more: the file has changed: reload() the pool, the closure is not there any more: the file has changed: reload() the pool
Fresh 1, the closure is not there any more: the file has changed: reload() the pool, the closure is not there any more: the file has changed: reload() the pool
compiled before: [1,0] for [1,0]
compiled before: [0,1] for [0,1]
compiled before: [1,0] for [1,0]
compiled after: [1,0] for [1,0]
compiled after: [0,1] for [0,1]
compiled after: [1,0] for [1,0]
the closure differs from another one on its lines by the names of arguments alone, which is not enough: give it lines of its own
