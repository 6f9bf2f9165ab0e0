<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Console\Doctor\ExtensionInfo;
use Tusk\Terminal\ExitCode;

/** What `tusk`, `tusk help` and `tusk --help` show: the verbs, on one screen. */
final readonly class Overview
{
    private const VERBS = [
        'serve FILE' => 'serve',
        'chat' => 'chat',
        'proxy FILE|KIND' => 'proxy',
        'bench MODE URL' => 'bench',
        'top ADDRESS' => 'top',
        'doctor' => 'doctor',
        'tune' => 'tune',
    ];

    public function __construct(private Application $application, private ExtensionInfo $extension) {}

    public function screen(): string
    {
        $verbs = '';
        foreach (self::VERBS as $typed => $name) {
            $verbs .= sprintf("  %-17s %s\n", $typed, $this->application->get($name)->getDescription());
        }
        $missing = $this->extension->version === null ? "\nThe extension is not loaded: `tusk doctor` says how to get it.\n" : '';

        return "usage: tusk VERB [options]    Tusk {$this->application->getVersion()}, realtime servers, proxies and load tests in PHP\n\n"
            . "$verbs$missing\n"
            . "  tusk serve examples/echo.php 9001\n"
            . "  tusk bench ws-echo ws://127.0.0.1:9001/ -c 100 -d 10s\n"
            . "  tusk proxy tcp --listen 127.0.0.1:5432 --to 10.0.0.7:5432\n\n"
            . "Each verb has --help, `tusk bench` its modes, `tusk list` all of them; `tusk --version` tells what the\n"
            . "extension was built with, `tusk completion bash` makes the shell complete words. Every verb takes -q,\n"
            . "-v and --no-ansi.\n\n"
            . ExitCode::help(array_column(array_map(static fn (ExitCode $one): array => [$one->value, $one->meaning()], ExitCode::cases()), 1, 0));
    }
}
