--TEST--
Under opcache workers compile and cache files as any process does, whichever template they are of, and find closures that opcache has rewritten
--EXTENSIONS--
tusk
posix
opcache
--INI--
opcache.enable=1
opcache.enable_cli=1
opcache.file_update_protection=0
--FILE--
<?php
use Tusk\Parallel\{Pool, Template};

$file = tempnam(sys_get_temp_dir(), 'tusk');
file_put_contents($file, '<?php function from_file(int $n): int { return $n + 1; }');
$three = new class { public int $value = 3; };
foreach ([Template::Fork, Template::Fresh] as $template) {
    $pool = new Pool(workers: 2, max: 2, template: $template);
    $cached = fn () => opcache_is_script_cached($file);
    echo $template->name, ': ', json_encode([
        $pool->run(function () use ($file): int { require_once $file; return from_file(6); }),
        $pool->run(function (int $n): string {
            $list = [];
            for ($i = 0; $i < $n; $i++) {
                $unused = 1 + 2 * 3; // opcache folds it, and jumps otherwise
                if (true && $i % 2 === 0) {
                    $list[] = strlen('abc') . ':' . PHP_VERSION_ID * 0 . ":$i";
                }
            }
            return implode(',', $list);
        }, 4),
        $pool->run($cached),
    ]), "\n";
    $two = [fn () => 1 + 2 * strlen('a'), fn () => 2 + 3 * strlen('bc')]; // on one line: which is it?
    foreach ($two as $one) {
        try {
            echo $pool->run($one), "\n";
        } catch (Tusk\Parallel\CannotTravel $e) {
            echo preg_replace('~ at \S+~', '', $e->getMessage()), "\n";
        }
    }
    $pool->close();
}
$pool = new Pool(workers: 1);
echo 'a fork of the caller: ', $pool->run(function () use ($three, $file): int { require_once $file; return from_file($three->value); }), "\n";
unlink($file);
?>
--EXPECT--
Fork: [7,"3:0:0,3:0:2",true]
3
8
Fresh: [7,"3:0:0,3:0:2",true]
the closure is one of several on its lines, and opcache has rewritten it, or it declares a class: give it lines of its own
the closure is one of several on its lines, and opcache has rewritten it, or it declares a class: give it lines of its own
a fork of the caller: 4
