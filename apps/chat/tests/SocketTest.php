<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Chat\{Input, Settings, Socket};
use Tusk\Chat\Tests\Support\ChatCase;

final class SocketTest extends ChatCase
{
    public function test_a_command_is_answered_after_its_commit_with_its_ref(): void
    {
        $anna = $this->login('anna');
        $sink = $this->connect($anna);
        $socket = new Socket($this->chat);
        $socket->receive($anna, $sink, '{"do":"send","ref":7,"to":"all","text":"hi","nonce":"n1"}');
        $socket->receive($anna, $sink, '{"do":"online","ref":"b"}');
        self::assertSame([['type' => 'reply', 'ref' => 'b', 'status' => 200, 'result' => ['online' => ['anna'], 'count' => 1]]], $sink->of('reply'));

        $this->turn->run();

        $reply = $sink->of('reply')[1];
        self::assertSame([7, 201], [$reply['ref'], $reply['status']]);
        self::assertSame('n1', is_array($reply['result']) ? $reply['result']['nonce'] : null);
        self::assertSame(['hi'], $sink->texts());
    }

    /** @return iterable<string, array{string, int, string}> */
    public static function bad(): iterable
    {
        yield 'no JSON' => ['hello', 400, 'malformed'];
        yield 'no object' => ['"send"', 400, 'malformed'];
        yield 'no command' => ['{}', 422, 'missing-field'];
        yield 'unknown command' => ['{"do":"drop"}', 400, 'malformed'];
        yield 'no recipient' => ['{"do":"send","text":"x"}', 422, 'missing-field'];
        yield 'unknown user' => ['{"do":"send","to":"nobody","text":"x"}', 404, 'unknown-user'];
        yield 'numbers for names' => ['{"do":"send","to":{"a":1},"text":"x"}', 400, 'malformed'];
        yield 'over-long' => ['{"do":"send","to":"all","text":"' . str_repeat('x', 4001) . '"}', 422, 'too-long'];
        yield 'huge' => ['{"do":"send","to":"all","text":"' . str_repeat('x', 70_000) . '"}', 413, 'too-large'];
    }

    #[DataProvider('bad')]
    public function test_a_bad_command_has_an_answer(string $data, int $status, string $reason): void
    {
        $anna = $this->login('anna');
        $sink = $this->connect($anna);
        (new Socket($this->chat))->receive($anna, $sink, $data);
        $reply = $sink->of('reply')[0];
        self::assertSame([$status, $reason], [$reply['status'], $reply['error']]);
        self::assertSame([], $sink->texts());
    }

    public function test_looking_around_has_a_rate_too(): void
    {
        $this->start(new Settings(rate: 5.0));
        $anna = $this->login('anna');
        $sink = $this->connect($anna);
        $socket = new Socket($this->chat);
        foreach (['rooms', 'online', 'me'] as $command) {
            for ($i = 0; $i < 100; $i++) {
                $socket->receive($anna, $sink, '{"do":"' . $command . '"}');
            }
        }
        $statuses = array_column($sink->of('reply'), 'status');
        self::assertCount(200, array_keys($statuses, 200, true));
        self::assertCount(100, array_keys($statuses, 429, true));
    }

    public function test_a_flood_of_one_address_is_refused_before_it_is_read(): void
    {
        $this->start(new Settings(rate: 5.0));
        $anna = $this->login('anna');
        $sink = $this->connect($anna);
        $socket = new Socket($this->chat);
        for ($i = 0; $i < 2001; $i++) {
            $socket->receive($anna, $sink, '{');
        }
        $statuses = array_column($sink->of('reply'), 'status');
        self::assertCount(2000, array_keys($statuses, 400, true), 'each was read, and is no JSON');
        self::assertSame(429, $statuses[2000]);
        $post = fn (string $address): int => $this->route(new Input('POST', '/login', ['content-type' => 'application/json'], body: '{', address: $address))->status;
        self::assertSame([429, 400], [$post('127.0.0.1'), $post('192.0.2.7')], 'over HTTP as well, and nobody else');
        $this->turn->pass(1);
        self::assertSame(400, $post('127.0.0.1'));
    }

    public function test_rooms_are_not_made_by_the_hundred(): void
    {
        $this->start(new Settings(rate: 5.0));
        $anna = $this->login('anna');
        $sink = $this->connect($anna);
        $socket = new Socket($this->chat);
        for ($i = 0; $i < 40; $i++) {
            $socket->receive($anna, $sink, '{"do":"join","room":"r' . $i . '"}');
            $this->turn->run();
            $socket->receive($anna, $sink, '{"do":"leave","room":"r' . $i . '"}');
            $this->turn->run();
        }
        self::assertCount(20, $this->chat->rooms->list());
        $socket->receive($anna, $sink, '{"do":"join","ref":"again","room":"r1"}');
        $this->turn->run();
        $replies = array_column(array_filter($sink->of('reply'), fn (array $reply): bool => isset($reply['ref'])), 'status', 'ref');
        self::assertSame(200, $replies['again'], 'a room that is there may be joined');
    }
}
