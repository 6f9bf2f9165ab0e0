<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests\Support;

use PHPUnit\Framework\TestCase;
use Tusk\Chat\{Answer, Api, Chat, Database, InlineWriter, Input, Ledger, Refused, Session, Settings};

/** A chat over a database of its own, with a hand-cranked loop. */
abstract class ChatCase extends TestCase
{
    protected HandTurn $turn;
    protected Topics $topics;
    protected Database $database;
    protected Chat $chat;
    protected Api $api;
    protected string $folder;

    protected function setUp(): void
    {
        // Each test syncs a database of its own some dozen times: in memory, where that is possible.
        $this->folder = (is_writable('/dev/shm') ? '/dev/shm' : sys_get_temp_dir()) . '/tusk-chat-' . bin2hex(random_bytes(6));
        mkdir($this->folder, 0700);
        $this->turn = new HandTurn();
        $this->start();
    }

    protected function tearDown(): void
    {
        unset($this->chat, $this->api, $this->database);
        foreach (glob("{$this->folder}/*") ?: [] as $file) {
            unlink($file);
        }
        rmdir($this->folder);
    }

    /** A process begins; what only the memory of the last one knew is gone. */
    protected function start(?Settings $settings = null): void
    {
        $this->topics = new Topics();
        $this->database = new Database("{$this->folder}/chat.sqlite", $this->turn->now(...));
        $this->chat = new Chat(
            $settings ?? new Settings(rate: 0.0),
            $this->turn,
            $this->topics,
            $this->database,
            new InlineWriter(new Ledger($this->database)),
            str_repeat('k', 32),
        );
        $this->api = new Api($this->chat);
        $this->chat->start();
        $this->turn->run();
    }

    protected function login(string $name, string $password = '', string $address = '127.0.0.1'): Session
    {
        return $this->chat->door->enter($name, $password, $address);
    }

    protected function connect(Session $session, ?string $cursor = null): RecordingSink
    {
        $sink = new RecordingSink($this->topics);
        $this->chat->connect($session, $sink, $cursor);
        $this->turn->run();
        return $sink;
    }

    protected function disconnect(Session $session, RecordingSink $sink): void
    {
        $this->topics->drop($sink);
        $this->chat->disconnect($session, $sink);
        $this->turn->run();
    }

    protected function say(Session $from, string $to, string $text, ?string $nonce = null): int
    {
        return $this->chat->store->await($this->chat->send($from->user, $to, $text, $nonce))->id;
    }

    /**
     * @param array<string, string> $fields
     * @param array<string, string> $headers
     */
    protected function post(string $path, array $fields, ?Session $as = null, array $headers = []): Answer
    {
        return $this->route(new Input(
            'POST',
            $path,
            $headers + ['host' => 'chat.test', 'content-type' => 'application/x-www-form-urlencoded'],
            body: http_build_query($fields),
            cookie: $as === null ? null : $this->chat->tokens->cookie($as),
            address: '127.0.0.1',
        ));
    }

    /** @param array<string, string> $query */
    protected function get(string $path, array $query = [], ?Session $as = null): Answer
    {
        return $this->route(new Input(
            'GET',
            $path,
            ['host' => 'chat.test'],
            $query,
            cookie: $as === null ? null : $this->chat->tokens->cookie($as),
        ));
    }

    protected function route(Input $input): Answer
    {
        foreach (Api::ROUTES as [$method, $path, $command]) {
            if ($method === $input->method && $path === $input->path) {
                return $this->api->command($command, $input);
            }
        }
        return match ($input->path) {
            '/login' => $this->api->login($input),
            '/logout' => $this->api->logout($input),
            '/password' => $this->api->password($input),
            default => throw new \LogicException("No route {$input->path}"),
        };
    }

    /** @return array<string, mixed> */
    protected static function body(Answer $answer): array
    {
        /** @var array<string, mixed> */
        return json_decode($answer->body, true, 16, JSON_THROW_ON_ERROR);
    }

    protected static function assertRefused(int $status, string $reason, Answer $answer): void
    {
        $body = self::body($answer);
        self::assertSame([$status, $reason], [$answer->status, $body['error'] ?? null], $answer->body);
        self::assertIsString($body['message']);
        self::assertGreaterThan(10, strlen($body['message']), 'a person can read it');
    }

    /** @param \Closure(): mixed $what */
    protected static function assertThrows(int $status, string $reason, \Closure $what): void
    {
        try {
            $what();
        } catch (Refused $refused) {
            self::assertSame([$status, $reason], [$refused->status, $refused->reason], $refused->getMessage());
            return;
        }
        self::fail("Nothing was refused; $status $reason is expected.");
    }
}
