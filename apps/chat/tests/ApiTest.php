<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Chat\{Answer, Input, Settings};
use Tusk\Chat\Tests\Support\ChatCase;

final class ApiTest extends ChatCase
{
    public function test_a_login_gives_a_cookie_that_scripts_in_a_page_cannot_read(): void
    {
        $answer = $this->post('/login', ['name' => 'Anna']);
        self::assertSame(200, $answer->status);
        self::assertSame(['name' => 'Anna', 'protected' => false, 'open' => false], self::body($answer));
        self::assertMatchesRegularExpression(
            '/^tusk_chat=c\.[\w-]{22}\.\d+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/',
            $answer->headers['Set-Cookie'],
        );
        $secure = $this->route(new Input('POST', '/login', ['content-type' => 'application/json'], body: '{"name":"ben"}', secure: true));
        self::assertStringEndsWith('; Secure', $secure->headers['Set-Cookie']);
    }

    public function test_a_token_works_as_bearer_and_not_as_cookie(): void
    {
        $answer = $this->post('/login', ['name' => 'anna', 'token' => '1']);
        self::assertArrayNotHasKey('Set-Cookie', $answer->headers);
        $token = self::body($answer)['token'];
        self::assertIsString($token);

        self::assertSame(201, $this->bearer($token)->status);
        self::assertSame(401, $this->bearer($token . 'x')->status);
        $asCookie = new Input('GET', '/me', cookie: $token);
        self::assertRefused(401, 'not-logged-in', $this->route($asCookie));
        $cookie = $this->chat->tokens->cookie($this->login('anna'));
        self::assertSame(401, $this->bearer($cookie)->status);
        // A wrong token is refused even if a good cookie comes with it.
        self::assertSame(401, $this->bearer('nonsense', $cookie)->status);
    }

    /** @return iterable<string, array{\Closure(string): ?string}> */
    public static function forgeries(): iterable
    {
        yield 'none' => [static fn (string $good): ?string => null];
        yield 'empty' => [static fn (string $good): string => ''];
        yield 'nonsense' => [static fn (string $good): string => 'anna'];
        yield 'signature cut' => [static fn (string $good): string => substr($good, 0, -1)];
        yield 'signature changed' => [static fn (string $good): string => substr($good, 0, -1) . ($good[-1] === 'A' ? 'B' : 'A')];
        yield 'session changed' => [static fn (string $good): string => substr_replace($good, $good[5] === 'A' ? 'B' : 'A', 5, 1)];
        yield 'expiry moved' => [static fn (string $good): string => (string) preg_replace_callback(
            '/\.(\d+)\./',
            static fn (array $m): string => '.' . ((int) $m[1] + 1) . '.',
            $good,
        )];
        yield 'line end added' => [static fn (string $good): string => "$good\n"];
        yield 'signed with another key' => [static function (string $good): string {
            $body = substr($good, 0, (int) strrpos($good, '.'));
            $sign = rtrim(strtr(base64_encode(hash_hmac('sha256', $body, str_repeat('x', 32), true)), '+/', '-_'), '=');
            return "$body.$sign";
        }];
        yield 'very long' => [static fn (string $good): string => $good . str_repeat('A', 100_000)];
    }

    /** @param \Closure(string): ?string $forge */
    #[DataProvider('forgeries')]
    public function test_a_forged_or_missing_cookie_is_nobody(\Closure $forge): void
    {
        $good = $this->chat->tokens->cookie($this->login('anna'));
        self::assertSame(200, $this->route(new Input('GET', '/me', cookie: $good))->status);
        self::assertRefused(401, 'not-logged-in', $this->route(new Input('GET', '/me', cookie: $forge($good))));
    }

    public function test_a_cookie_ends_with_its_time_and_with_the_log_out(): void
    {
        $anna = $this->login('anna');
        $tab = $this->connect($anna);
        $other = $this->connect($this->login('anna'));
        self::assertSame(200, $this->post('/logout', [], $anna)->status);
        self::assertFalse($tab->isOpen);
        self::assertTrue($other->isOpen, 'another device stays');
        self::assertSame(401, $this->get('/me', [], $anna)->status, 'a copied cookie ends too');

        $cookie = $this->chat->tokens->cookie($this->login('anna'));
        $this->turn->pass(31 * 86400);
        self::assertSame(401, $this->route(new Input('GET', '/me', cookie: $cookie))->status);
    }

    public function test_sessions_live_through_a_restart(): void
    {
        $anna = $this->login('anna');
        $this->start();
        self::assertSame('anna', self::body($this->get('/me', [], $anna))['name']);
    }

