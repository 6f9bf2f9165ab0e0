<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use Tusk\Chat\Messages;
use Tusk\Chat\Tests\Support\ChatCase;

final class MessagesTest extends ChatCase
{
    public function test_a_message_to_all_reaches_everybody_and_the_senders_own_tabs_once(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        [$tab, $other, $phone] = [$this->connect($anna), $this->connect($anna), $this->connect($ben)];

        $id = $this->say($anna, 'all', 'hello');

        foreach ([$tab, $other, $phone] as $sink) {
            self::assertSame(['hello'], $sink->texts());
            self::assertSame((string) $id, $sink->cursor);
        }
    }

    public function test_a_message_to_one_user_reaches_the_two_and_nobody_else(): void
    {
        [$anna, $ben, $eve] = [$this->login('anna'), $this->login('ben'), $this->login('eve')];
        [$a, $b, $e] = [$this->connect($anna), $this->connect($ben), $this->connect($eve)];

        $this->say($anna, 'BEN', 'psst');

        self::assertSame(['psst'], $a->texts());
        self::assertSame(['psst'], $b->texts());
        self::assertSame([], $e->texts());
        self::assertThrows(404, 'unknown-user', fn () => $this->say($anna, 'nobody', 'x'));
        self::assertSame([], $this->chat->history($eve->user, 'anna', null, 50)['messages']);
    }

    public function test_a_message_to_oneself_comes_once(): void
    {
        $anna = $this->login('anna');
        $sink = $this->connect($anna);
        $this->say($anna, 'anna', 'note');
        self::assertSame(['note'], $sink->texts());
    }

    public function test_who_goes_or_comes_between_a_send_and_its_commit_has_the_message_once(): void
    {
        $anna = $this->login('anna');
        $ben = $this->login('ben');
        $sink = $this->connect($ben);
        $this->chat->send($anna->user, '@ben', 'going');
        $this->disconnect($ben, $sink); // the turn ends here, and with it the commit
        self::assertNotContains('going', $sink->texts());
        $sink = $this->connect($ben);
        self::assertSame(['going'], $sink->texts());
        $this->disconnect($ben, $sink);
        $this->chat->send($anna->user, '@ben', 'coming');
        $sink = $this->connect($ben);
        self::assertSame(['coming'], $sink->texts());
        $this->disconnect($ben, $sink);
        self::assertSame([], $this->connect($ben)->texts());
    }

    public function test_a_message_to_somebody_away_is_kept_delivered_once_and_marked(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $this->connect($anna);
        $sentAt = $this->turn->now;
        $this->say($anna, 'ben', 'are you there?');
        $this->turn->pass(3600);

        $first = $this->connect($ben);
        self::assertSame(['are you there?'], $first->texts());
        $message = $first->of('message')[0];
        self::assertTrue($message['kept'] ?? false);
        self::assertSame($sentAt, $message['at']);
        self::assertSame('ready', $first->types()[2], 'kept messages come before the stream is live');

        self::assertSame([], $this->connect($ben)->texts(), 'a second tab does not get it as new');
    }

    public function test_a_kept_message_survives_a_restart(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $this->say($anna, 'ben', 'later');
        $this->start();
        self::assertSame(['later'], $this->connect($ben)->texts());
    }

    public function test_what_came_after_the_cursor_is_replayed_and_the_seam_has_neither_gap_nor_double(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $a = $this->connect($anna);
        $b = $this->connect($ben);
        $this->chat->store->await($this->chat->join($ben->user, 'tea'));
        $this->say($anna, 'all', 'one');
        $cursor = $b->cursor;
        $this->disconnect($ben, $b);
        $this->say($anna, 'all', 'two');
        $this->say($anna, 'ben', 'three');
        $this->chat->store->await($this->chat->join($anna->user, 'tea'));
        $this->say($anna, '#tea', 'four');
        $this->say($anna, 'anna', 'not for ben');

        // A send of the same turn, not yet committed when the client connects, comes live.
        $ticket = $this->chat->send($anna->user, 'all', 'five');
        $again = $this->connect($ben, $cursor);
        self::assertTrue($ticket->isDone());

        self::assertSame(['two', 'three', 'four', 'five'], $again->texts());
        self::assertNotContains('reset', $again->types());
        $ids = array_map(static fn (mixed $id): int => is_int($id) ? $id : 0, array_column($again->of('message'), 'id'));
        self::assertSame($ids, array_values(array_unique($ids)));
        self::assertSame(['one', 'two', 'three', 'not for ben', 'five'], array_values(array_diff($a->texts(), ['four'])));
    }

