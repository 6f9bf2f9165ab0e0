--TEST--
phpinfo() tells version, pollers and libraries
--FILE--
<?php
(new ReflectionExtension('tusk'))->info();
?>
--EXPECTF--

tusk

Tusk => %d.%d.%s
Pollers => %s
TLS => %s
permessage-deflate (zlib) => %s
sockmap (libbpf) => %s
io_uring (liburing) => %s

Directive => Local Value => Master Value
tusk.io_uring => On => On
