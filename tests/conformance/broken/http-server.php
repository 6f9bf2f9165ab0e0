<?php

declare(strict_types=1);

// A small HTTP/1.1 server in plain PHP that is right, or wrong in one named way: http-server.php PORT FOLDER [FAULT]
// It has the pages of examples/http.php and of servers/app.php.

namespace Tusk\Conformance\Broken;

require __DIR__ . '/Sockets.php';
require __DIR__ . '/HttpReader.php';
require __DIR__ . '/HttpPages.php';

/** One connection: its requests in order, its answers in the same. */
final class HttpTalk extends Talk
{
    private const QUEUE = 1 << 18;

    private string $in = '';
    private bool $hasAsked = false;
    private bool $isClosing = false;
    /** @var ?float when the answer that is waited for may leave */
    private ?float $late = null;
    private string $behind = '';
    private ?float $begun = null;

    public function __construct(private readonly HttpReader $reader, private readonly HttpPages $pages, private readonly string $fault)
    {
        $this->begun = microtime(true);
    }

    private function has(string $fault): bool
    {
        return $this->fault === $fault;
    }

    public function take(string $bytes): void
    {
        $this->in .= $bytes;
        $this->go();
    }

    public function drained(): void
    {
        if ($this->isFull && strlen($this->out) < self::QUEUE / 2) {
            $this->isFull = false;
            $this->go();
        }
    }

    public function end(): void
    {
        $this->isClosing = true;
        if ($this->late === null || $this->has('forgets-half-closed')) {
            $this->isDone = true;
        }
        if ($this->has('forgets-half-closed')) {
            $this->out = '';
        }
    }

    public function tick(float $age): void
    {
        if ($this->late !== null && microtime(true) > $this->late) {
            $this->late = null;
            $this->out .= $this->behind;
            $this->behind = '';
            $this->go();
        }
        if ($this->begun !== null && microtime(true) - $this->begun > 10 && !$this->has('no-deadline') && !$this->isDone) {
            $this->refuse(new Refusal(408));
        }
    }

    private function go(): void
    {
        while (!$this->isDone && !$this->isFull && ($this->late === null || $this->has('overtakes')) && $this->step()) {
            $this->isFull = strlen($this->out) > self::QUEUE && !$this->has('no-back-pressure');
        }
        if ($this->isClosing && $this->late === null && !$this->isFull) {
            $this->isDone = true;
        }
    }

    private function step(): bool
    {
        try {
            $request = $this->reader->read($this->in, $this->askForBody(...));
        } catch (Refusal $refusal) {
            $this->refuse($refusal);

            return false;
        }
        if ($request === null) {
            $this->begun = $this->in === '' ? null : $this->begun ?? microtime(true);

            return false;
        }
        $this->begun = null;
        $this->hasAsked = false;
        $this->in = $this->has('drops-pipelined') ? '' : (string) substr($this->in, $request->size);
        $this->answer($request);

        return true;
    }

    private function askForBody(string $version): void
    {
        if (!$this->hasAsked && ($version === '1.1' || $this->has('asks-http-1.0')) && !$this->has('no-100')) {
            $this->out .= "HTTP/1.1 100 Continue\r\n\r\n";
        }
        $this->hasAsked = true;
    }

    private function refuse(Refusal $refusal): void
    {
        $this->out .= "HTTP/1.1 {$refusal->getCode()} Refused\r\nDate: " . gmdate('D, d M Y H:i:s') . " GMT\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"
            . (str_starts_with($this->in, 'HEAD ') && !$this->has('refuses-head-with-content') ? '' : 'no');
        if ($this->has('goes-on-after-400')) {
            $end = strpos($this->in, "\r\n\r\n");
            $this->in = $end === false ? '' : (string) substr($this->in, $end + 4);
            $this->go();

            return;
        }
        $this->isDone = true;
    }

    private function answer(Request $request): void
    {
        $page = $this->pages->page($request);
        $closes = $request->closes && !$this->has('keeps-when-told-to-close');
        if ($request->version === '1.0') {
            $closes = !$this->has('keeps-http-1.0');
        }
        $fields = $this->has('no-date') ? [] : ['Date' => gmdate('D, d M Y H:i:s') . ' GMT'];
        $body = $page->body;
        if ($page->status === 101 || $page->status === 204 || $page->status === 304) {
            $body = '';
            if ($page->status === 204 && $this->has('length-with-204')) {
                $fields['Content-Length'] = '0';
            }
            if ($page->status === 304 && $this->has('body-with-304')) {
                $body = $page->body;
            }
        } elseif ($page->isStream && ($request->version === '1.1' || $this->has('chunks-to-1.0'))) {
            $fields['Transfer-Encoding'] = 'chunked';
            $body = implode('', array_map(static fn (string $chunk): string => dechex(strlen($chunk)) . "\r\n$chunk\r\n", $page->chunks)) . "0\r\n\r\n";
            $body = $this->has('no-last-chunk') ? (string) substr($body, 0, -5) : $body;
        } elseif (!$page->isStream) {
            $fields['Content-Length'] = (string) (strlen($body) + ($this->has('wrong-length') && $body === '0123456789' && $request->method === 'GET' ? 1 : 0));
        }
        if ($closes) {
            $fields['Connection'] = 'close';
        }
        $head = "HTTP/1.1 $page->status X\r\n";
        foreach ($fields + $page->fields as $name => $value) {
            $head .= "$name: $value\r\n";
        }
        $bytes = "$head\r\n" . ($request->method === 'HEAD' && !$this->has('body-with-head') ? '' : $body);
        if ($page->isLate && !$this->has('overtakes')) {
            $this->late = microtime(true) + 0.2;
            $this->behind = $bytes;
        } elseif ($page->isLate) {
            $this->behind = $bytes;
            $this->late = microtime(true) + 0.2;
        } else {
            $this->out .= $bytes;
        }
        $this->isClosing = $this->isClosing || $closes;
        if ($closes) {
            $this->in = '';
            $this->isDone = $this->late === null;
        }
    }
}

$fault = $argv[3] ?? 'none';
$pages = new HttpPages($argv[2], $fault);
(new Sockets((int) $argv[1], static fn (): HttpTalk => new HttpTalk(new HttpReader($fault), $pages, $fault)))->run();