    public function test_what_is_replayed_from_memory_and_from_the_database_is_the_same(): void
    {
        [$anna, $ben, $eve] = [$this->login('anna'), $this->login('ben'), $this->login('eve')];
        $this->chat->store->await($this->chat->join($ben->user, 'tea'));
        $this->chat->store->await($this->chat->join($anna->user, 'tea'));
        $this->chat->store->await($this->chat->join($anna->user, 'coffee'));
        foreach (range(1, 150) as $i) {
            [$from, $to] = [[$anna, 'all'], [$anna, '#tea'], [$anna, '#coffee'], [$anna, 'ben'], [$ben, 'eve'], [$eve, 'anna'], [$ben, 'ben']][$i % 7];
            $this->say($from, $to, "$i to $to");
        }
        $last = $this->chat->messages->last();
        foreach ([$anna, $ben, $eve] as $session) {
            foreach ([0, 1, 70, $last - 1, $last] as $cursor) {
                $stored = array_map(static fn ($message): string => $message->text, $this->chat->messages->since($session->user, $cursor) ?? []);
                $got = $this->connect($session, (string) $cursor);
                self::assertSame(array_values(array_filter($stored, static fn (string $text): bool => $text !== '')), $got->texts(), "{$session->user->name} after $cursor");
                $this->disconnect($session, $got);
            }
        }
        // Another process begins with what the last one knew; of very much it keeps the end.
        $cursor = (string) ($last - 5);
        $before = $this->connect($ben, $cursor)->texts();
        $this->start();
        self::assertSame($before, $this->connect($ben, $cursor)->texts());
        foreach (range(1, Messages::REPLAY_MAX) as $i) {
            $this->chat->send($anna->user, '#coffee', str_repeat('x', 4000));
        }
        $this->turn->run();
        self::assertSame([...$before], $this->connect($ben, $cursor)->texts(), 'what memory has let go the database has');
    }

    public function test_who_comes_back_costs_no_more_where_much_was_said(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        foreach (["'r1', {$ben->user->id}, NULL, 1", "'d1.2', {$ben->user->id}, {$anna->user->id}, NULL", "'d1.2', {$anna->user->id}, {$ben->user->id}, NULL"] as $said) {
            $this->database->change("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)"
                . " INSERT INTO messages (at, kind, talk, sender, recipient, room, text, kept, waiting) SELECT i, 'text', $said, hex(zeroblob(100)), 0, 0 FROM n");
        }
        $messages = new Messages($this->database);
        $began = hrtime(true);
        self::assertNull($messages->since($anna->user, 1));
        self::assertNull($messages->since($ben->user, 0));
        self::assertLessThan(0.25, (hrtime(true) - $began) / 1e9, 'seconds; sorting all of it takes ten times as long');
        foreach ([[$anna, $ben], [$ben, $anna]] as [$one, $other]) {
            $took = [];
            for ($i = 0; $i < 5; $i++) {
                $began = hrtime(true);
                self::assertSame([['name' => $other->user->name, 'id' => $other->user->id, 'last' => $messages->last()]], $messages->partners($one->user));
                $took[] = (hrtime(true) - $began) / 1e6;
            }
            self::assertLessThan(4, min($took), 'milliseconds; a look at each message takes ten');
        }
        self::assertCount(100, $messages->since($anna->user, $messages->last() - 100) ?? []);
    }

    public function test_a_cursor_that_cannot_be_served_is_said(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $sink = $this->connect($ben);
        $this->disconnect($ben, $sink);
        foreach (['999999', 'nonsense', '-1', '1e3', '1:2', str_repeat('9', 40)] as $cursor) {
            self::assertContains('reset', $this->connect($ben, $cursor)->types(), $cursor);
        }
        for ($i = 0; $i <= Messages::REPLAY_MAX; $i++) {
            $this->chat->send($anna->user, 'all', "n$i");
        }
        $this->turn->run();
        $late = $this->connect($ben, $sink->cursor);
        self::assertContains('reset', $late->types());
        self::assertSame([], $late->texts());
        self::assertSame((string) $this->chat->messages->last(), $late->cursor);
    }

    public function test_all_sends_of_a_turn_share_one_commit_and_are_answered_after_it(): void
    {
        $anna = $this->login('anna');
        $sink = $this->connect($anna);
        $commits = $this->database->commits();
        $tickets = [];
        for ($i = 0; $i < 50; $i++) {
            $tickets[] = $this->chat->send($anna->user, 'all', "n$i");
        }
        self::assertFalse($tickets[0]->isDone());
        self::assertSame([], $sink->texts());

        $this->turn->run();

        self::assertSame($commits + 1, $this->database->commits());
        self::assertSame(array_map(static fn (int $i): string => "n$i", range(0, 49)), $sink->texts());
    }

    public function test_what_was_answered_is_there_after_the_process_is_gone(): void
    {
        $anna = $this->login('anna');
        $id = $this->say($anna, 'all', 'kept');
        $this->chat->send($anna->user, 'all', 'never committed, never answered');
        $this->turn = new \Tusk\Chat\Tests\Support\HandTurn();
        $this->start();

        $page = $this->chat->history($anna->user, 'all', null, 50)['messages'];
        self::assertSame([[$id, 'kept']], array_map(static fn ($message): array => [$message->id, $message->text], $page));
    }

    public function test_a_send_that_is_repeated_with_its_nonce_is_one_message(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $sink = $this->connect($ben);
        $first = $this->say($anna, 'all', 'once', 'n-1');
        self::assertSame($first, $this->say($anna, 'all', 'once', 'n-1'));
        $this->start();
        self::assertSame($first, $this->say($anna, 'all', 'once', 'n-1'), 'a restart forgets no nonce');
        self::assertNotSame($first, $this->say($ben, 'all', 'once', 'n-1'), "another user's nonce is another one");
        self::assertSame(['once'], $sink->texts());
        self::assertThrows(400, 'malformed', fn () => $this->say($anna, 'all', 'x', "a\nb"));
    }

