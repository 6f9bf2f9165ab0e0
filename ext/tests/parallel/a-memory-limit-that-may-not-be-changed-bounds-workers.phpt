--TEST--
A memory_limit that no script may change (php_admin_value of PHP-FPM) is the most that a worker has; less is what memory: says
--EXTENSIONS--
tusk
ffi
--INI--
memory_limit=64M
--FILE--
<?php
use Tusk\Parallel\Pool;

// As PHP-FPM does it when a request begins; the command line has no such setting.
const SYSTEM = 4, ACTIVATE = 4;
$engine = FFI::cdef('uint32_t *zend_strpprintf(size_t max, const char *format, ...); int zend_alter_ini_entry(void *name, void *value, int type, int stage); void rc_dtor_func(void *counted);');
$fix = static function (string $limit) use ($engine): int {
    [$name, $value] = [$engine->zend_strpprintf(0, 'memory_limit'), $engine->zend_strpprintf(0, $limit)];
    $result = $engine->zend_alter_ini_entry($name, $value, SYSTEM, ACTIVATE);
    $value[0] = $value[0] - 1; // how often it is referred to: the setting has it now
    $engine->rc_dtor_func($name);
    return $result;
};

$of = static function (string $memory): string {
    try {
        $pool = new Pool(workers: 1, memory: $memory);
        $captured = new class { public int $n = 1; }; // a fork of this process runs it
        return $pool->run(static fn (): string => ini_get('memory_limit')) . ', ' . $pool->run(static fn (): string => $captured->n . ini_get('memory_limit'));
    } catch (Tusk\Exception $e) {
        return $e->getMessage();
    }
};
foreach (['64M', '-1'] as $limit) {
    echo $fix($limit) === 0 && @ini_set('memory_limit', '65M') === false ? "$limit is fixed\n" : "$limit is not fixed\n";
    foreach (['128M', '64M', '32M', '-1'] as $memory) {
        echo "  $memory: {$of($memory)}\n";
    }
}
?>
--EXPECT--
64M is fixed
  128M: 67108864, 167108864
  64M: 64M, 164M
  32M: 32M, 132M
  -1: 67108864, 167108864
-1 is fixed
  128M: 128M, 1128M
  64M: 64M, 164M
  32M: 32M, 132M
  -1: -1, 1-1
