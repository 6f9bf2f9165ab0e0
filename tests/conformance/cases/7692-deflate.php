<?php

declare(strict_types=1);

// RFC 7692: permessage-deflate. Negotiation (5, 7.1) and messages (6, 7.2).

namespace Tusk\Conformance;

return static function (Suite $s): void {
    /**
     * Offers the header line(s) and hands the agreed parameters (null: declined) to the check.
     *
     * @param string|list<string>                              $offer
     * @param \Closure(?array<string, string|null>, Session): void $check
     */
    $negotiate = static fn (string $id, string $title, string|array $offer, \Closure $check): Script
        => $s->custom('ws', "7692.7.1/$id", $title, static function (Target $t) use ($offer, $check): void {
            $wire = $t->connect();
            $wire->write(Upgrade::request(['Sec-WebSocket-Extensions' => $offer]));
            $response = Http::read($wire, 10.0);
            Upgrade::check($response, true);
            $session = new Session($wire);
            $list = Extensions::parse($response->header('sec-websocket-extensions') ?? '');
            foreach ($list as $item) {
                Expect::same('permessage-deflate', $item['name'], 'extension');
            }
            Expect::that(count($list) <= 1, 'permessage-deflate was accepted twice');
            $agreed = $list[0]['parameters'] ?? null;
            if ($agreed !== null) {
                $session->deflate = new Deflate(
                    (int) ($agreed['client_max_window_bits'] ?? 15),
                    !array_key_exists('client_no_context_takeover', $agreed),
                    (int) ($agreed['server_max_window_bits'] ?? 15),
                    !array_key_exists('server_no_context_takeover', $agreed),
                );
            }
            $check($agreed, $session);
            foreach ([prose(40000), prose(40000), prose(40000, 2)] as $data) {
                $session->send([$session->deflate === null ? text($data) : text($session->deflate->compress($data))->rsv1()]);
                $session->expect(Frame::TEXT, $data);
            }
            $session->closeWith(1000);
        });
    $window = static function (?array $p, string $name): void {
        $value = $p[$name] ?? null;
        Expect::that($value === null || preg_match('/\A([89]|1[0-5])\z/', $value) === 1, "$name=$value in the response");
    };
    $accepted = static function (?array $p) use ($window): void {
        if ($p === null) {
            throw new Absent('permessage-deflate was declined');
        }
        $window($p, 'server_max_window_bits');
        $window($p, 'client_max_window_bits');
    };
    $declined = static fn (?array $p) => Expect::same(null, $p, 'agreed parameters');

    $negotiate('plain', 'an offer without parameters is accepted', 'permessage-deflate', static function (?array $p) use ($accepted): void {
        $accepted($p);
        Expect::that(!array_key_exists('client_max_window_bits', (array) $p), 'client_max_window_bits without an offer of it');
    });
    $negotiate('name-in-other-case', 'extension names are tokens: an unknown spelling is declined or taken for the same', 'Permessage-Deflate', static fn () => null);
    $negotiate('server-no-context-takeover', 'the demanded server_no_context_takeover is confirmed', 'permessage-deflate; server_no_context_takeover', static function (?array $p) use ($accepted): void {
        $accepted($p);
        Expect::that(array_key_exists('server_no_context_takeover', (array) $p), 'not confirmed');
    });
    $negotiate('client-no-context-takeover', 'client_no_context_takeover may be confirmed', 'permessage-deflate; client_no_context_takeover', $accepted);
    $negotiate('both-no-context-takeover', 'both no_context_takeover', 'permessage-deflate; client_no_context_takeover; server_no_context_takeover', static function (?array $p) use ($accepted): void {
        $accepted($p);
        Expect::that(array_key_exists('server_no_context_takeover', (array) $p), 'not confirmed');
    });
    $negotiate('client-window-hint', 'client_max_window_bits without a value', 'permessage-deflate; client_max_window_bits', $accepted);
    foreach (range(8, 15) as $bits) {
        $negotiate("client-window-$bits", "client_max_window_bits=$bits: what the server answers is not above it", "permessage-deflate; client_max_window_bits=$bits", static function (?array $p) use ($accepted, $bits): void {
            if ($p === null) {
                throw new Absent('declined');
            }
            $accepted($p);
            Expect::that((int) ($p['client_max_window_bits'] ?? $bits) <= $bits, 'the answer is above the offer');
        });
        $negotiate("server-window-$bits", "server_max_window_bits=$bits is kept, or the offer declined", "permessage-deflate; server_max_window_bits=$bits", static function (?array $p) use ($bits, $window): void {
            if ($p === null) {
                return;
            }
            $window($p, 'server_max_window_bits');
            Expect::that(isset($p['server_max_window_bits']) && (int) $p['server_max_window_bits'] <= $bits, 'accepted without keeping the window');
        });
        $negotiate("both-windows-$bits", "both windows at $bits", "permessage-deflate; client_max_window_bits=$bits; server_max_window_bits=$bits", static function (?array $p) use ($bits): void {
            if ($p === null) {
                return;
            }
            Expect::that((int) ($p['server_max_window_bits'] ?? 99) <= $bits, 'accepted without keeping the window');
            Expect::that((int) ($p['client_max_window_bits'] ?? $bits) <= $bits, 'the answer is above the offer');
        });
    }
    foreach ([10, 15] as $bits) {
        $negotiate("all-four-$bits", "all four parameters, windows at $bits", "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=$bits; client_max_window_bits=$bits", $accepted);
    }
    $negotiate('quoted-value', 'a quoted value is the same as a token (6455, 9.1)', 'permessage-deflate; server_max_window_bits="12"', static function (?array $p): void {
        Expect::that($p === null || (int) ($p['server_max_window_bits'] ?? 99) <= 12, 'accepted without keeping the window');
    });
    $negotiate('quoted-value-strict', 'a quoted value is accepted', 'permessage-deflate; server_max_window_bits="12"', static function (?array $p): void {
        Expect::that($p !== null, 'declined');
    })->strict();
    foreach (['spaces' => ' permessage-deflate ;  server_no_context_takeover ', 'tabs' => "permessage-deflate\t;\tserver_no_context_takeover", 'no-space' => 'permessage-deflate;server_no_context_takeover', 'spaces-at-equals' => 'permessage-deflate; server_max_window_bits = 12'] as $name => $offer) {
        $negotiate("white-$name", "white space in the offer ($name)", $offer, static fn () => null);
    }
    $bad = [
        'unknown-parameter' => 'foo', 'unknown-with-value' => 'foo=1', 'server-window-7' => 'server_max_window_bits=7',
        'server-window-16' => 'server_max_window_bits=16', 'server-window-0' => 'server_max_window_bits=0',
        'server-window-none' => 'server_max_window_bits', 'server-window-leading-zero' => 'server_max_window_bits=010',
        'server-window-09' => 'server_max_window_bits=09', 'server-window-text' => 'server_max_window_bits=ten',
        'server-window-plus' => 'server_max_window_bits=+10', 'server-window-minus' => 'server_max_window_bits=-10',
        'server-window-huge' => 'server_max_window_bits=4294967306',
        'client-window-7' => 'client_max_window_bits=7', 'client-window-16' => 'client_max_window_bits=16',
        'client-window-leading-zero' => 'client_max_window_bits=09', 'client-window-text' => 'client_max_window_bits=x',
        'takeover-with-value' => 'server_no_context_takeover=1', 'client-takeover-with-value' => 'client_no_context_takeover=true',
        'twice-server-takeover' => 'server_no_context_takeover; server_no_context_takeover',
        'twice-client-takeover' => 'client_no_context_takeover; client_no_context_takeover',
        'twice-server-window' => 'server_max_window_bits=10; server_max_window_bits=10',
        'twice-server-window-differs' => 'server_max_window_bits=10; server_max_window_bits=12',
        'twice-client-window' => 'client_max_window_bits; client_max_window_bits=10',
    ];
    foreach ($bad as $name => $parameters) {
        $negotiate("bad-$name", "an offer with a bad parameter is declined, not the connection ($name)", "permessage-deflate; $parameters", $declined);
        $negotiate("bad-$name-then-good", "after a bad offer ($name) the next one is taken", "permessage-deflate; $parameters, permessage-deflate", static function (?array $p) use ($accepted): void {
            $accepted($p);
            Expect::same([], array_intersect_key((array) $p, ['foo' => 1]), 'unknown parameters');
        });
    }
    $negotiate('order', 'the first acceptable offer is taken', 'permessage-deflate; server_no_context_takeover, permessage-deflate', static function (?array $p) use ($accepted): void {
        $accepted($p);
        Expect::that(array_key_exists('server_no_context_takeover', (array) $p), 'the second offer was taken');
    });
    $negotiate('order-over-headers', 'offers may be spread over headers', ['permessage-deflate; server_max_window_bits=99', 'permessage-deflate; server_no_context_takeover'], static function (?array $p) use ($accepted): void {
        $accepted($p);
        Expect::that(array_key_exists('server_no_context_takeover', (array) $p), 'the offer of the second header was not taken');
    });
    $negotiate('unknown-extension', 'an unknown extension is not accepted', 'x-unknown', $declined);
    $negotiate('unknown-first', 'an unknown extension before a known one', 'x-unknown; a=1; b, permessage-deflate', $accepted);
    $negotiate('unknown-with-same-parameters', 'the parameters of another extension are not ours', 'permessage-other; server_no_context_takeover, permessage-deflate; client_max_window_bits', $accepted);
    foreach (['x-webkit-deflate-frame', 'permessage-bzip2', 'permessage-deflate-x', 'permessage'] as $other) {
        $negotiate("other-$other", "$other is not permessage-deflate", $other, $declined);
    }
    $malformed = ['empty' => '', 'empty-quoted' => 'permessage-deflate; server_max_window_bits=""', 'comma' => ',', 'semicolon' => 'permessage-deflate;', 'no-name' => '; server_no_context_takeover', 'open-quote' => 'permessage-deflate; server_max_window_bits="12', 'space-in-name' => 'permessage deflate', 'control' => "permessage-deflate; a=\x01"];
    foreach ($malformed as $name => $offer) {
        $s->custom('ws', "7692.7.1/malformed-$name", "a malformed extension header ($name): refused with 400, or declined", static function (Target $t) use ($offer): void {
            $wire = $t->connect();
            $wire->write(Upgrade::request(['Sec-WebSocket-Extensions' => $offer]));
            $response = Http::read($wire, 10.0);
            Expect::status($response, [101, 400]);
            if ($response->status === 101) {
                $list = Extensions::parse($response->header('sec-websocket-extensions') ?? '');
                $session = new Session($wire);
                $session->deflate = $list === [] ? null : new Deflate();
                $session->send([text('plain')]);
                $session->expect(Frame::TEXT, 'plain');
            }
        });
    }
    $negotiate('many-offers', 'fifty offers before a good one', implode(', ', array_fill(0, 50, 'permessage-deflate; server_max_window_bits=7')) . ', permessage-deflate', static fn () => null);
};
