<?php

// SPDX-License-Identifier: MIT
// PHP under valgrind, started once for many tests by tools/valgrind: to translate PHP's own start takes longer than most tests. It reads
// "PID FILE" from the pipe DIR/job; a child of its own then runs that file in the global scope, with the output of the process PID, and ends as PHP
// ends, with all that valgrind looks at then. The child's status goes to the pipe DIR/done.
declare(strict_types=1);

require (static function (string $dir): string {
    $libc = FFI::cdef('int open(const char *path, int flags, ...); int dup2(int from, int to); int close(int fd);');
    do {
        [$client, $test] = explode(' ', trim((string) file_get_contents("$dir/job")), 2);
        $child = pcntl_fork();
        if ($child > 0) {
            pcntl_waitpid($child, $status);
            file_put_contents("$dir/done", (pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 128 + pcntl_wtermsig($status)) . "\n");
        }
    } while ($child !== 0);
    foreach (['/dev/null' => [0, 0], "/proc/$client/fd/1" => [1, 1]] as $name => [$flags, $number]) {
        $fd = $libc->open($name, $flags);
        if ($fd < 0 || $libc->dup2($fd, $number) < 0) {
            exit(125);
        }
        $libc->close($fd);
    }
    $libc->dup2(1, 2);
    $_SERVER['argv'] = [$test];
    foreach (['SCRIPT_FILENAME', 'SCRIPT_NAME', 'PHP_SELF', 'PATH_TRANSLATED'] as $key) {
        $_SERVER[$key] = $test;
    }

    return $test;
})($argv[1]);