    public function test_a_protected_name_demands_its_password(): void
    {
        self::assertRefused(422, 'short-password', $this->post('/login', ['name' => 'anna', 'password' => 'short']));
        self::assertSame(200, $this->post('/login', ['name' => 'anna', 'password' => 'correct horse'])->status);
        self::assertRefused(403, 'wrong-password', $this->post('/login', ['name' => 'ANNA']));
        self::assertRefused(403, 'wrong-password', $this->post('/login', ['name' => 'anna', 'password' => 'correct hors']));
        self::assertSame(200, $this->post('/login', ['name' => 'Anna', 'password' => 'correct horse'])->status);
        $database = (string) file_get_contents("{$this->folder}/chat.sqlite") . file_get_contents("{$this->folder}/chat.sqlite-wal");
        self::assertStringNotContainsString('correct horse', $database);
        self::assertStringContainsString('$2y$10$', $database);
    }

    public function test_the_length_of_a_password_is_that_of_its_characters(): void
    {
        $said = $this->post('/login', ['name' => 'anna', 'password' => str_repeat('ж', 201)]);
        self::assertRefused(422, 'too-long', $said);
        self::assertStringContainsString('The password has 201 characters; at most 200 are possible.', $said->body);
        self::assertSame(200, $this->post('/login', ['name' => 'anna', 'password' => str_repeat('ж', 200)])->status);
        self::assertRefused(403, 'wrong-password', $this->post('/login', ['name' => 'anna', 'password' => str_repeat('ж', 201)]));
    }

    public function test_a_password_may_have_any_character(): void
    {
        $login = fn (string $password): int => $this->post('/login', ['name' => 'anna', 'password' => $password])->status;
        self::assertSame([200, 200, 403], array_map($login, ["secret\0one", "secret\0one", "secret\0two"]));
    }

    public function test_a_long_password_counts_to_its_end(): void
    {
        $long = str_repeat('a', 100);
        self::assertSame(200, $this->post('/login', ['name' => 'anna', 'password' => "{$long}1"])->status);
        self::assertRefused(403, 'wrong-password', $this->post('/login', ['name' => 'anna', 'password' => "{$long}2"]));
    }

    public function test_guessing_passwords_is_slow(): void
    {
        $this->post('/login', ['name' => 'anna', 'password' => 'correct horse']);
        $status = 0;
        for ($i = 0; $i < 10 && $status !== 429; $i++) {
            $answer = $this->post('/login', ['name' => 'anna', 'password' => "guess number $i"]);
            $status = $answer->status;
        }
        self::assertRefused(429, 'too-fast', $answer);
        self::assertLessThan(8, $i);
        self::assertGreaterThanOrEqual(1, (int) ($answer->headers['Retry-After'] ?? 0));
    }

    public function test_protecting_a_name_ends_its_other_sessions(): void
    {
        [$mine, $other] = [$this->login('anna'), $this->login('anna')];
        [$tab, $stranger] = [$this->connect($mine), $this->connect($other)];
        self::assertRefused(409, 'in-use', $this->post('/login', ['name' => 'anna', 'password' => 'a stranger takes it']));
        self::assertSame(['name' => 'anna', 'protected' => true, 'open' => false], self::body($this->post('/password', ['password' => 'correct horse'], $mine)));
        self::assertTrue($tab->isOpen);
        self::assertFalse($stranger->isOpen);
        self::assertSame(200, $this->get('/me', [], $mine)->status);
        self::assertSame(401, $this->get('/me', [], $other)->status);
        self::assertRefused(403, 'wrong-password', $this->post('/password', ['password' => 'another horse'], $mine));
        self::assertSame(200, $this->post('/password', ['password' => 'another horse', 'old' => 'correct horse'], $mine)->status);
    }

    /** @return iterable<string, array{array<string, string>, bool}> */
    public static function sites(): iterable
    {
        yield 'a script' => [[], true];
        yield 'our page' => [['sec-fetch-site' => 'same-origin', 'origin' => 'http://chat.test'], true];
        yield 'our page in an old browser' => [['origin' => 'http://chat.test'], true];
        yield 'our page behind a proxy that changes Host' => [['sec-fetch-site' => 'same-origin', 'origin' => 'https://public.test'], true];
        yield 'typed by the user' => [['sec-fetch-site' => 'none'], true];
        yield 'another site' => [['sec-fetch-site' => 'cross-site', 'origin' => 'http://chat.test'], false];
        yield 'a neighbour' => [['sec-fetch-site' => 'same-site'], false];
        yield 'another site in an old browser' => [['origin' => 'http://evil.test'], false];
        yield 'another port in an old browser' => [['origin' => 'http://chat.test:8081'], false];
        yield 'a sandboxed frame' => [['origin' => 'null'], false];
        yield 'our name as a user' => [['origin' => 'http://chat.test@evil.test'], false];
        yield 'our name as a prefix' => [['origin' => 'http://chat.test.evil.test'], false];
    }

