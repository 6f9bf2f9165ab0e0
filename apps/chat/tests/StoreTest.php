<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use Tusk\Chat\{Database, Ledger, RateLimit, Refused, Sessions, Tokens};
use Tusk\Chat\Tests\Support\{ChatCase, HandTurn};

final class StoreTest extends ChatCase
{
    public function test_a_write_that_fails_undoes_itself_and_no_other(): void
    {
        $insert = fn (string $name): \Closure => function () use ($name): null {
            $this->database->change('INSERT INTO users (name, folded, created_at) VALUES (?, ?, 0)', [$name, $name]);
            return $name === 'bad' ? throw Refused::notMember('x') : null;
        };
        [$one, $bad, $two] = $this->database->commit([$insert('one'), $insert('bad'), $insert('two')]);
        self::assertSame([null, 'not-member', null], [$one->error()?->reason, $bad->error()?->reason, $two->error()?->reason]);
        self::assertSame(['one', 'two'], array_column($this->database->rows('SELECT name FROM users ORDER BY name'), 'name'));
    }

    public function test_a_commit_that_fails_is_answered_as_not_stored(): void
    {
        $log = (string) ini_set('error_log', '/dev/null');
        try {
            // A deferred constraint is checked by COMMIT: everything of the turn is undone.
            [$fine] = $this->database->commit([
                fn (): int => $this->database->change("INSERT INTO users (name, folded, created_at) VALUES ('a', 'a', 0)"),
                function (): int {
                    $this->database->change('PRAGMA defer_foreign_keys = ON');
                    return $this->database->change("INSERT INTO sessions (id, user, expires_at) VALUES ('x', 12345, 0)");
                },
            ]);
        } finally {
            ini_set('error_log', $log);
        }
        self::assertSame([503, 'not-stored'], [$fine->error()?->status, $fine->error()?->reason]);
        self::assertSame(0, $this->database->number('SELECT count(*) FROM users'));
        self::assertSame([1], array_column($this->database->commit([static fn (): int => 1]), 'value'), 'the next one works');
    }

    public function test_durability_is_what_was_promised(): void
    {
        self::assertSame('wal', $this->database->row('PRAGMA journal_mode')['journal_mode'] ?? null);
        self::assertSame(2, $this->database->number('PRAGMA synchronous'), 'FULL');
    }

    public function test_a_database_that_cannot_be_used_is_named(): void
    {
        $this->expectException(\RuntimeException::class);
        $this->expectExceptionMessageMatches('~/nowhere/chat\.sqlite~');
        new Database('/nowhere/chat.sqlite', $this->turn->now(...));
    }

    public function test_a_database_of_the_first_version_is_brought_up_to_date_and_keeps_what_it_has(): void
    {
        $file = "{$this->folder}/old.sqlite";
        $old = new \PDO("sqlite:$file");
        $old->exec('CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, folded TEXT NOT NULL UNIQUE,'
            . ' password TEXT, present INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL)');
        $old->exec('CREATE TABLE sessions (id TEXT PRIMARY KEY, user INTEGER NOT NULL REFERENCES users (id), expires_at INTEGER NOT NULL) WITHOUT ROWID');
        $old->exec("INSERT INTO users (name, folded, created_at) VALUES ('Anna', 'anna', 0)");
        $old->exec("INSERT INTO sessions VALUES ('of-then', 1, 9999999999)");
        unset($old);
        $ledger = new Ledger(new Database($file, $this->turn->now(...)));
        $anna = $ledger->users->named('anna');
        self::assertSame(['of-then'], array_keys($ledger->sessions->of($anna)));
        $ledger->sessions->open($anna, '192.0.2.1');
        self::assertSame('of-then', array_key_first($ledger->sessions->of($anna)), 'and is the older one');
        new Database($file, $this->turn->now(...));
    }

    public function test_a_user_has_so_many_sessions_and_no_more(): void
    {
        $anna = $this->login('anna');
        $sessions = (new Ledger($this->database))->sessions;
        $this->database->commit([static function () use ($sessions, $anna): void {
            for ($i = 0; $i < Sessions::PER_USER; $i++) {
                $sessions->open($anna->user, '192.0.2.1');
            }
        }]);
        self::assertCount(Sessions::PER_USER, $sessions->of($anna->user));
        self::assertArrayNotHasKey($anna->id, $sessions->of($anna->user), 'the oldest went');
    }

    public function test_the_session_key_is_made_once_and_is_its_owners_alone(): void
    {
        $key = Tokens::keyIn($this->folder);
        self::assertSame($key, Tokens::keyIn($this->folder));
        self::assertSame(32, strlen($key));
        self::assertSame(0600, fileperms("{$this->folder}/session.key") & 0777);
        file_put_contents("{$this->folder}/session.key", 'short');
        $this->expectException(\RuntimeException::class);
        Tokens::keyIn($this->folder);
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

    public function test_a_crowd_of_addresses_has_all_buckets_looked_at_now_and_then_only(): void
    {
        $turn = new HandTurn();
        $limit = new RateLimit(10.0, 3.0, $turn);
        $looks = 0;
        for ($i = 0; $i < 40_000; $i++) {
            $turn->pass($i % 33 === 0 ? 0.001 : 0.0); // ten thousand are in use at any time
            $before = $limit->keys();
            $limit->take("k$i");
            $looks += $limit->keys() <= $before ? 1 : 0;
        }
        self::assertLessThan(20, $looks);
    }

    /** Else who guesses a password would fill the table, and have a full bucket again. */
    public function test_a_bucket_that_is_asked_for_again_and_again_outlives_a_full_table(): void
    {
        $turn = new HandTurn();
        $limit = new RateLimit(0.2, 6.0, $turn);
        $guess = static function () use ($limit): bool {
            try {
                $limit->take('name 1');
                return true;
            } catch (Refused) {
                return false;
            }
        };
        self::assertSame(6, count(array_filter(array_map($guess, range(1, 10)))));
        for ($i = 0; $i < 10_001; $i++) {
            $limit->take("from $i");
            self::assertTrue($i % 1000 !== 0 || !$guess(), "guessed again, with $i others");
        }
        self::assertFalse($guess());
    }
}
