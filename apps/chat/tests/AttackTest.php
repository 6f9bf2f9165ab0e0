<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Chat\{Input, Messages, Settings, Tokens};
use Tusk\Chat\Tests\Support\ChatCase;

/** What somebody tries who means harm: each attempt has its answer, and leaves nothing behind. */
final class AttackTest extends ChatCase
{
    /** @return iterable<string, array{string}> */
    public static function names(): iterable
    {
        yield 'markup' => ['<img src=x onerror=alert(1)>'];
        yield 'markup in entities' => ['&lt;b&gt;'];
        yield 'an attribute' => ['"onmouseover="alert(1)'];
        yield 'a scheme' => ['javascript:alert(1)'];
        yield 'a template' => ['{{constructor}}'];
        yield 'a header' => ["anna\r\nSet-Cookie: tusk_chat=x"];
        yield 'an event' => ["anna\n\ndata: x"];
        yield 'a statement' => ["anna'; DROP TABLE users; --"];
        yield 'a path' => ['../../etc/passwd'];
        yield 'right to left' => ["\u{202E}anna"];
        yield 'an isolate' => ["an\u{2067}na"];
        yield 'a mark of direction' => ["anna\u{200F}"];
        yield 'a space of no width' => ["an\u{200B}na"];
        yield 'a joiner' => ["an\u{200D}na"];
        yield 'a byte order mark' => ["\u{FEFF}anna"];
        yield 'a soft hyphen' => ["an\u{AD}na"];
        yield 'a filler' => ["anna\u{3164}"];
        yield 'half a filler' => ["anna\u{FFA0}"];
        yield 'a variation selector' => ["anna\u{FE0F}"];
        yield 'a selector of another plane' => ["anna\u{E0100}"];
        yield 'a grapheme joiner' => ["an\u{34F}na"];
        yield 'a tag' => ["anna\u{E0061}"];
        yield 'marks upon marks' => ['a' . str_repeat("\u{0489}\u{0315}", 8)];
        yield 'two alphabets' => ["\u{0430}nna"];
        yield 'Greek in Latin' => ["ann\u{03B1}"];
        yield 'Armenian in Latin' => ["b\u{0585}b"];
        yield 'a surrogate' => ["an\xED\xA0\x80na"];
        yield 'an overlong form' => ["an\xC0\xAFna"];
        yield 'very long' => [str_repeat('anna', 10_000)];
    }

    #[DataProvider('names')]
    public function test_a_name_is_no_way_in(string $name): void
    {
        self::assertRefused(422, 'bad-name', $this->post('/login', ['name' => $name]));
        $anna = $this->login('good');
        self::assertRefused(422, 'bad-name', $this->post('/rooms/join', ['room' => $name], $anna));
        self::assertSame(1, $this->database->number('SELECT count(*) FROM users'));
        self::assertSame(1, $this->database->number('SELECT count(*) FROM rooms'));
    }

    /** @return iterable<string, array{string, string}> a name that somebody has, and one that looks like it */
    public static function alike(): iterable
    {
        yield 'Cyrillic throughout' => ['cocopa', "\u{0441}\u{043E}\u{0441}\u{043E}\u{0440}\u{0430}"];
        yield 'Latin after Cyrillic' => ["\u{0441}\u{043E}\u{0441}\u{043E}", 'coco'];
        yield 'Greek throughout' => ['ov', "\u{03BF}\u{03BD}"];
        yield 'a capital i' => ['lena', 'Iena'];
        yield 'a one' => ['paul', 'pau1'];
        yield 'a zero' => ['bob', 'b0b'];
        yield 'Cyrillic capitals' => ['TOM', "\u{0422}\u{041E}\u{041C}"];
    }

    #[DataProvider('alike')]
    public function test_a_name_that_looks_like_somebodys_is_refused(string $taken, string $name): void
    {
        $this->login($taken);
        $answer = $this->post('/login', ['name' => $name]);
        self::assertRefused(409, 'look-alike', $answer);
        self::assertSame(1, $this->database->number('SELECT count(*) FROM users'));
        self::assertSame(200, $this->post('/login', ['name' => $taken])->status, 'its owner comes in');
        $this->start(new Settings(open: true, rate: 0.0));
        self::assertRefused(409, 'look-alike', $this->post('/messages', ['from' => $name, 'to' => 'all', 'text' => 'x'], null, ['host' => '127.0.0.1']));
    }

