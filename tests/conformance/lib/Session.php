<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/**
 * Our end of one WebSocket connection: what is sent is free, what comes is read strictly.
 */
final class Session
{
    public ?Deflate $deflate = null;
    /** @var array<string, string|null> the agreed parameters of permessage-deflate */
    public array $agreed = [];
    /** Seconds to wait for what must come. */
    public float $timeout = 6.0;
    private bool $weClosed = false;

    public function __construct(public readonly Wire $wire, public readonly bool $isServer = false) {}

    /** @param list<Frame|string> $items frames, or bytes as they are */
    public function send(array $items): void
    {
        $this->wire->write($this->encode($items));
    }

    /** @param list<Frame|string> $items */
    public function encode(array $items): string
    {
        $bytes = '';
        foreach ($items as $item) {
            $bytes .= is_string($item) ? $item : $item->encode(!$this->isServer);
        }

        return $bytes;
    }

    /** The next frame as the peer sent it; pings of the peer are answered on the way. */
    public function frame(): Frame
    {
        do {
            $frame = $this->next();
            if ($frame->opcode === Frame::PING) {
                $this->send([pong($frame->payload)]);
            }
        } while ($frame->opcode === Frame::PING);

        return $frame;
    }

    private function next(): Frame
    {
        $until = Loop::deadline($this->timeout);
        $this->need(2, $until);
        $first = ord($this->wire->in[0]);
        $second = ord($this->wire->in[1]);
        $form = match ($second & 0x7f) {
            126 => 16,
            127 => 64,
            default => 7,
        };
        $extra = [7 => 0, 16 => 2, 64 => 8][$form];
        $masked = ($second & 0x80) !== 0;
        $head = 2 + $extra + ($masked ? 4 : 0);
        $this->need($head, $until);
        $length = $form === 7 ? $second & 0x7f : (int) hexdec(bin2hex(substr($this->wire->in, 2, $extra)));
        $this->checkHead($first, $masked, $form, $length);
        $this->need($head + $length, $until + $length / 2e6);
        $bytes = $this->wire->take($head + $length);
        $payload = substr($bytes, $head);
        if ($masked) {
            $payload ^= substr(str_repeat(substr($bytes, $head - 4, 4), intdiv($length, 4) + 1), 0, $length);
        }

        return new Frame($first & 15, $payload, ($first & 0x80) !== 0, ($first >> 4) & 7, $masked, $form);
    }

    private function checkHead(int $first, bool $masked, int $form, int $length): void
    {
        $opcode = $first & 15;
        if (!in_array($opcode, [0, 1, 2, 8, 9, 10], true)) {
            throw new Failed("a frame with opcode $opcode came");
        }
        if ($masked !== $this->isServer) {
            throw new Failed($masked ? 'a masked frame came from the server' : 'an unmasked frame came from the client');
        }
        if (($form === 16 && $length < 126) || ($form === 64 && $length < 65536)) {
            throw new Failed("a length of $length came in $form bits");
        }
        if ($opcode >= 8 && ($length > 125 || ($first & 0x80) === 0 || ($first & 0x70) !== 0)) {
            throw new Failed('a control frame came that is fragmented, too long or has reserved bits');
        }
        $allowed = $this->deflate !== null && ($opcode === 1 || $opcode === 2) ? 0x40 : 0;
        if (($first & 0x70 & ~$allowed) !== 0) {
            throw new Failed('a frame came with reserved bits that were not agreed');
        }
    }

    private function need(int $length, float $until): void
    {
        while (strlen($this->wire->in) < $length) {
            if (!$this->wire->read($until)) {
                throw new Failed('nothing came in time' . ($this->wire->in === '' ? '' : ' after part of a frame'));
            }
            if ($this->wire->ended && strlen($this->wire->in) < $length) {
                throw new Failed($this->wire->wasReset ? 'the connection was reset' : 'the connection ended without Close');
            }
        }
    }

