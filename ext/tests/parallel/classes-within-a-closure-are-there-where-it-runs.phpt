--TEST--
Classes within a closure are there where it runs, and a file is compiled for all of its closures once
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (PHP_OS_FAMILY !== 'Linux') die('skip Linux only');
--FILE--
<?php
use Tusk\Parallel\Pool;
use Tusk\Parallel\Template;

$file = __DIR__ . '/classes-within-a-closure.inc';
$source = <<<'PHP'
<?php
return [
    'anonymous' => fn (): int => (new class { public function two(): int { return 2; } })->two(),
    'of another' => fn (): int => (new class extends ArrayObject { public function three(): int { return $this->count() + 3; } })->three(),
    'within' => fn (): int => (
        fn (): int => (new class {
            public function f(): Closure {
                return fn (): int => 4;
            }
        })->f()()
    )(),
    'by name' => function (): int {
        if (!class_exists('WithinAClosure')) {
            class WithinAClosure implements Countable { public function count(): int { return 5; } }
        }
        return count(new WithinAClosure());
    },
    'an enum' => function (): string {
        if (!enum_exists('WithinToo')) {
            enum WithinToo: string { case Six = '6'; }
        }
        return WithinToo::Six->value;
    },
PHP;
for ($i = 0; $i < 100; $i++) {
    $source .= "\n    fn (): array => [$i, memory_get_usage()],";
}
file_put_contents($file, "$source\n];\n");
usleep(20000); // the tick of the system's clock: within it nobody knows, under opcache, whether the file or the pools were first
$pools = ['fork' => new Pool(workers: 1, max: 1), 'fresh' => new Pool(workers: 1, max: 1, template: Template::Fresh)];
$jobs = require $file; // behind the forks
foreach ($pools as $name => $pool) {
    foreach (['anonymous', 'of another', 'within', 'by name', 'an enum', 'anonymous'] as $key) {
        try {
            echo $name, ', ', $key, ': ', $pool->run($jobs[$key]), "\n";
        } catch (Tusk\Exception $e) {
            echo $name, ', ', $key, ': ', $e::class, "\n";
        }
    }
    [, $before] = $pool->run($jobs[0]);
    for ($i = 1; $i < 100; $i++) {
        [$number, $after] = $pool->run($jobs[$i]);
        $number === $i or print("another closure: $number for $i\n");
    }
    $grown = ($after - $before) / 99;
    echo $grown < 1024 ? "a closure costs its worker less than a KiB\n" : "a closure costs its worker $grown bytes\n";
    $pool->close();
}
?>
--CLEAN--
<?php @unlink(__DIR__ . '/classes-within-a-closure.inc');
--EXPECT--
fork, anonymous: 2
fork, of another: 3
fork, within: 4
fork, by name: 5
fork, an enum: 6
fork, anonymous: 2
a closure costs its worker less than a KiB
fresh, anonymous: 2
fresh, of another: 3
fresh, within: 4
fresh, by name: 5
fresh, an enum: 6
fresh, anonymous: 2
a closure costs its worker less than a KiB
