<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use Tusk\Chat\{RateLimit, Refused, Sessions, Store};
use Tusk\Chat\Tests\Support\{ChatCase, HandTurn};

final class StoreTest extends ChatCase
{
    public function test_a_write_that_fails_undoes_itself_and_no_other(): void
    {
        $store = $this->chat->store;
        $insert = static fn (string $name): \Closure => static function () use ($store, $name): null {
            $store->change('INSERT INTO users (name, folded, created_at) VALUES (?, ?, 0)', [$name, $name]);
            return $name === 'bad' ? throw Refused::notMember('x') : null;
        };
        [$one, $bad, $two] = [$store->write($insert('one')), $store->write($insert('bad')), $store->write($insert('two'))];
        $this->turn->run();
        self::assertSame([false, true, false], [$one->hasFailed(), $bad->hasFailed(), $two->hasFailed()]);
        self::assertThrows(403, 'not-member', $bad->value(...));
        self::assertSame(['one', 'two'], array_column($store->rows('SELECT name FROM users ORDER BY name'), 'name'));
    }

    public function test_a_commit_that_fails_is_answered_as_not_stored(): void
    {
        $store = $this->chat->store;
        $log = (string) ini_set('error_log', '/dev/null');
        try {
            // A deferred constraint is checked by COMMIT: everything of the turn is undone.
            $fine = $store->write(static fn (): int => $store->change("INSERT INTO users (name, folded, created_at) VALUES ('a', 'a', 0)"));
            $store->write(static function () use ($store): int {
                $store->change('PRAGMA defer_foreign_keys = ON');
                return $store->change("INSERT INTO sessions (id, user, expires_at) VALUES ('x', 12345, 0)");
            });
            $seen = null;
            $fine->then(function (?\Throwable $error) use (&$seen): void {
                $seen = $error;
            });
            $this->turn->run();
        } finally {
            ini_set('error_log', $log);
        }
        self::assertThrows(503, 'not-stored', $fine->value(...));
        self::assertInstanceOf(Refused::class, $seen);
        self::assertSame(0, $store->number('SELECT count(*) FROM users'));
        self::assertSame(1, $store->await($store->write(static fn (): int => 1)), 'the next turn works');
    }

    public function test_durability_is_what_was_promised(): void
    {
        self::assertSame('wal', $this->chat->store->row('PRAGMA journal_mode')['journal_mode'] ?? null);
        self::assertSame(2, $this->chat->store->number('PRAGMA synchronous'), 'FULL');
    }

    public function test_a_database_that_cannot_be_used_is_named(): void
    {
        $this->expectException(\RuntimeException::class);
        $this->expectExceptionMessageMatches('~/nowhere/chat\.sqlite~');
        new Store('/nowhere/chat.sqlite', $this->turn);
    }

    public function test_the_session_key_is_made_once_and_is_its_owners_alone(): void
    {
        $key = Sessions::keyIn($this->folder);
        self::assertSame($key, Sessions::keyIn($this->folder));
        self::assertSame(32, strlen($key));
        self::assertSame(0600, fileperms("{$this->folder}/session.key") & 0777);
        file_put_contents("{$this->folder}/session.key", 'short');
        $this->expectException(\RuntimeException::class);
        Sessions::keyIn($this->folder);
    }

    public function test_a_bucket_fills_with_time_and_memory_is_bounded(): void
    {
        $turn = new HandTurn();
        $limit = new RateLimit(10.0, 3.0, $turn);
        for ($i = 0; $i < 3; $i++) {
            $limit->take('a');
        }
        self::assertThrows(429, 'too-fast', static fn () => $limit->take('a'));
        $turn->pass(0.1);
        $limit->take('a');
        self::assertThrows(429, 'too-fast', static fn () => $limit->take('a'));
        for ($i = 0; $i < 30_000; $i++) {
            $limit->take("k$i");
        }
        self::assertLessThanOrEqual(10_001, $limit->keys());
    }
}