    /** @param array<string, string> $headers */
    #[DataProvider('sites')]
    public function test_posts_of_other_sites_are_refused(array $headers, bool $allowed): void
    {
        $anna = $this->login('anna', 'correct horse');
        foreach ([['/messages', ['to' => 'all', 'text' => 'x']], ['/password', ['password' => 'correct horse', 'old' => 'correct horse']], ['/logout', []], ['/login', ['name' => 'ben']]] as [$path, $fields]) {
            $answer = $this->post($path, $fields, $anna, $headers);
            if ($allowed) {
                self::assertLessThan(300, $answer->status, $path . $answer->body);
                $anna = $this->login('anna', 'correct horse');
            } else {
                self::assertRefused(403, 'cross-site', $answer);
            }
        }
        self::assertCount($allowed ? 1 : 0, $this->chat->history($anna->user, 'all', null, 10)['messages']);
    }

    /** @return iterable<string, array{string, string, int, string}> */
    public static function badBodies(): iterable
    {
        yield 'no JSON' => ['application/json', '{"to":', 400, 'malformed'];
        yield 'a JSON list' => ['application/json', '[1]', 400, 'malformed'];
        yield 'JSON too deep' => ['application/json', str_repeat('[', 5000), 400, 'malformed'];
        yield 'JSON with bad UTF-8' => ['application/json; charset=utf-8', "{\"to\":\"all\",\"text\":\"\xFF\"}", 400, 'malformed'];
        yield 'a list for a text' => ['application/json', '{"to":"all","text":["x"]}', 400, 'malformed'];
        yield 'a list for a text in a form' => ['application/x-www-form-urlencoded', 'to=all&text[]=x', 400, 'malformed'];
        yield 'a form with bad UTF-8' => ['application/x-www-form-urlencoded', 'to=all&text=%FF', 400, 'malformed'];
        yield 'nothing' => ['application/x-www-form-urlencoded', '', 422, 'missing-field'];
        yield 'no text' => ['application/x-www-form-urlencoded', 'to=all', 422, 'missing-field'];
        yield 'an empty text' => ['application/x-www-form-urlencoded', 'to=all&text=+', 422, 'empty'];
        yield 'nobody' => ['application/x-www-form-urlencoded', 'to=nobody&text=x', 404, 'unknown-user'];
        yield 'no such room' => ['application/json', '{"to":"#nowhere","text":"x"}', 404, 'unknown-room'];
        yield 'another type' => ['text/plain', 'to=all&text=x', 415, 'unknown-type'];
        yield 'over-long' => ['application/x-www-form-urlencoded', 'to=all&text=' . str_repeat('x', 4001), 422, 'too-long'];
        yield 'huge' => ['application/x-www-form-urlencoded', 'to=all&text=' . str_repeat('x', 70_000), 413, 'too-large'];
    }

    #[DataProvider('badBodies')]
    public function test_a_bad_body_has_an_answer(string $type, string $body, int $status, string $reason): void
    {
        $cookie = $this->chat->tokens->cookie($this->login('anna'));
        $answer = $this->route(new Input('POST', '/messages', ['content-type' => $type], body: $body, cookie: $cookie));
        self::assertRefused($status, $reason, $answer);
        self::assertSame(0, $this->chat->messages->last());
    }

    public function test_a_message_is_sent_as_who_is_logged_in_whatever_the_form_says(): void
    {
        [$anna] = [$this->login('anna'), $this->login('ben')];
        $answer = $this->post('/messages', ['to' => 'all', 'text' => 'hi', 'from' => 'ben', 'as' => 'ben'], $anna);
        self::assertSame([201, 'anna'], [$answer->status, self::body($answer)['from']]);
        self::assertSame(401, $this->post('/messages', ['to' => 'all', 'text' => 'hi', 'from' => 'ben'])->status);
    }

