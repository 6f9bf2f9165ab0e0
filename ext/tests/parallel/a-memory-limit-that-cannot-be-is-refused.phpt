--TEST--
memory: of a pool is a limit as memory_limit is written, and what a template holds fits into it; a bootstrap that exceeds it says so
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') { die('skip no memory limit without the Zend allocator'); } ?>
--INI--
display_errors=0
log_errors=0
--FILE--
<?php
use Tusk\Parallel\Pool;

foreach (['lots', '', '0', '1.5M', '12 M', '-2', 'M', '0x10', '8589934592G', '17179869184G', '999999999999999999M'] as $memory) {
    try {
        new Pool(workers: 1, memory: $memory);
        echo "$memory was taken\n";
    } catch (ValueError $e) {
        echo json_encode($memory), ' ', $e->getMessage(), "\n";
    }
}
foreach (['-1', '64M', '64m', '1G', '268435456', '8589934591G'] as $memory) {
    echo json_encode((new Pool(workers: 1, memory: $memory))->run('ini_get', 'memory_limit')), "\n";
}
$little = new Pool(workers: 1, memory: '1K');
$much = new Pool(workers: 1, memory: '32M', bootstrap: function () { str_repeat('x', 100000000); });
foreach ([$little, $much] as $pool) {
    try {
        $pool->run('phpversion');
    } catch (Tusk\Parallel\BootstrapFailed $e) {
        echo $e->getMessage(), "\n";
    }
}
?>
--EXPECTF--
"lots" Tusk\Parallel\Pool::__construct(): Argument #5 ($memory) must be a limit like "128M", or "-1" for none
"" Tusk\Parallel\Pool::__construct(): Argument #5 ($memory) must be a limit like "128M", or "-1" for none
"0" Tusk\Parallel\Pool::__construct(): Argument #5 ($memory) must be a limit like "128M", or "-1" for none
"1.5M" Tusk\Parallel\Pool::__construct(): Argument #5 ($memory) must be a limit like "128M", or "-1" for none
"12 M" Tusk\Parallel\Pool::__construct(): Argument #5 ($memory) must be a limit like "128M", or "-1" for none
"-2" Tusk\Parallel\Pool::__construct(): Argument #5 ($memory) must be a limit like "128M", or "-1" for none
"M" Tusk\Parallel\Pool::__construct(): Argument #5 ($memory) must be a limit like "128M", or "-1" for none
"0x10" Tusk\Parallel\Pool::__construct(): Argument #5 ($memory) must be a limit like "128M", or "-1" for none
"8589934592G" Tusk\Parallel\Pool::__construct(): Argument #5 ($memory) must be a limit like "128M", or "-1" for none
"17179869184G" Tusk\Parallel\Pool::__construct(): Argument #5 ($memory) must be a limit like "128M", or "-1" for none
"999999999999999999M" Tusk\Parallel\Pool::__construct(): Argument #5 ($memory) must be a limit like "128M", or "-1" for none
"-1"
"64M"
"64m"
"1G"
"268435456"
"8589934591G"
The bootstrap failed: memory: 1K is less than this process holds
The bootstrap failed: Allowed memory size of 33554432 bytes exhausted%s
