<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/**
 * One case: what we send and what must come. The steps are the same whichever role the peer plays.
 */
final class Script
{
    /** @var list<\Closure(Session, Target): void> */
    public array $steps = [];
    public bool $closed = false;
    public bool $isStrict = false;
    public bool $isSlow = false;
    public bool $isAlone = false;
    public bool $isHeavy = false;
    public bool $needsTakeover = false;
    public ?string $offer = null;
    public ?string $accept = null;
    public string $kind = 'ws';
    /** Of the servers of a kind, the one with that name; '' is the first. */
    public string $variant = '';
    /** @var list<string> */
    public array $roles = ['server', 'client'];
    public ?\Closure $body = null;
    /** @var (\Closure(Wire, ClientRequest, int): void)|null */
    public ?\Closure $answer = null;
    /** @var (\Closure(Exchange): void)|null */
    public ?\Closure $exchange = null;

    public function __construct(public readonly string $id, public readonly string $title) {}

    /** The same case against another server of its kind: `7692.6/x` becomes `7692.6+name/x`. A client's is of the kind with that name. */
    public function against(string $variant, string $role = 'server'): self
    {
        $copy = new self(str_replace('/', "+$variant/", $this->id), "$this->title ($variant)");
        foreach (array_diff_key(get_object_vars($this), ['id' => 1, 'title' => 1]) as $name => $value) {
            $copy->{$name} = $value;
        }
        $copy->variant = $variant;
        $copy->roles = [$role];
        if ($role === 'client') {
            $copy->kind = "$this->kind+$variant";
        }

        return $copy;
    }

    /** @param \Closure(Session, Target): void $step */
    public function step(\Closure $step): self
    {
        $this->steps[] = $step;

        return $this;
    }

    /** The RFC leaves a choice here; this is the one Tusk takes. */
    public function strict(): self
    {
        $this->isStrict = true;

        return $this;
    }

    /** Waits for a deadline of the peer: started first, beside all others. */
    public function slow(): self
    {
        $this->isSlow = true;

        return $this;
    }

    /** Costs much: of broken peers only those must bear it that it is about. */
    public function heavy(): self
    {
        $this->isHeavy = true;

        return $this;
    }

    /** Measures the peer's process: run when nothing else runs, against a fresh server. */
    public function alone(): self
    {
        $this->isAlone = true;

        return $this;
    }

    /** For a peer that keeps its contexts: with such a variant at hand, played against it alone. */
    public function takeover(): self
    {
        $this->needsTakeover = true;

        return $this;
    }

    public function role(string ...$roles): self
    {
        $this->roles = array_values($roles);

        return $this;
    }

    /** Offers (and needs) permessage-deflate; in the client's role `$accept` is our answer to its offer. */
    public function deflate(string $parameters = '', ?string $accept = null): self
    {
        $this->offer = 'permessage-deflate' . ($parameters === '' ? '' : "; $parameters");
        $this->accept = 'permessage-deflate' . ($accept === null ? '' : "; $accept");

        return $this;
    }

    /** All further writes go out in pieces of that many bytes. */
    public function chop(int $bytes = 1): self
    {
        return $this->step(static function (Session $s) use ($bytes): void {
            $s->wire->chop = $bytes;
        });
    }

    /** One write. */
    public function send(Frame|string ...$items): self
    {
        return $this->step(static fn (Session $s) => $s->send(array_values($items)));
    }

    /** One write per item, with time for the peer to read each alone. */
    public function each(Frame|string ...$items): self
    {
        return $this->step(static function (Session $s) use ($items): void {
            foreach ($items as $item) {
                $s->send([$item]);
                Loop::sleep(0.01);
            }
        });
    }

    /** A message compressed by us, in that many frames. */
    public function sendDeflated(string $data, int $opcode = Frame::TEXT, int $frames = 1): self
    {
        return $this->step(static function (Session $s) use ($data, $opcode, $frames): void {
            $packed = $s->deflate?->compress($data) ?? throw new Absent('permessage-deflate is not agreed');
            $size = max(1, intdiv(strlen($packed) + $frames - 1, $frames));
            $list = fragments($opcode, str_split($packed, $size));
            $list[0] = $list[0]->rsv1();
            $s->send($list);
        });
    }

    public function pause(float $seconds): self
    {
        return $this->step(static fn () => Loop::sleep($seconds));
    }

    public function text(string $payload): self
    {
        return $this->step(static fn (Session $s) => $s->expect(Frame::TEXT, $payload));
    }

    public function binary(string $payload): self
    {
        return $this->step(static fn (Session $s) => $s->expect(Frame::BINARY, $payload));
    }

    public function pong(string $payload = ''): self
    {
        return $this->step(static fn (Session $s) => $s->expectPong($payload));
    }

    /** Sends a text message and wants it back. */
    public function echoes(string $payload): self
    {
        return $this->send(text($payload))->text($payload);
    }

    /** Nothing came meanwhile and the connection works: the next frame is the answer to this ping. */
    public function alive(string $mark = 'still here'): self
    {
        return $this->send(ping($mark))->pong($mark);
    }

    /** @param int|list<int> $codes */
    public function closes(int|array $codes, ?string $reason = null): self
    {
        $this->closed = true;

        return $this->step(static fn (Session $s) => $s->expectClose((array) $codes, $reason));
    }

    /** The steps have ended the connection themselves. */
    public function leaves(): self
    {
        $this->closed = true;

        return $this;
    }

    /** A whole body of our own, for what no list of steps can say. @param \Closure(Target): void $body */
    public function run(\Closure $body): self
    {
        $this->body = $body;
        $this->closed = true;
        $this->roles = ['server'];

        return $this;
    }

    /** Plays the steps over an open connection; a case that does not close is closed cleanly at the end. */
    public function play(Session $session, Target $target): void
    {
        foreach ($this->steps as $step) {
            $step($session, $target);
        }
        if (!$this->closed) {
            $session->closeWith(1000);
        }
    }
}
