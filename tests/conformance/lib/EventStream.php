<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** A client of server-sent events, by the parsing rules of the WHATWG standard. */
final class EventStream
{
    public string $raw = '';
    private string $rest = '';
    private string $lastId = '';
    private bool $isChunked;

    private function __construct(public readonly Wire $wire, public readonly Http $head)
    {
        $this->isChunked = $head->header('transfer-encoding') !== null;
    }

    public static function open(Target $target, string $headers = '', ?string $accept = 'text/event-stream', string $line = 'GET /events HTTP/1.1'): self
    {
        $wire = $target->connect('sse');
        $wire->write("$line\r\nHost: x\r\n" . ($accept === null ? '' : "Accept: $accept\r\n") . "$headers\r\n");

        return self::over($wire);
    }

    public static function over(Wire $wire): self
    {
        $until = Loop::deadline(8.0);
        while (!str_contains($wire->in, "\r\n\r\n")) {
            if (!$wire->read($until) || $wire->ended) {
                throw new Failed('no head of a stream came: ' . Http::quote($wire->in));
            }
        }
        $head = $wire->take((int) strpos($wire->in, "\r\n\r\n") + 4);
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0) ?: throw new \LogicException('socketpair');
        $copy = new Wire($pair[0]);
        $copy->in = $head;
        $copy->ended = true;
        $isChunked = preg_match('/^transfer-encoding:[ \t]*chunked[ \t]*\r$/mi', $head) === 1;
        if ($isChunked) {
            $copy->in .= "0\r\n\r\n";
        }

        return new self($wire, Http::read($copy, 1.0, !$isChunked));
    }

    public static function publish(Target $target, string $data): int
    {
        $wire = $target->connect('sse');
        $wire->write("POST /publish HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: " . strlen($data) . "\r\n\r\n$data");
        $response = Http::read($wire, 8.0);
        $wire->close();
        if ($response->status >= 300) {
            throw new Failed("publishing was answered with $response->status");
        }

        return $response->status;
    }

    /** Publishes what no other case does, and says it. */
    public static function mark(Target $target): string
    {
        static $number = 0;
        $mark = 'mark ' . getmypid() . '.' . ++$number;
        self::publish($target, $mark);

        return $mark;
    }

    /** More of the stream, unchunked; false at the deadline. */
    public function more(float $timeout = 6.0): bool
    {
        $until = Loop::deadline($timeout);
        if ($this->isChunked) {
            if ($this->wire->in === '' && !$this->wire->read($until)) {
                return false;
            }
            $bytes = Http::chunk($this->wire, $until);
            if ($bytes === '') {
                throw new Failed('the stream ended');
            }
        } else {
            if ($this->wire->in === '' && (!$this->wire->read($until) || $this->wire->in === '')) {
                return false;
            }
            $bytes = $this->wire->take(strlen($this->wire->in));
        }
        $this->raw .= $bytes;
        $this->rest .= $bytes;

        return true;
    }

    /** @return array{type: string, data: string, id: string} the next event that has data */
    public function event(): array
    {
        while (true) {
            while (preg_match('/\A(.*?)(?:\r\n\r\n|\n\n|\r\r|\r\n\n|\n\r\n)/s', $this->rest, $m) === 1 || preg_match('/\A(\r\n|\n)/', $this->rest, $m) === 1) {
                $this->rest = substr($this->rest, strlen($m[0]));
                $event = $this->dispatch($m[1]);
                if ($event !== null) {
                    return $event;
                }
            }
            if (!$this->more()) {
                throw new Failed('no event came; the rest is ' . Http::quote($this->rest));
            }
        }
    }

    public function skipTo(string $data): void
    {
        do {
            $event = $this->event();
        } while ($event['data'] !== $data);
    }

    /** @return array{type: string, data: string, id: string}|null */
    private function dispatch(string $block): ?array
    {
        $type = 'message';
        $data = null;
        foreach (preg_split('/\r\n|\r|\n/', $block) ?: [] as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $value = str_starts_with($value, ' ') ? substr($value, 1) : $value;
            if ($name === 'data') {
                $data = $data === null ? $value : "$data\n$value";
            } elseif ($name === 'event') {
                $type = $value === '' ? 'message' : $value;
            } elseif ($name === 'id' && !str_contains($value, "\0")) {
                $this->lastId = $value;
            }
        }

        return $data === null ? null : ['type' => $type, 'data' => $data, 'id' => $this->lastId];
    }
}
