<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Chat\{Answer, Claims, Input, Session, Settings, User};
use Tusk\Chat\Tests\Support\ChatCase;

/** Whose a name is that no password protects, and how often one may knock. */
final class ClaimTest extends ChatCase
{
    private const HOME = '192.0.2.1';
    private const ELSEWHERE = '198.51.100.7';

    public function test_a_name_in_use_cannot_be_taken_from_elsewhere(): void
    {
        $anna = $this->login('Anna', address: self::HOME);
        $sink = $this->connect($anna);
        $answer = $this->enter('anna', self::ELSEWHERE);
        self::assertRefused(409, 'in-use', $answer);
        self::assertStringContainsString('Set a password', $answer->body);
        self::assertTrue($sink->isOpen);

        // A connection that broke off gives the name to nobody else for as long as a phone may sleep in a pocket.
        $this->disconnect($anna, $sink);
        $this->turn->pass(60 * (Claims::AWAY_MINUTES - 1));
        self::assertRefused(409, 'in-use', $this->enter('Anna', self::ELSEWHERE));
        self::assertSame(200, $this->get('/me', [], $anna)->status, 'and any request holds it');
        $this->turn->pass(60 * (Claims::AWAY_MINUTES - 1));
        self::assertRefused(409, 'in-use', $this->enter('Anna', self::ELSEWHERE));
    }

    public function test_a_date_that_is_set_neither_frees_a_name_nor_keeps_it(): void
    {
        $anna = $this->login('Anna', address: self::HOME);
        $this->disconnect($anna, $this->connect($anna));
        $this->turn->set(86_400);
        self::assertRefused(409, 'in-use', $this->enter('Anna', self::ELSEWHERE));
        $this->turn->set(-2 * 86_400);
        $this->turn->pass(60 * Claims::AWAY_MINUTES + 60);
        self::assertSame(200, $this->enter('Anna', self::ELSEWHERE)->status);
    }

    public function test_a_further_device_at_the_same_address_or_with_the_session_is_the_same_user(): void
    {
        $anna = $this->login('Anna', address: self::HOME);
        $desk = $this->connect($anna);
        $phone = $this->connect($this->login('anna', address: self::HOME));
        self::assertSame(['Anna'], $this->chat->presence->online(10));
        $again = $this->chat->door->enter('anna', '', self::ELSEWHERE, $anna);
        $this->say($again, 'all', 'on my way');
        foreach ([$desk, $phone] as $sink) {
            self::assertSame(['on my way'], $sink->texts());
        }
        self::assertSame(200, $this->get('/me', [], $anna)->status, 'nobody was logged out');
    }

    public function test_a_name_that_nobody_uses_is_free_and_sessions_from_elsewhere_end(): void
    {
        $anna = $this->login('Anna', address: self::HOME);
        $this->disconnect($anna, $this->connect($anna));
        $this->turn->pass(60 * Claims::AWAY_MINUTES + 60);
        $other = $this->login('Anna', address: self::ELSEWHERE);
        self::assertRefused(401, 'not-logged-in', $this->get('/me', [], $anna));
        self::assertSame(200, $this->get('/me', [], $other)->status);
        self::assertRefused(409, 'in-use', $this->enter('Anna', self::HOME));

        $this->post('/logout', [], $other);
        self::assertSame(200, $this->enter('Anna', self::HOME)->status, 'a log-out frees it at once');
    }

    public function test_only_the_first_who_holds_a_name_can_protect_it(): void
    {
        [$mine, $guest] = [$this->login('Anna'), $this->login('Anna')];
        [$desk, $other] = [$this->connect($mine), $this->connect($guest)];
        self::assertRefused(403, 'not-first', $this->post('/password', ['password' => 'it is mine now'], $guest));
        self::assertRefused(409, 'in-use', $this->post('/login', ['name' => 'Anna', 'password' => 'it is mine now'], $guest));
        self::assertRefused(409, 'in-use', $this->post('/login', ['name' => 'Anna', 'password' => 'it is mine now']));
        self::assertSame(200, $this->post('/password', ['password' => 'correct horse'], $mine)->status);
        self::assertSame([true, false], [$desk->isOpen, $other->isOpen]);
    }

