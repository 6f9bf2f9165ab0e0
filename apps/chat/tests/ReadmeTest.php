<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use PHPUnit\Framework\TestCase;
use Tusk\Chat\Tests\Support\RunningServer;

/** The commands that the README prints are run as printed, but for the port. */
final class ReadmeTest extends TestCase
{
    public function test_the_commands_for_scripts_work_as_printed(): void
    {
        $this->check([], false);
    }

    public function test_the_commands_of_open_mode_work_as_printed(): void
    {
        $this->check(['--open'], true);
    }

    /** @param list<string> $options */
    private function check(array $options, bool $isOpen): void
    {
        if (!RunningServer::isPossible() || trim((string) shell_exec('command -v curl timeout')) === '') {
            self::markTestSkipped('the extension tusk or curl is not there');
        }
        $folder = sys_get_temp_dir() . '/tusk-chat-readme-' . bin2hex(random_bytes(6));
        mkdir($folder, 0700);
        $server = new RunningServer($folder, $options);
        try {
            $server->start();
            $readme = (string) file_get_contents(dirname(__DIR__) . '/README.md');
            preg_match_all('/^```sh([^\n]*)\n(.*?)^```/ms', $readme, $blocks, PREG_SET_ORDER);
            $blocks = array_filter($blocks, static fn (array $block): bool
                => str_contains($block[2], 'curl') && str_contains($block[1], 'open') === $isOpen);
            self::assertNotEmpty($blocks);
            foreach ($blocks as [, $marks, $commands]) {
                $isStream = str_contains($marks, 'stream');
                $commands = str_replace('127.0.0.1:8080', "127.0.0.1:{$server->port}", $commands);
                file_put_contents("$folder/script", $commands);
                exec('timeout ' . ($isStream ? '4' : '20') . ' bash -eo pipefail ' . escapeshellarg("$folder/script") . ' 2>&1', $lines, $code);
                $output = implode("\n", $lines);
                self::assertSame($isStream ? 124 : 0, $code, "$commands\n$output");
                if ($isStream) {
                    self::assertStringContainsString('"type":"ready"', $output);
                }
                $lines = [];
            }
        } finally {
            $server->stop(SIGKILL);
            array_map(unlink(...), glob("$folder/*") ?: []);
            rmdir($folder);
        }
    }
}
