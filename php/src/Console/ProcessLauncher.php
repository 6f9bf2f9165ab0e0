<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\ExitCode;

final readonly class ProcessLauncher implements Launcher
{
    /** @param string|null $module the extension's file, when it is not in php.ini */
    public function __construct(private ?string $module) {}

    /** The module that bin/tusk started PHP with, found again in PHP's own command line. */
    public static function here(): self
    {
        $line = @is_readable('/proc/self/cmdline') ? (string) file_get_contents('/proc/self/cmdline') : ''; // open_basedir
        $module = preg_match('~\0-d\0extension=([^\0]*tusk[^\0]*)\0~', $line, $m) === 1 ? $m[1] : null;
        $built = dirname(__DIR__, 3) . '/build/ext/modules/tusk.so';
        if ($module === null && $line === '' && is_file($built)) {
            $module = $built;
        }

        return new self($module);
    }

    /**
     * The program finds Tusk's classes also where it brings no Composer along. What php.ini begins with goes on.
     *
     * @return list<string>
     */
    private static function library(): array
    {
        return ini_get('auto_prepend_file') ? [] : ['-d', 'auto_prepend_file=' . dirname(__DIR__, 2) . '/launched.php'];
    }

    public function launch(string $file, array $arguments): int
    {
        $command = [...($this->module === null ? [] : ['-d', "extension={$this->module}"]), ...self::library(), $file, ...$arguments];
        if (function_exists('pcntl_exec')) {
            pcntl_exec(PHP_BINARY, $command);
        }
        if (!function_exists('proc_open')) {
            fwrite(STDERR, "tusk: PHP may not be started again (disable_functions, or no pcntl): php $file runs it where php.ini loads the extension\n");

            return ExitCode::OurFault->value;
        }
        $child = proc_open([PHP_BINARY, ...$command], [STDIN, STDOUT, STDERR], $pipes);

        return is_resource($child) ? proc_close($child) : ExitCode::OurFault->value;
    }
}