    public function test_who_was_first_and_has_been_away_for_long_is_first_no_more(): void
    {
        [$gone, $here] = [$this->login('Anna'), $this->login('Anna')];
        $this->disconnect($gone, $this->connect($gone));
        $this->connect($here);
        $this->turn->pass(60 * Claims::AWAY_MINUTES + 60);
        self::assertSame(200, $this->post('/password', ['password' => 'correct horse'], $here)->status);
        self::assertSame(401, $this->get('/me', [], $gone)->status);
    }

    public function test_a_restart_gives_no_name_away(): void
    {
        $anna = $this->login('Anna', address: self::HOME);
        $this->connect($anna);
        $this->turn->pass(1);
        $this->start();
        self::assertRefused(409, 'in-use', $this->enter('Anna', self::ELSEWHERE));
        self::assertSame(200, $this->enter('Anna', self::HOME)->status);
    }

    public function test_memory_of_who_was_seen_is_bounded_by_who_is_here(): void
    {
        $this->start(new Settings(open: true, rate: 0.0));
        for ($i = 0; $i < 10_050; $i++) {
            $this->chat->claims->touch(new Session("s$i", new User($i + 1, "u$i")));
        }
        self::assertSame(10_050, $this->chat->claims->users());
        $this->turn->pass(60 * Claims::AWAY_MINUTES + 60);
        $this->chat->claims->touch(new Session('new', new User(99_999, 'new')));
        self::assertSame(1, $this->chat->claims->users());
    }

    public function test_log_ins_of_one_address_have_a_rate(): void
    {
        $this->start(new Settings(rate: 5.0));
        for ($i = 0; $i < 60; $i++) {
            self::assertSame(200, $this->enter("user$i", self::HOME)->status);
        }
        $answer = $this->enter('one-more', self::HOME);
        self::assertRefused(429, 'too-fast', $answer);
        self::assertSame('1', $answer->headers['Retry-After'] ?? null);
        self::assertSame(200, $this->enter('neighbour', self::ELSEWHERE)->status, 'others go on');
        $this->turn->pass(1);
        self::assertSame(200, $this->enter('one-more', self::HOME)->status);
    }

    public function test_connections_have_a_rate_by_user_and_by_address(): void
    {
        $this->start(new Settings(rate: 5.0));
        $anna = $this->login('anna');
        for ($i = 0; $i < 100; $i++) {
            $this->chat->door->come($anna, self::HOME);
        }
        self::assertThrows(429, 'too-fast', fn () => $this->chat->door->come($anna, self::ELSEWHERE));
        for ($i = 0; $i < 300; $i++) {
            $this->chat->door->come(new Session("s$i", new User($i + 10, "u$i")), self::HOME);
        }
        self::assertThrows(429, 'too-fast', fn () => $this->chat->door->come(new Session('one more', new User(999, 'more')), self::HOME));
        $this->turn->pass(10);
        $this->chat->door->come($anna, self::HOME);
        $this->start(new Settings(rate: 0.0));
        for ($i = 0; $i < 1000; $i++) {
            $this->chat->door->come($anna, self::HOME); // a load tool
        }
    }

    /** @return iterable<string, array{string, string}> */
    public static function addresses(): iterable
    {
        yield 'IPv4' => ['192.0.2.1', '192.0.2.1'];
        yield 'IPv4 in IPv6' => ['::ffff:192.0.2.1', '192.0.2.1'];
        yield 'one /64' => ['2001:db8:1:2:aaaa::1', '20010db800010002/64'];
        yield 'the same /64' => ['2001:db8:1:2::ffff', '20010db800010002/64'];
        yield 'a Unix socket' => ['unix', 'unix'];
    }

    #[DataProvider('addresses')]
    public function test_a_subscriber_counts_once_whatever_address_he_takes(string $address, string $network): void
    {
        self::assertSame($network, (new Input('GET', '/', address: $address))->network());
    }

    private function enter(string $name, string $address): Answer
    {
        return $this->route(new Input('POST', '/login', ['content-type' => 'application/json'], body: json_encode(['name' => $name], JSON_THROW_ON_ERROR), address: $address));
    }
}
