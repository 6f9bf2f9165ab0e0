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
                $commands = str_replace('127.0.0.1:8080', "127.0.0.1:{$server->port}", $commands);
                file_put_contents("$folder/script", $commands);
                if (str_contains($marks, 'stream')) {
                    $this->checkStream($folder, $commands);
                    continue;
                }
                exec('timeout 60 bash -eo pipefail ' . escapeshellarg("$folder/script") . ' 2>&1', $lines, $code);
                self::assertSame(0, $code, "$commands\n" . implode("\n", $lines));
                $lines = [];
            }
        } finally {
            $server->stop(SIGKILL);
            array_map(unlink(...), glob("$folder/*") ?: []);
            rmdir($folder);
        }
    }

    /** A command that listens goes on until it is stopped. */
    private function checkStream(string $folder, string $commands): void
    {
        // timeout passes the signal on to what it runs.
        $process = proc_open(['timeout', '60', 'bash', '-eo', 'pipefail', "$folder/script"], [['file', '/dev/null', 'r'], ['file', "$folder/stream", 'w'], ['file', "$folder/stream-err", 'w']], $pipes);
        self::assertNotFalse($process);
        try {
            $output = RunningServer::until(
                static fn (): string => (string) file_get_contents("$folder/stream"),
                static fn (string $output): bool => str_contains($output, '"type":"ready"'),
                static fn (): string => "$commands\n" . file_get_contents("$folder/stream-err"),
            );
            self::assertStringContainsString('data: ', $output);
            self::assertTrue(proc_get_status($process)['running'], 'and goes on');
        } finally {
            proc_terminate($process);
            proc_close($process);
        }
    }
}