    public function test_other_spellings_of_a_name_are_that_name(): void
    {
        $this->login('Jos' . "e\u{301}");
        foreach (["jos\u{E9}", 'JOSÉ', "\u{FF2A}\u{FF4F}\u{FF53}\u{E9}"] as $spelling) {
            self::assertSame("Jos\u{E9}", self::body($this->post('/login', ['name' => $spelling]))['name']);
        }
        self::assertSame(1, $this->database->number('SELECT count(*) FROM users'));
        self::assertSame(200, $this->post('/login', ['name' => 'Jose'])->status, 'an accent can be seen');
    }

    /** @return iterable<string, array{string, string, int, string}> */
    public static function forms(): iterable
    {
        $form = 'application/x-www-form-urlencoded';
        yield 'too large' => [$form, 'to=all&text=' . str_repeat('%41', 30_000), 413, 'too-large'];
        yield 'fields without end' => [$form, str_repeat('a&', 32_000), 400, 'malformed'];
        yield 'a list without end' => [$form, str_repeat('text[]=x&', 7000), 400, 'malformed'];
        yield 'a field within fields' => [$form, 'to=all&text' . str_repeat('[a]', 10_000) . '=x', 400, 'malformed'];
        yield 'a list' => [$form, 'to=all&text[]=x', 400, 'malformed'];
        yield 'a name with a NUL' => [$form, "to=all&te\0xt=x", 422, 'missing-field'];
        yield 'a long text' => [$form, 'to=all&text=' . str_repeat('x', 60_000), 422, 'too-long'];
        yield 'a long recipient' => [$form, 'text=x&to=' . str_repeat('x', 60_000), 404, 'unknown-user'];
        yield 'a long nonce' => [$form, 'to=all&text=x&nonce=' . str_repeat('x', 60_000), 400, 'malformed'];
        yield 'deep JSON' => ['application/json', str_repeat('{"a":', 10_000) . '1' . str_repeat('}', 10_000), 400, 'malformed'];
        yield 'a number without end' => ['application/json', '{"to":"all","text":' . str_repeat('9', 60_000) . '}', 400, 'malformed'];
        yield 'an empty key' => ['application/json', '{"":"x","to":"all"}', 422, 'missing-field'];
        yield 'a key of PHP' => ['application/json', '{"\u0000a":"x","to":"all","text":"x"}', 400, 'malformed'];
        yield 'files' => ['multipart/form-data; boundary=x', "--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nx\r\n--x--", 415, 'unknown-type'];
    }

    #[DataProvider('forms')]
    public function test_a_form_that_is_too_much_is_answered_and_stores_nothing(string $type, string $body, int $status, string $reason): void
    {
        $cookie = $this->chat->tokens->cookie($this->login('anna'));
        $answer = $this->route(new Input('POST', '/messages', ['content-type' => $type], body: $body, cookie: $cookie));
        self::assertRefused($status, $reason, $answer);
        self::assertLessThan(400, strlen($answer->body), 'what was sent is not sent back');
        self::assertSame(0, $this->chat->messages->last());
    }