    public function test_text_is_cleaned_and_bounded(): void
    {
        $markup = '<img src=x onerror=alert(1)> & "quotes" \'; DROP TABLE messages; --';
        self::assertSame($markup, Messages::clean($markup), 'markup is text, not something to repair');
        self::assertSame("a\nb\tc", Messages::clean(" a\r\nb\tc\0\x1B \u{202E}"));
        self::assertSame(Messages::TEXT_MAX, mb_strlen(Messages::clean(str_repeat('é', Messages::TEXT_MAX))));
        self::assertThrows(422, 'too-long', fn () => Messages::clean(str_repeat('é', Messages::TEXT_MAX + 1)));
        self::assertThrows(422, 'empty', fn () => Messages::clean(" \n\0 "));
        foreach (["\u{A0}", "\u{3000}", "\u{200B}", "\u{200E}\u{200F}", "\u{FEFF}", "\u{AD}", "\u{2028}", "\u{2800}", "\u{3164}", "\u{115F}", "\u{E0041}", "\u{FE0F}", "\u{301}"] as $nothing) {
            self::assertThrows(422, 'empty', fn () => Messages::clean("$nothing $nothing"));
            self::assertSame("x$nothing", Messages::clean("x$nothing"));
        }
        foreach (['.', '🏳️‍🌈', "\u{200F}ש", '…', "e\u{301}"] as $something) {
            self::assertSame($something, Messages::clean($something));
        }
        self::assertThrows(400, 'malformed', fn () => Messages::clean("\xC3"));

        $anna = $this->login('anna');
        $this->say($anna, 'all', $markup);
        self::assertSame($markup, $this->chat->history($anna->user, 'all', null, 1)['messages'][0]->text);
    }

    public function test_history_comes_in_pages_from_the_end(): void
    {
        $anna = $this->login('anna');
        foreach (range(1, 25) as $i) {
            $this->chat->send($anna->user, 'all', "n$i");
        }
        $this->turn->run();
        $seen = [];
        $before = null;
        do {
            $page = $this->chat->history($anna->user, 'all', $before, 10);
            $seen = [...array_map(static fn ($message): string => $message->text, $page['messages']), ...$seen];
            $before = $page['messages'][0]->id;
        } while ($page['more']);
        self::assertSame(array_map(static fn (int $i): string => "n$i", range(1, 25)), $seen);
    }

    public function test_unread_is_counted_until_it_is_read_on_any_device(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $this->say($anna, 'all', 'one');
        $id = $this->say($anna, 'ben', 'two');
        $this->say($ben, 'all', 'my own does not count');
        $phone = $this->connect($ben);
        self::assertSame(['all' => 1, 'anna' => 1], $this->unread($phone->of('welcome')[0]));

        $this->chat->store->await($this->chat->read($ben->user, 'anna', $id));
        self::assertSame([['type' => 'read', 'with' => 'anna', 'upto' => $id]], $phone->of('read'));
        self::assertSame(['all' => 1, 'anna' => 0], $this->unread($this->connect($ben)->of('welcome')[0]));

        // A marker does not go back, and not beyond what there is.
        $this->chat->store->await($this->chat->read($ben->user, 'anna', 0));
        $this->chat->store->await($this->chat->read($ben->user, 'all', PHP_INT_MAX));
        $this->say($anna, 'all', 'new');
        self::assertSame(['all' => 1, 'anna' => 0], $this->unread($this->connect($ben)->of('welcome')[0]));
    }

    public function test_unread_is_looked_for_in_the_last_of_a_talk(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $talk = Messages::between($anna->user->id, $ben->user->id);
        $say = fn (int $from, int $to, int $times) => $this->database->change("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $times)"
            . " INSERT INTO messages (at, kind, talk, sender, recipient, text) SELECT i, 'text', '$talk', $from, $to, 'x' FROM n");
        $messages = new Messages($this->database);
        $say($ben->user->id, $anna->user->id, 150);
        self::assertSame(100, $messages->unread($anna->user, $talk));
        self::assertSame(0, $messages->unread($ben->user, $talk));
        $say($anna->user->id, $ben->user->id, Messages::UNREAD_LOOK - 1);
        self::assertSame(1, $messages->unread($anna->user, $talk));
        $say($anna->user->id, $ben->user->id, 1);
        self::assertSame(0, $messages->unread($anna->user, $talk), 'her own are not looked through to their beginning');
        self::assertSame(100, $messages->unread($ben->user, $talk));
    }

    /**
     * @phpstan-impure
     *
     * @param array<string, mixed> $welcome
     *
     * @return array<string, int>
     */
    private function unread(array $welcome): array
    {
        /** @var list<array{with: string, unread: int}> $talks */
        $talks = $welcome['talks'];
        return array_column($talks, 'unread', 'with');
    }
}
