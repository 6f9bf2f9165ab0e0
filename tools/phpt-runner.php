<?php

// SPDX-License-Identifier: MIT
// `php phpt-runner.php FROM TO`: PHP's run-tests.php as tools/run-phpt wants it.
declare(strict_types=1);

[, $from, $to] = $argv;
$functions = <<<'PHP'

    /** A test whose time is over leaves nothing behind: neither PHP, which a shell has started for the runner, nor the servers that it forked. */
    function tusk_end($proc, string $mark): void
    {
        for ($tries = 0; $tries < 50; $tries++, usleep(20000)) {
            $pids = [];
            foreach (glob('/proc/[0-9]*/environ') ?: [] as $file) {
                if (str_contains((string) @file_get_contents($file), "TUSK_PHPT=$mark\0")) {
                    $pids[] = basename(dirname($file));
                }
            }
            if ($pids === []) {
                break;
            }
            shell_exec('kill -KILL ' . implode(' ', $pids) . ' 2>/dev/null');
        }
        proc_terminate($proc, 9);
    }
    PHP;
$changes = [
    // A worker gets few tests at a time, so that none is left alone with many, and is waited for, so that its processor seconds count.
    '~(\$valgrind \? 1 : )(?:\(\$shuffle \? 4 : 32\)|4)~' => '${1}4',
    '~^( *)proc_terminate\((\$workerProcs\[\$i\])\);~m' => '$0 proc_close($2);',
    // What a test starts carries a mark.
    '~^( *)\$proc = proc_open\(\$command(?:line)?, ~m' => '$1$bin_env[\'TUSK_PHPT\'] = $mark = getmypid() . \'.\' . hrtime(true);' . "\n" . '$0',
    '~^( *)proc_terminate\(\$proc, 9\);~m' => '$1tusk_end($proc, $mark);',
    // It looks at both outputs and reads one: when PHP has ended, the end of the other would have it read for as long as a server of the test has the one.
    '~\$r = \$pipes;~' => '$r = array_slice($pipes, 0, 1);',
    // Its limit is one of silence, and such a server may write for ever.
    '~^( *)\$n = @stream_select\(\$r, \$w, \$e, \$timeout\);~m' => '$1$until ??= hrtime(true) + 5_000_000_000 * $timeout;
$0
$1$n = hrtime(true) > $until ? 0 : $n;',
];
$code = (string) file_get_contents($from);
foreach ($changes as $pattern => $change) {
    $code = preg_replace($pattern, $change, $code, -1, $count);
    if ($count !== 1) {
        fwrite(STDERR, "phpt-runner: $from has another form: $pattern\n");
        exit(1);
    }
}
file_put_contents($to, $code . $functions);