    public function test_a_session_cannot_be_made_up_moved_or_planted(): void
    {
        $anna = $this->login('anna');
        $ben = $this->login('ben');
        [$a, $b] = [$this->chat->tokens->cookie($anna), $this->chat->tokens->cookie($ben)];
        $me = fn (string $cookie): int => $this->route(new Input('GET', '/me', cookie: $cookie))->status;
        self::assertSame([200, 200], [$me($a), $me($b)]);
        [$use, $id, $expiry, $sign] = explode('.', $a);
        $other = explode('.', $b);
        // One's signature under another's session; signs that PHP might take for numbers or patterns; parts too many.
        foreach (["$use.{$other[1]}.$expiry.$sign", "$use.$id.$expiry.{$other[3]}", "$use.$id.1e30.$sign", "$use.$id.+$expiry.$sign", "$use.$id.$expiry.$sign.$sign", "$use.%.$expiry.$sign", strtoupper($a), " $a", "$a "] as $forged) {
            self::assertSame(401, $me($forged), $forged);
        }
        // Another chat's key signs nothing here.
        $elsewhere = new Tokens($this->chat->sessions, $this->turn, str_repeat('x', 32));
        self::assertSame(401, $me($elsewhere->cookie($anna)));

        // A cookie that is there before a log-in is not what comes out of it.
        $answer = $this->route(new Input('POST', '/login', ['content-type' => 'application/json'], body: '{"name":"eve"}', cookie: $b));
        preg_match('/^tusk_chat=([^;]+)/', $answer->headers['Set-Cookie'] ?? '', $m);
        self::assertNotSame($b, $m[1] ?? '');
        self::assertStringContainsString('"eve"', $this->route(new Input('GET', '/me', cookie: $m[1] ?? ''))->body);
        self::assertStringContainsString('"ben"', $this->route(new Input('GET', '/me', cookie: $b))->body);

        // And nothing that is known of a session is of use without the key.
        foreach ($this->database->rows('SELECT id FROM sessions') as $row) {
            self::assertSame(401, $me((string) $row['id']));
        }
    }

    public function test_a_flood_for_somebody_who_is_away_hides_nobody_elses_message(): void
    {
        [$eve, $anna, $ben] = [$this->login('eve'), $this->login('anna'), $this->login('ben')];
        for ($i = 0; $i < Messages::REPLAY_MAX; $i++) {
            $this->say($eve, 'ben', "spam $i");
        }
        $sink = $this->connect($ben);
        self::assertCount(Messages::REPLAY_MAX, $sink->texts());
        self::assertSame([], $sink->of('reset'));
        $this->disconnect($ben, $sink);
        for ($i = 0; $i < Messages::REPLAY_MAX; $i++) {
            $this->say($eve, 'ben', "more $i");
        }
        $this->say($anna, 'ben', 'where are you?');
        $sink = $this->connect($ben);
        self::assertSame([], $sink->texts());
        self::assertCount(1, $sink->of('reset'), 'what is not replayed is said');
        self::assertSame(1, $this->chat->messages->unread($ben->user, Messages::between($anna->user->id, $ben->user->id)));
    }

    public function test_many_names_of_one_address_send_no_more_than_ten_people(): void
    {
        $this->start(new Settings(rate: 5.0));
        $sent = $refused = 0;
        for ($i = 0; $i < 30; $i++) {
            $one = $this->login("name$i");
            for ($n = 0; $n < 20; $n++) {
                $this->post('/messages', ['to' => 'all', 'text' => 'x'], $one)->status === 201 ? $sent++ : $refused++;
            }
        }
        self::assertSame([200, 400], [$sent, $refused]);
        $elsewhere = $this->login('anna', address: '192.0.2.7');
        self::assertSame(201, $this->post('/messages', ['to' => 'all', 'text' => 'x'], $elsewhere)->status);
        $this->turn->pass(1);
        self::assertSame(201, $this->post('/messages', ['to' => 'all', 'text' => 'x'], $one)->status);
    }

    public function test_text_carries_no_direction_and_no_markup_beyond_itself(): void
    {
        $text = "\u{202A}a\u{202B}b\u{202C}c\u{202D}d\u{202E}e\u{2066}f\u{2067}g\u{2068}h\u{2069}";
        self::assertSame('abcdefgh', Messages::clean($text));
        self::assertSame('<script>x</script>', Messages::clean("\u{202E}<script>x</script>"));
        $anna = $this->login('anna');
        $sink = $this->connect($anna);
        $this->say($anna, 'all', "</script>\u{2028}<!-- \r\n\r\nevent: welcome\r\ndata: {}");
        self::assertSame(["</script>\u{2028}<!-- \n\nevent: welcome\ndata: {}"], $sink->texts());
        self::assertStringNotContainsString("\n", \Tusk\Chat\Wire::encode($sink->of('message')[1] ?? []), 'one line in the stream, whatever is said');
    }
}
