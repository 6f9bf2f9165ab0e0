<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use Tusk\Chat\{Chat, Session, Settings};
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
        self::assertSame(['ben'], $this->chat->presence->online(10));
    }

    public function test_a_reload_is_neither_leaving_nor_coming(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $watcher = $this->connect($ben);
        $sink = $this->connect($anna);
        $this->turn->pass(1);
        $timers = $this->turn->timers();
        for ($i = 0; $i < 20; $i++) {
            $this->disconnect($anna, $sink);
            $this->turn->pass(9);
            self::assertTrue($this->chat->presence->isOnline($anna->user->id));
            $sink = $this->connect($anna);
        }
        $this->turn->pass(60);
        self::assertSame(['join'], $this->notices($watcher, 'anna'));
        self::assertSame($timers, $this->turn->timers(), 'no timer is left behind');
    }

    public function test_a_thousand_who_return_at_once_are_a_few_notices_and_the_welcome_stays_short(): void
    {
        $watcher = $this->connect($this->login('ann'));
        $this->turn->pass(5);
        $all = array_map(fn (int $i): Session => $this->login(sprintf('user%03d', $i)), range(1, 999));
        $before = count($watcher->events);
        foreach ($all as $session) {
            $sink = $this->connect($session);
        }
        $this->turn->pass(5);
        $told = array_slice($watcher->events, $before);
        self::assertCount(4, $told, 'the first at once, everybody else together; a notice and a presence each');
        [$presence, $notice] = array_slice($told, 2);
        self::assertSame(['presence', 1000, true], [$presence['type'], $presence['count'], $presence['more']]);
        self::assertIsArray($presence['came']);
        self::assertCount(50, $presence['came']);
        self::assertSame(['join', 'user002', 998, 'user003'], [$notice['kind'], $notice['from'], $notice['count'], is_array($notice['others']) ? $notice['others'][0] : null]);

        $welcome = $this->connect($all[0])->of('welcome')[0];
        self::assertIsArray($welcome['online']);
        self::assertSame([Chat::ONLINE_MAX, 1000], [count($welcome['online']), $welcome['count']]);
        self::assertLessThan(6000, strlen(json_encode($welcome, JSON_THROW_ON_ERROR)));
        $kept = $this->chat->history($all[0]->user, 'all', null, 1)['messages'][0] ?? null;
        self::assertSame([998, 9], [$kept?->count, count($kept->others ?? [])], 'as it is in the history');
        self::assertSame(1000, self::body($this->get('/online', ['limit' => '5'], $all[0]))['count']);
        self::assertSame(['ann', 'user001'], self::body($this->get('/online', ['limit' => '2'], $all[0]))['online']);
    }

    public function test_who_comes_and_goes_within_a_moment_is_no_news(): void
    {
        $this->start(new Settings(rate: 0.0, grace: 0.0));
        [$anna, $ben, $eve] = [$this->login('anna'), $this->login('ben'), $this->login('eve')];
        $watcher = $this->connect($ben);
        $this->turn->pass(5);
        $this->connect($eve);
        for ($i = 0; $i < 10; $i++) {
            $sink = $this->connect($anna);
            $this->disconnect($anna, $sink);
            $this->turn->pass(0.01);
        }
        $this->turn->pass(5);
        self::assertSame(['join'], $this->notices($watcher, 'eve'));
        self::assertSame([], $this->notices($watcher, 'anna'));
    }

    public function test_a_restart_is_neither_leaving_nor_coming_for_who_returns(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $this->connect($anna);
        $this->connect($ben);
        $this->turn->pass(60);

        $this->start();
        self::assertSame(['anna', 'ben'], $this->chat->presence->online(10));
        $back = $this->connect($ben, '0');
        $this->turn->pass(60);

        self::assertSame(['ben'], $this->chat->presence->online(10));
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

    public function test_a_date_that_is_set_back_silences_nobody_who_types(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $sink = $this->connect($ben);
        $this->chat->type($anna->user, 'ben');
        $this->turn->set(-3600);
        $this->turn->pass(3);
        $this->chat->type($anna->user, 'ben');
        self::assertCount(2, $sink->of('typing'));
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