    /**
     * The next data message, put together and inflated; control frames in between are a fault of the peer's order.
     *
     * @return array{int, string, int} opcode, payload, number of frames
     */
    public function message(): array
    {
        $first = $this->frame();
        if ($first->opcode !== Frame::TEXT && $first->opcode !== Frame::BINARY) {
            throw new Failed('expected a message, got ' . $first->describe());
        }
        $parts = [$first->payload];
        $frame = $first;
        while (!$frame->final) {
            $frame = $this->frame();
            if ($frame->opcode !== Frame::CONTINUATION) {
                throw new Failed('expected a continuation, got ' . $frame->describe());
            }
            $parts[] = $frame->payload;
        }
        $payload = implode('', $parts);
        if ($first->rsv === 4 && $this->deflate !== null) {
            $payload = $this->deflate->expand($payload);
        }
        if ($first->opcode === Frame::TEXT && preg_match('//u', $payload) !== 1) {
            throw new Failed('a text message came that is not UTF-8');
        }

        return [$first->opcode, $payload, count($parts)];
    }

    public function expect(int $opcode, string $payload): void
    {
        [$gotOpcode, $got] = $this->message();
        if ($gotOpcode !== $opcode || $got !== $payload) {
            throw new Failed(sprintf(
                'expected %s, got %s',
                (new Frame($opcode, $payload))->describe(),
                (new Frame($gotOpcode, $got))->describe(),
            ));
        }
    }

    public function expectPong(string $payload): void
    {
        $frame = $this->frame();
        if ($frame->opcode !== Frame::PONG || $frame->payload !== $payload) {
            throw new Failed('expected ' . pong($payload)->describe() . ', got ' . $frame->describe());
        }
    }

    /**
     * The peer closes: a Close frame with one of the codes, and after our answer the end of the stream, from its side.
     *
     * @param list<int> $codes
     */
    public function expectClose(array $codes, ?string $reason = null): void
    {
        $frame = $this->frame();
        if ($frame->opcode !== Frame::CLOSE) {
            throw new Failed('expected close ' . implode('/', $codes) . ', got ' . $frame->describe());
        }
        $code = $frame->closeCode();
        if (!in_array($code, $codes, true)) {
            throw new Failed('expected close ' . implode('/', $codes) . ", got close $code");
        }
        $this->checkReason($code, substr($frame->payload, 2), $reason);
        if (!$this->weClosed) {
            $this->send([new Frame(Frame::CLOSE, substr($frame->payload, 0, 2))]);
        }
        $this->expectEnd();
    }

    private function checkReason(int $code, string $got, ?string $wanted): void
    {
        if (preg_match('//u', $got) !== 1) {
            throw new Failed('the reason of a Close frame is not UTF-8');
        }
        if (($code < 1000 || $code > 4999 || in_array($code, [1004, 1006, 1015], true))) {
            throw new Failed("close code $code must not be sent");
        }
        if ($wanted !== null && $got !== $wanted) {
            throw new Failed("expected the reason '$wanted', got '$got'");
        }
    }

    public function expectEnd(?float $timeout = null): void
    {
        if ($this->isServer) {
            $this->wire->halfClose();
        }
        $timeout ??= $this->timeout;
        if (!$this->wire->readToEnd($timeout)) {
            throw new Failed("the peer did not close the TCP connection within $timeout s");
        }
        if ($this->wire->in !== '') {
            throw new Failed('bytes came after Close: ' . Http::quote($this->wire->in));
        }
    }

    /** We close; the peer answers with the same code and ends. */
    public function closeWith(?int $code = 1000, string $reason = ''): void
    {
        $this->weClosed = true;
        $this->send([close($code, $reason)]);
        $this->expectClose([$code ?? 1005]);
        if ($this->wire->wasReset) { // over TLS also an end without close_notify
            throw new Failed('the connection was reset after Close');
        }
    }

    public function weHaveClosed(): void
    {
        $this->weClosed = true;
    }
}
