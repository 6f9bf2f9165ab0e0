<?php

declare(strict_types=1);

// A small server of event streams in plain PHP that is right, or wrong in one named way: sse-server.php PORT [FAULT]
// What is POSTed to /publish reaches everybody at /events, as with examples/sse.php.

namespace Tusk\Conformance\Broken;

require __DIR__ . '/Sockets.php';
require __DIR__ . '/HttpReader.php';

/** Everything that was published, by number. */
final class News
{
    /** @var array<int, string> */
    public array $history = [];
    public int $last = 0;
    /** @var \SplObjectStorage<StreamTalk, null> who listens */
    public \SplObjectStorage $streams;

    public function __construct(public readonly string $fault)
    {
        $this->streams = new \SplObjectStorage();
    }

    public function publish(string $data): int
    {
        $id = ++$this->last;
        $this->history[$id] = $data;
        unset($this->history[$id - 50]);
        $order = iterator_to_array($this->streams, false);
        if ($this->fault === 'waits-for-the-slowest' && array_filter($order, static fn (StreamTalk $s): bool => strlen($s->out) > 1 << 20) !== []) {
            return $id;
        }
        foreach ($order as $index => $stream) {
            if ($this->fault === 'twenty-streams' && $index >= 20) {
                continue;
            }
            $stream->event($this->fault === 'one-late' && $id % 7 === 0 ? $id - 1 : $id, $data);
        }

        return $id;
    }
}

final class StreamTalk extends Talk
{
    private const QUEUE = 8 << 20;

    private string $in = '';
    private bool $isStream = false;
    private bool $isChunked = false;

    public function __construct(private readonly HttpReader $reader, private readonly News $news) {}

    private function has(string $fault): bool
    {
        return $this->news->fault === $fault;
    }

    public function take(string $bytes): void
    {
        $this->in .= $bytes;
        while (!$this->isDone && (!$this->isStream || $this->has('answers-into-stream'))) {
            try {
                $request = $this->reader->read($this->in, static fn () => null);
            } catch (Refusal $refusal) {
                $this->reply($refusal->getCode());
                $this->isDone = true;

                return;
            }
            if ($request === null) {
                return;
            }
            $this->in = (string) substr($this->in, $request->size);
            $this->answer($request);
        }
    }

    public function end(): void
    {
        parent::end();
        $this->news->streams->detach($this);
        $this->out = $this->isStream ? '' : $this->out;
    }

    private function reply(int $status, string $body = '', string $fields = ''): void
    {
        $this->out .= "HTTP/1.1 $status X\r\nContent-Length: " . strlen($body) . "\r\n$fields\r\n$body";
    }

    private function answer(Request $r): void
    {
        $path = explode('?', $r->target)[0];
        if ($path === '/publish' && $r->method === 'POST') {
            $this->reply($this->has('publish-500') ? 500 : 200, (string) $this->news->publish($r->body));
        } elseif ($path === '/events' && ($r->method === 'GET' || ($r->method === 'HEAD' && !$this->has('refuses-head')) || $this->has('takes-posts'))) {
            $this->open($r);
        } else {
            $this->reply($path === '/events' || $path === '/publish' ? 405 : 404);
        }
        if ($r->closes && !$this->isStream) {
            $this->isDone = true;
        }
    }

    private function open(Request $r): void
    {
        $type = $this->has('wrong-type') ? 'text/plain' : 'text/event-stream';
        $head = "HTTP/1.1 200 OK\r\nContent-Type: $type\r\n" . ($this->has('cacheable') ? '' : "Cache-Control: no-cache\r\n") . ($this->has('buffered') ? '' : "X-Accel-Buffering: no\r\n");
        $this->isChunked = ($r->version === '1.1' && !$this->has('not-chunked')) || $this->has('chunks-to-1.0');
        $this->out .= $head . ($this->isChunked ? "Transfer-Encoding: chunked\r\n" : '') . ($this->has('with-length') ? "Content-Length: 99999999\r\n" : '') . "\r\n";
        if ($r->method === 'HEAD' && !$this->has('head-hangs')) {
            $this->isDone = true;

            return;
        }
        $this->isStream = true;
        if ($r->method === 'HEAD') {
            $this->out = '';
        }
        if (!$this->has('silent-at-first')) {
            $this->write($this->has('comment-as-data') ? "data: welcome\n\n" : ":\n\n");
        }
        $since = $r->fields['last-event-id'] ?? '';
        if (preg_match('/\A\d{1,15}\z/', $since) === 1 && !$this->has('ignores-last-event-id')) {
            foreach ($this->news->history as $id => $data) {
                if ($id > (int) $since - ($this->has('resumes-inclusive') ? 1 : 0)) {
                    $this->event($id, $data);
                }
            }
        } elseif ($since !== '' && $this->has('refuses-unknown-id')) {
            $this->isDone = true;
        }
        if (!$this->has('no-live-after-resume') || $since === '') {
            $this->news->streams->attach($this);
        }
    }

    public function event(int $id, string $data): void
    {
        $data = match ($this->news->fault) {
            'strips-bom' => str_replace("\u{feff}", '', $data),
            'drops-nul' => str_replace("\0", '', $data),
            'trims' => trim($data, ' '),
            'latin1' => (string) preg_replace('/[^\x00-\x7f]/', '?', $data),
            'cuts-long' => substr($data, 0, 65536),
            'drops-last-line-end' => rtrim($data, "\n"),
            default => $data,
        };
        $lines = preg_split($this->has('keeps-cr') ? '/\n/' : '/\r\n|\r|\n/', $data) ?: [];
        if ($this->has('one-data-line')) {
            $lines = [$data];
        }
        $space = $this->has('no-space') ? '' : ' ';
        $block = match ($this->news->fault) {
            'no-id' => '',
            'same-id' => "id: 7\n",
            'id-with-space' => "id: a b$id\n",
            default => "id: $id\n",
        };
        foreach ($lines as $line) {
            $block .= $this->has('wrong-field') ? "data $line\n" : "data:$space$line\n";
        }
        $end = match ($this->news->fault) {
            'no-blank-line' => '',
            'wrong-line-end' => "\v",
            default => "\n",
        };
        $this->write($block . $end);
    }

    private function write(string $bytes): void
    {
        if (strlen($this->out) > self::QUEUE && !$this->has('no-queue-limit')) {
            $this->isDone = true;
            $this->news->streams->detach($this);
            $this->out = '';

            return;
        }
        $this->out .= $this->isChunked ? dechex(strlen($bytes)) . "\r\n$bytes\r\n" : $bytes;
    }
}

$news = new News($argv[2] ?? 'none');
(new Sockets((int) $argv[1], static fn (): StreamTalk => new StreamTalk(new HttpReader('none'), $news)))->run();
