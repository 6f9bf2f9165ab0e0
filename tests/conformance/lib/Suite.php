<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** The list of cases, filled by the files in cases/. */
final class Suite
{
    /** @var array<string, Script> */
    public array $cases = [];

    /** A WebSocket case after a plain opening handshake; the id is `<rfc>.<section>/<promise>`. */
    public function ws(string $id, string $title): Script
    {
        return $this->add($id, $title, 'ws');
    }

    /**
     * The opening handshake itself: the request is sent as it is; null as status means accepted.
     *
     * @param list<int>|null $refusedWith
     */
    public function upgrade(string $id, string $title, string $request, ?array $refusedWith = null, int $chop = 0): Script
    {
        return $this->add($id, $title, 'ws')->run(static function (Target $target) use ($request, $refusedWith, $chop): void {
            $wire = $target->connect();
            $wire->chop = $chop;
            $wire->write($request);
            $response = Http::read($wire, 10.0, str_starts_with($request, 'HEAD '));
            if ($refusedWith !== null) {
                Expect::status($response, $refusedWith);

                return;
            }
            Upgrade::check($response);
            $session = new Session($wire);
            $session->send([text('hello')]);
            $session->expect(Frame::TEXT, 'hello');
            $session->closeWith(1000);
        });
    }

    /**
     * An HTTP case: bytes to send, and the statuses that must come in order; `closes` wants the end afterwards. A server
     * that closes by announcement after an earlier answer passes, unless `all` are demanded.
     *
     * @param list<int|list<int>> $statuses
     */
    public function http(string $id, string $title, string $bytes, array $statuses, ?bool $closes = null, int $chop = 0, bool $all = false): Script
    {
        return $this->add($id, $title, 'http')->run(static function (Target $t) use ($bytes, $statuses, $closes, $chop, $all): void {
            $wire = $t->connect('http');
            $wire->chop = $chop;
            $wire->write($bytes);
            foreach ($statuses as $status) {
                $response = Http::read($wire, 8.0, str_starts_with($bytes, 'HEAD '));
                Expect::status($response, (array) $status);
                if (!$response->keepsOpen && !$all) {
                    Expect::after($wire, true);

                    return;
                }
            }
            Expect::after($wire, $closes);
        });
    }

    /** A case with a body of its own. @param \Closure(Target): void $body */
    public function custom(string $kind, string $id, string $title, \Closure $body): Script
    {
        return $this->add($id, $title, $kind)->run($body);
    }

    /**
     * A case for clients only, from the request on; the third argument of the body is our port.
     *
     * @param \Closure(Wire, ClientRequest, int): void $body
     */
    public function client(string $id, string $title, \Closure $body): Script
    {
        $script = $this->add($id, $title, 'client')->role('client');
        $script->answer = $body;

        return $script;
    }

    /** A case for an HTTP client or (kind "sse-client") one of event streams. @param \Closure(Exchange): void $body */
    public function exchange(string $id, string $title, \Closure $body, string $kind = 'http-client'): Script
    {
        $script = $this->add($id, $title, $kind)->role('client');
        $script->exchange = $body;

        return $script;
    }

    private function add(string $id, string $title, string $kind): Script
    {
        if (isset($this->cases[$id])) {
            throw new \LogicException("two cases are named $id");
        }
        $script = new Script($id, $title);
        $script->kind = $kind;

        return $this->cases[$id] = $script;
    }

    /**
     * Every case of that role whose id begins so, once more against a variant of the server or client.
     *
     * @param list<string> $but how ids begin that are none of the variant's business
     */
    public function again(string $prefix, string $variant, string $role = 'server', array $but = []): void
    {
        $without = new Filter(implode(',', array_map(static fn (string $id): string => "!$id", $but)));
        foreach ($but as $id) {
            if (array_filter(array_keys($this->cases), static fn (string $known): bool => str_starts_with($known, $id)) === []) {
                throw new \LogicException("no case is named $id");
            }
        }
        foreach ($this->cases as $id => $case) {
            $isPlain = $case->variant === '' && !str_contains($case->kind, '+');
            if (str_starts_with($id, $prefix) && $isPlain && $without->takes($id) && in_array($role, $case->roles, true)) {
                $copy = $case->against($variant, $role);
                $this->cases[$copy->id] = $copy;
                if ($case->needsTakeover && $variant === 'takeover') {
                    $case->roles = ['client'];
                }
            }
        }
    }

    public static function load(string ...$directories): self
    {
        $suite = new self();
        foreach ($directories as $directory) {
            foreach (glob("$directory/*.php") ?: [] as $file) {
                (require $file)($suite);
            }
        }

        return $suite;
    }
}
