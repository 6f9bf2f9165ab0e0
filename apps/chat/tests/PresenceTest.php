<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use Tusk\Chat\Tests\Support\{ChatCase, RecordingSink};

final class PresenceTest extends ChatCase
{
    public function test_joining_and_leaving_are_said_once_however_many_tabs(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $watcher = $this->connect($ben);
        $one = $this->connect($anna);
        $two = $this->connect($anna);
        $this->disconnect($anna, $one);
        $this->turn->pass(60);
        self::assertSame(['join'], $this->notices($watcher, 'anna'));

        $this->disconnect($anna, $two);
        $this->turn->pass(60);
        self::assertSame(['join', 'leave'], $this->notices($watcher, 'anna'));
        self::assertSame(['ben'], $this->chat->presence->online());
    }

    public function test_a_reload_is_neither_leaving_nor_coming(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $watcher = $this->connect($ben);
        $sink = $this->connect($anna);
        for ($i = 0; $i < 20; $i++) {
            $this->disconnect($anna, $sink);
            $this->turn->pass(9);
            self::assertTrue($this->chat->presence->isOnline($anna->user->id));
            $sink = $this->connect($anna);
        }
        $this->turn->pass(60);
        self::assertSame(['join'], $this->notices($watcher, 'anna'));
        self::assertSame(0, $this->turn->timers());
    }

    public function test_a_restart_is_neither_leaving_nor_coming_for_who_returns(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $this->connect($anna);
        $this->connect($ben);
        $this->turn->pass(60);

        $this->start();
        self::assertSame(['anna', 'ben'], $this->chat->presence->online());
        $back = $this->connect($ben, '0');
        $this->turn->pass(60);

        self::assertSame(['ben'], $this->chat->presence->online());
        self::assertSame(['join', 'leave'], $this->notices($back, 'anna'), 'anna did not return');
        self::assertSame(['join'], $this->notices($back, 'ben'));
    }

    public function test_a_closed_connection_that_is_reported_twice_changes_nothing(): void
    {
        $anna = $this->login('anna');
        [$one, $two] = [$this->connect($anna), $this->connect($anna)];
        $this->disconnect($anna, $one);
        $this->disconnect($anna, $one);
        $this->turn->pass(60);
        self::assertTrue($this->chat->presence->isConnected($anna->user->id));
        $this->disconnect($anna, $two);
        self::assertFalse($this->chat->presence->isConnected($anna->user->id));
    }

    public function test_typing_is_passed_on_at_most_every_two_seconds_and_again_after_a_send(): void
    {
        [$anna, $ben, $eve] = [$this->login('anna'), $this->login('ben'), $this->login('eve')];
        [$b, $e] = [$this->connect($ben), $this->connect($eve)];
        foreach ([0.0, 1.0, 1.5, 0.1] as $seconds) {
            $this->turn->pass($seconds);
            $this->chat->type($anna->user, 'ben');
        }
        self::assertSame([['type' => 'typing', 'from' => 'anna', 'to' => 'ben']], array_slice($b->of('typing'), 0, 1));
        self::assertCount(2, $b->of('typing'));
        $this->say($anna, 'ben', 'there');
        $this->chat->type($anna->user, 'ben');
        self::assertCount(3, $b->of('typing'));
        self::assertSame([], $e->of('typing'));
        self::assertThrows(404, 'unknown-user', fn () => $this->chat->type($anna->user, 'nobody'));
    }

    /** @return list<string> */
    private function notices(RecordingSink $sink, string $name): array
    {
        $kinds = [];
        foreach ($sink->of('message') as $event) {
            if ($event['from'] === $name && is_string($event['kind']) && $event['kind'] !== 'text') {
                $kinds[] = $event['kind'];
            }
        }
        return $kinds;
    }
}
