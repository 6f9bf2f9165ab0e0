<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use PHPUnit\Framework\TestCase;
use Tusk\Chat\Tests\Support\RunningServer;

/** The process that writes, as the running server has it: what becomes of everybody else when a disk is slow or that process is lost. */
final class WriterTest extends TestCase
{
    private RunningServer $server;
    private string $folder;

    protected function setUp(): void
    {
        if (!RunningServer::isPossible() || !is_readable('/proc/self/task/' . getmypid() . '/children')) {
            self::markTestSkipped('the extension tusk is not loaded, or the system does not list the children of a process');
        }
        $this->folder = sys_get_temp_dir() . '/tusk-chat-writer-' . bin2hex(random_bytes(6));
        mkdir($this->folder, 0700);
        $this->server = new RunningServer($this->folder);
        $this->server->start();
    }

    protected function tearDown(): void
    {
        if (!isset($this->server)) {
            return;
        }
        $this->server->stop(SIGKILL);
        array_map(unlink(...), glob("{$this->folder}/*") ?: []);
        @rmdir($this->folder);
    }

    public function test_while_a_commit_waits_everybody_else_is_served_and_it_is_answered_after_it(): void
    {
        $anna = $this->server->login('anna');
        $events = $this->server->events('/events', [$anna]);
        $events->nextOf('ready');
        $this->server->writer();
        $lock = $this->lock();
        $sends = [$this->begin($anna, 'one'), $this->begin($anna, 'two')];
        for ($i = 0; $i < 20; $i++) {
            self::assertSame(200, $this->server->ask('GET', '/me', [$anna])['status'], 'the loop turns');
        }
        self::assertSame(202, $this->server->post('/typing', ['to' => 'anna'], [$anna])['status']);
        self::assertSame('anna', $events->nextOf('typing')['to'], 'and what needs no disk goes through');
        foreach ($sends as $socket) {
            self::assertSame('', $this->peek($socket), 'nothing is answered before its commit');
        }
        $lock->exec('COMMIT');
        foreach ($sends as $socket) {
            self::assertStringContainsString(' 201 ', $this->answer($socket));
        }
        self::assertSame(['one', 'two'], [$events->nextText(), $events->nextText()]);
    }

    public function test_a_writer_that_is_lost_is_said_and_replaced_and_a_repeated_send_is_one_message(): void
    {
        $anna = $this->server->login('anna');
        $first = $this->server->writer();
        $lock = $this->lock();
        $send = $this->begin($anna, 'once');
        // Its answer proves that the send before it has reached the writer, or waits for it.
        self::assertSame(200, $this->server->ask('GET', '/me', [$anna])['status']);
        posix_kill($first, SIGKILL);
        self::assertStringContainsString(' 503 ', $this->answer($send));
        self::assertStringContainsString('the process that writes ended', $this->server->errors());
        $lock->exec('COMMIT');
        $again = $this->begin($anna, 'once');
        self::assertStringContainsString(' 201 ', $this->answer($again));
        self::assertNotSame($first, $this->server->writer());
        self::assertStringContainsString(' 201 ', $this->answer($this->begin($anna, 'once')));
        $page = $this->server->ask('GET', '/history', [$anna])['body'];
        self::assertSame(1, substr_count($page, '"text":"once"'));
    }

    public function test_a_writer_that_is_lost_while_it_has_nothing_to_do_costs_nobody_anything(): void
    {
        $anna = $this->server->login('anna');
        $first = $this->server->writer();
        posix_kill($first, SIGKILL);
        RunningServer::awaitEnd($first);
        self::assertStringContainsString(' 201 ', $this->answer($this->begin($anna, 'nothing happened')));
        self::assertNotSame($first, $this->server->writer());
        self::assertStringContainsString('another one takes its place', $this->server->errors());
    }

    public function test_a_database_that_is_removed_or_replaced_takes_nothing_and_goes_on_when_it_is_back(): void
    {
        $anna = $this->server->login('anna');
        self::assertStringContainsString(' 201 ', $this->answer($this->begin($anna, 'before')));
        $file = "{$this->folder}/chat.sqlite";
        rename($file, "{$this->folder}/elsewhere");
        self::assertStringContainsString(' 503 ', $this->answer($this->begin($anna, 'to nowhere')));
        self::assertStringContainsString("$file was removed", $this->server->errors());
        $writer = $this->server->writer();
        posix_kill($writer, SIGKILL); // its successor makes no new file
        RunningServer::awaitEnd($writer);
        self::assertStringContainsString(' 503 ', $this->answer($this->begin($anna, 'to nowhere')));
        self::assertFileDoesNotExist($file);
        copy("{$this->folder}/elsewhere", $file);
        self::assertStringContainsString(' 503 ', $this->answer($this->begin($anna, 'to another file')));
        rename("{$this->folder}/elsewhere", $file);
        self::assertStringContainsString(' 201 ', $this->answer($this->begin($anna, 'to nowhere')));
        $page = $this->server->ask('GET', '/history', [$anna])['body'];
        self::assertSame([1, 1, 0], array_map(static fn (string $text): int => substr_count($page, "\"text\":\"$text\""), ['before', 'to nowhere', 'to another file']));
    }

    public function test_signals_to_the_whole_group_leave_it_at_work_and_it_ends_with_the_server(): void
    {
        $anna = $this->server->login('anna');
        $writer = $this->server->writer();
        foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
            posix_kill($writer, $signal);
        }
        self::assertStringContainsString(' 201 ', $this->answer($this->begin($anna, 'still there')));
        self::assertSame($writer, $this->server->writer());
        self::assertSame('', $this->server->errors());

        $lock = $this->lock();
        $send = $this->begin($anna, 'on the way out');
        self::assertSame(200, $this->server->ask('GET', '/me', [$anna])['status']);
        $lock->exec('COMMIT');
        self::assertSame(0, $this->server->stop());
        self::assertStringContainsString(' 201 ', $this->answer($send));
        $this->assertGone($writer);
    }

    public function test_it_ends_when_the_server_is_killed(): void
    {
        $writer = $this->server->writer();
        $this->server->stop(SIGKILL);
        $this->assertGone($writer);
    }

    private function assertGone(int $process): void
    {
        RunningServer::awaitEnd($process);
        $this->addToAssertionCount(1);
    }

    /** As somebody with the SQLite shell might. */
    private function lock(): \PDO
    {
        $lock = new \PDO("sqlite:{$this->folder}/chat.sqlite");
        $lock->exec('PRAGMA busy_timeout = 5000');
        $lock->exec('BEGIN IMMEDIATE');
        return $lock;
    }

    /** @return resource */
    private function begin(string $as, string $text)
    {
        $body = http_build_query(['to' => 'all', 'text' => $text, 'nonce' => md5($text)]);
        $socket = $this->server->connect();
        fwrite($socket, RunningServer::head('POST', '/messages', $this->server->port, [
            $as, 'Content-Type: application/x-www-form-urlencoded', 'Connection: close', 'Content-Length: ' . strlen($body),
        ]) . $body);
        return $socket;
    }

    /** @param resource $socket */
    private function peek($socket): string
    {
        stream_set_blocking($socket, false);
        $read = (string) fread($socket, 4096);
        stream_set_blocking($socket, true);
        return $read;
    }

    /** @param resource $socket */
    private function answer($socket): string
    {
        stream_set_timeout($socket, 15);
        return (string) stream_get_contents($socket);
    }
}
