--TEST--
pcov counts the lines of handlers, also behind a wait, and of tasks of Sync; those of a pool's worker are the worker's
--EXTENSIONS--
tusk
pcov
--INI--
opcache.jit_buffer_size=0
pcov.enabled=1
pcov.directory=/
--FILE--
<?php
\pcov\start();
require __DIR__ . '/coverage.inc';
told(function (): array {
    \pcov\stop();
    return \pcov\collect(\pcov\inclusive, [__DIR__ . '/coverage.inc'])[__DIR__ . '/coverage.inc'];
});
?>
--EXPECT--
/typed, said hello
4, 6
as told
as told
as told
as told
as told
