<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use Tusk\Chat\{Message, Settings};
use Tusk\Chat\Tests\Support\ChatCase;

final class RetentionTest extends ChatCase
{
    private const DAY = 86_400.0;

    public function test_what_is_too_old_goes_and_the_rest_stays(): void
    {
        $this->start(new Settings(rate: 0.0, keepDays: 2));
        $anna = $this->login('anna');
        $this->say($anna, 'all', 'the day before yesterday');
        $this->turn->pass(self::DAY);
        $this->say($anna, 'all', 'yesterday');
        $this->turn->pass(self::DAY - 120);
        $this->say($anna, 'all', 'today');
        self::assertSame(['the day before yesterday', 'yesterday', 'today'], $this->history($anna->user));
        $this->turn->pass(300);
        self::assertSame(['yesterday', 'today'], $this->history($anna->user));
        $this->turn->pass(3 * self::DAY);
        self::assertSame([], $this->history($anna->user));
        $id = $this->say($anna, 'all', 'again');
        self::assertSame(4, $id, 'ids are never used twice');
    }

    public function test_of_too_many_the_latest_stay_slice_by_slice(): void
    {
        $this->start(new Settings(rate: 0.0, keepMessages: 100));
        $anna = $this->login('anna');
        for ($i = 0; $i < 1200; $i++) {
            $this->chat->send($anna->user, 'all', "n$i");
        }
        $this->turn->pass(59);
        self::assertSame(1200, $this->database->number('SELECT count(*) FROM messages'), 'once a minute');
        $this->turn->pass(2);
        self::assertSame(100, $this->database->number('SELECT count(*) FROM messages'));
        self::assertSame('n1199', $this->history($anna->user)[99]);
    }

    public function test_who_has_not_come_yet_gets_his_messages_however_many_others_there_are(): void
    {
        $this->start(new Settings(rate: 0.0, keepDays: 2, keepMessages: 5));
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $this->say($anna, 'ben', 'for ben');
        foreach (range(1, 20) as $i) {
            $this->say($anna, 'all', "n$i");
        }
        $this->turn->pass(120);
        self::assertCount(5, $this->history($anna->user));
        self::assertSame(['for ben'], $this->connect($ben)->texts());
        $this->turn->pass(120);
        self::assertSame([], $this->chat->history($ben->user, 'anna', null, 10)['messages'], 'delivered, it counts like any other');
        self::assertSame([], $this->connect($ben)->texts());
    }

    public function test_what_waits_for_people_who_never_come_is_bounded_by_itself(): void
    {
        $this->start(new Settings(rate: 0.0, keepDays: 0, keepMessages: 10));
        $anna = $this->login('anna');
        foreach (range(1, 30) as $i) {
            $this->login("away$i");
            $this->say($anna, "away$i", "n$i");
        }
        $this->turn->pass(120);
        self::assertSame(10, $this->database->number('SELECT count(*) FROM messages'));
        self::assertSame(['n30'], $this->connect($this->login('away30'))->texts());
        self::assertSame([], $this->connect($this->login('away20'))->texts());
    }

    public function test_a_cursor_before_what_was_removed_is_reset(): void
    {
        $this->start(new Settings(rate: 0.0, keepMessages: 3));
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $first = $this->say($anna, 'all', 'n0');
        foreach (range(1, 9) as $i) {
            $this->say($anna, 'all', "n$i");
        }
        $this->turn->pass(120);
        self::assertContains('reset', $this->connect($ben, (string) $first)->types());
        $seen = $this->connect($ben, (string) ($first + 6));
        self::assertNotContains('reset', $seen->types());
        self::assertSame(['n7', 'n8', 'n9'], $seen->texts());
    }

    public function test_rooms_that_nobody_is_in_go_with_the_last_of_their_messages(): void
    {
        $this->start(new Settings(rate: 0.0, keepDays: 1));
        $anna = $this->login('anna');
        foreach (['tea', 'empty'] as $room) {
            $this->post('/rooms/join', ['room' => $room], $anna);
            $this->say($anna, "#$room", 'anybody?');
        }
        $this->post('/rooms/leave', ['room' => 'empty'], $anna);
        $this->turn->pass(3600);
        self::assertNotNull($this->chat->rooms->find('empty'));
        $this->turn->pass(2 * self::DAY);
        self::assertNull($this->chat->rooms->find('empty'));
        self::assertNotNull($this->chat->rooms->find('tea'));
        self::assertNotNull($this->chat->rooms->find('all'));
        self::assertSame(0, $this->database->number('SELECT count(*) FROM messages'));
    }

    public function test_nothing_is_removed_when_nothing_says_so(): void
    {
        $this->start(new Settings(rate: 0.0, keepDays: 0, keepMessages: 0));
        $anna = $this->login('anna');
        $this->say($anna, 'all', 'for ever');
        $this->turn->pass(30 * self::DAY);
        self::assertSame(['for ever'], $this->history($anna->user));
    }

    /**
     * @phpstan-impure
     *
     * @return list<string>
     */
    private function history(\Tusk\Chat\User $user): array
    {
        return array_map(static fn (Message $message): string => $message->text, $this->chat->history($user, 'all', null, 100)['messages']);
    }
}
