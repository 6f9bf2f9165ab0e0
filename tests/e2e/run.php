<?php

declare(strict_types=1);

// Faults, TLS and proxies, seen from outside: php tests/e2e/run.php [PART-OF-A-NAME]

namespace Tusk\E2e;

require __DIR__ . '/lib.php';
require_once __DIR__ . '/../ports.php';
foreach (['Daemon', 'MariaDb', 'Postgres'] as $server) {
    require dirname(__DIR__, 2) . "/php/tests/Servers/$server.php";
}

if (in_array('--help', $argv, true)) {
    echo "usage: php tests/e2e/run.php [PART-OF-A-NAME]\nNeeds build/ext/modules/tusk.so (make ext). Ends with \"N passed, N failed, N skipped\".\n";
    exit(0);
}
register_shutdown_function(static function (): void {
    foreach (glob(folder() . '/{*/*,*}', GLOB_BRACE) ?: [] as $file) {
        is_dir($file) ? @rmdir($file) : @unlink($file);
    }
    @rmdir(folder());
});
$suite = new Suite();
foreach (glob(__DIR__ . '/cases/*.php') ?: [] as $file) {
    (require $file)($suite);
}
exit($suite->run($argv[1] ?? ''));
