--TEST--
Xdebug counts the lines of handlers, also behind a wait, and of tasks of Sync; those of a pool's worker are the worker's
--EXTENSIONS--
tusk
xdebug
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip Xdebug leaks by itself under valgrind');
--INI--
opcache.jit_buffer_size=0
xdebug.mode=coverage
--FILE--
<?php
xdebug_start_code_coverage(XDEBUG_CC_UNUSED | XDEBUG_CC_DEAD_CODE);
require __DIR__ . '/coverage.inc';
told(fn (): array => xdebug_get_code_coverage()[__DIR__ . '/coverage.inc']);
?>
--EXPECT--
/typed, said hello
4, 6
as told
as told
as told
as told
as told
