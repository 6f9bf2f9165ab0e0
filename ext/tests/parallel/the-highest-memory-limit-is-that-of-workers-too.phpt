--TEST--
What php.ini allows as memory_limit at most (max_memory_limit, PHP 8.5) bounds memory: of a pool without a warning, which an error handler would make an exception
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (PHP_VERSION_ID < 80500) { die('skip max_memory_limit is of PHP 8.5'); } ?>
--INI--
max_memory_limit=64M
memory_limit=48M
--FILE--
<?php
use Tusk\Parallel\{Pool, Template};

set_error_handler(static function (int $level, string $text): never { throw new ErrorException($text); });
$captured = new class { public int $n = 1; }; // a fork of this process runs it
foreach (Template::cases() as $template) {
    foreach (['128M', '64M', '32M', '-1'] as $memory) {
        $pool = new Pool(workers: 1, memory: $memory, template: $template);
        echo "$template->name $memory: ", $pool->run(static fn (): string => ini_get('memory_limit')), ', ', $pool->run(static fn (): string => $captured->n . ini_get('memory_limit')), "\n";
    }
}
?>
--EXPECT--
Fork 128M: 67108864, 167108864
Fork 64M: 64M, 164M
Fork 32M: 32M, 132M
Fork -1: 67108864, 167108864
Fresh 128M: 67108864, 167108864
Fresh 64M: 64M, 164M
Fresh 32M: 32M, 132M
Fresh -1: 67108864, 167108864