    public function test_who_sends_too_fast_is_told_when_to_come_back(): void
    {
        $this->start(new Settings(rate: 2.0));
        $anna = $this->login('anna');
        for ($i = 0; $i < 20; $i++) {
            self::assertSame(201, $this->post('/messages', ['to' => 'all', 'text' => "n$i"], $anna)->status);
        }
        $answer = $this->post('/messages', ['to' => 'all', 'text' => 'too much'], $anna);
        self::assertRefused(429, 'too-fast', $answer);
        self::assertSame('1', $answer->headers['Retry-After'] ?? null);
        self::assertSame(201, $this->post('/messages', ['to' => 'all', 'text' => 'x'], $this->login('ben'))->status, 'others go on');
        $this->turn->pass(0.5);
        self::assertSame(201, $this->post('/messages', ['to' => 'all', 'text' => 'again'], $anna)->status);
    }

    public function test_rooms_are_for_those_inside(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $this->post('/rooms/join', ['room' => '#Tea'], $anna);
        $sink = $this->connect($ben);
        self::assertRefused(403, 'not-member', $this->post('/messages', ['to' => '#tea', 'text' => 'x'], $ben));
        self::assertRefused(403, 'not-member', $this->get('/history', ['room' => 'tea'], $ben));
        self::assertSame(201, $this->post('/messages', ['to' => '#tea', 'text' => 'before'], $anna)->status);

        self::assertSame(['room' => 'Tea'], self::body($this->post('/rooms/join', ['room' => 'tea'], $ben)));
        $this->post('/messages', ['to' => '#tea', 'text' => 'after'], $anna);
        self::assertSame(['after'], $sink->texts());
        self::assertSame([['name' => 'Tea', 'members' => 2, 'joined' => true]], self::body($this->get('/rooms', [], $ben))['rooms']);
        self::assertSame('#Tea', self::body($this->get('/history', ['room' => 'tea'], $ben))['with']);

        $this->post('/rooms/leave', ['room' => 'Tea'], $ben);
        $this->post('/messages', ['to' => '#tea', 'text' => 'behind his back'], $anna);
        self::assertSame(['after'], $sink->texts());
        self::assertRefused(404, 'unknown-room', $this->post('/rooms/leave', ['room' => 'coffee'], $ben));
        self::assertRefused(422, 'everybody', $this->post('/rooms/leave', ['room' => 'all'], $ben));
        self::assertRefused(422, 'bad-name', $this->post('/rooms/join', ['room' => '<tea>'], $ben));
    }

    public function test_history_and_presence_by_http(): void
    {
        [$anna, $ben] = [$this->login('anna'), $this->login('ben')];
        $this->connect($anna);
        $this->say($ben, 'anna', 'for anna');
        $page = self::body($this->get('/history', ['user' => 'ben', 'limit' => '5'], $anna));
        self::assertSame(['with', 'messages', 'more'], array_keys($page));
        self::assertSame('for anna', is_array($page['messages']) && is_array($page['messages'][0]) ? $page['messages'][0]['text'] : null);
        self::assertSame(['online' => ['anna'], 'count' => 1], self::body($this->get('/online', [], $ben)));
        self::assertRefused(400, 'malformed', $this->get('/history', ['before' => 'x'], $anna));
        self::assertRefused(404, 'unknown-user', $this->get('/history', ['user' => 'nobody'], $anna));
        self::assertRefused(401, 'not-logged-in', $this->get('/history'));
    }

    public function test_open_mode_takes_a_name_for_a_log_in_but_not_one_with_a_password(): void
    {
        $this->start(new Settings(open: true, rate: 0.0));
        $this->login('ben', 'correct horse');
        $answer = $this->open(['to' => 'all', 'text' => 'hi', 'from' => 'anna']);
        self::assertSame([201, 'anna'], [$answer->status, self::body($answer)['from']]);
        self::assertRefused(403, 'wrong-password', $this->open(['to' => 'all', 'text' => 'hi', 'from' => 'ben']));
        self::assertRefused(422, 'bad-name', $this->open(['to' => 'all', 'text' => 'hi', 'from' => '<ben>']));
        self::assertRefused(421, 'wrong-host', $this->open(['to' => 'all', 'text' => 'hi', 'from' => 'anna'], 'rebound.test'));
        self::assertRefused(403, 'cross-site', $this->open(['to' => 'all', 'text' => 'hi', 'from' => 'anna'], site: 'cross-site'));
    }

    /** @param array<string, string> $fields */
    private function open(array $fields, string $host = '127.0.0.1:8080', ?string $site = null): Answer
    {
        return $this->post('/messages', $fields, null, ['host' => $host] + ($site === null ? [] : ['sec-fetch-site' => $site]));
    }

    private function bearer(string $token, ?string $cookie = null): Answer
    {
        return $this->route(new Input(
            'POST',
            '/messages',
            ['content-type' => 'application/json', 'authorization' => "Bearer $token"],
            body: '{"to":"all","text":"from a script"}',
            cookie: $cookie,
        ));
    }
}
