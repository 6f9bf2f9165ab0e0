<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** What a case of an HTTP or event-stream client is played on: a listening socket of its own, and the client that is sent there. */
final class Exchange
{
    private const TIMEOUT = 4.0;

    public readonly int $port;
    /** @var resource */
    private $listener;
    private bool $isStreaming = false;
    private ?Bridge $bridge = null;

    /** @param ?string $bridge the client comes over TLS, and a bridge with these options */
    public function __construct(private readonly Subject $subject, ?string $bridge = null, string $log = '/dev/null')
    {
        $context = stream_context_create(['socket' => ['tcp_nodelay' => true, 'backlog' => 64]]);
        $this->listener = stream_socket_server('tcp://127.0.0.1:0', $code, $text, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, $context)
            ?: throw new \RuntimeException("cannot listen: $text");
        stream_set_blocking($this->listener, false);
        $port = (int) substr((string) strrchr((string) stream_socket_get_name($this->listener, false), ':'), 1);
        $this->bridge = $bridge === null ? null : new Bridge('open', $port, $bridge, $log);
        $this->port = $this->bridge->port ?? $port;
    }

    public function url(string $path = '/'): string
    {
        return ($this->bridge === null ? 'http' : 'https') . "://127.0.0.1:$this->port$path";
    }

    /**
     * An HTTP client is told to ask.
     *
     * @param array<string, string> $headers
     * @param array<string, mixed>  $options timeout (seconds), maxBody (bytes)
     */
    public function ask(string $method = 'GET', string $path = '/', array $headers = [], string $body = '', array $options = []): void
    {
        $this->subject->tell(['method' => $method, 'url' => $this->url($path), 'headers' => (object) $headers, 'body' => base64_encode($body)] + $options);
    }

    /** What it says came of it. @return array{status: int, headers: array<string, string>, body: string}|null null: an error */
    public function told(float $timeout = self::TIMEOUT): ?array
    {
        $heard = $this->subject->hear($timeout);
        if (isset($heard['error'])) {
            return null;
        }

        return ['status' => $heard['status'], 'headers' => array_map(base64_decode(...), $heard['headers']), 'body' => base64_decode($heard['body'], true)];
    }

    public function answered(int $status, string $body): void
    {
        $told = $this->told() ?? throw new Failed('the answer was taken for a fault');
        Expect::same([$status, Http::quote($body)], [$told['status'], Http::quote($told['body'])], 'status and body');
    }

    public function failed(): void
    {
        $told = $this->told();
        Expect::that($told === null, 'taken for an answer: ' . ($told['status'] ?? '') . ' ' . Http::quote($told['body'] ?? ''));
    }

    /** An event-stream client is told to listen. @param array<string, string> $headers */
    public function listen(string $path = '/events', array $headers = [], ?string $lastEventId = null, bool $retriesOnErrorStatus = false): void
    {
        $this->isStreaming = true;
        $this->subject->tell(['open' => $this->url($path), 'headers' => (object) $headers, 'lastEventId' => $lastEventId, 'retryOnErrorStatus' => $retriesOnErrorStatus]);
    }

    /** The next event must be this one. */
    public function event(string $data, string $type = 'message', string $id = ''): void
    {
        $heard = $this->subject->hear(self::TIMEOUT);
        Expect::that(isset($heard['event']), 'the stream was given up');
        $event = array_map(static fn (string $text): string => Http::quote((string) base64_decode($text, true)), $heard['event']);
        ksort($event);
        Expect::same(['data' => Http::quote($data), 'id' => Http::quote($id), 'type' => Http::quote($type)], $event, 'event');
    }

    /** The stream must be given up for good, with no further event before; the last event id is told. */
    public function givenUp(): string
    {
        $heard = $this->subject->hear(self::TIMEOUT);
        Expect::that(isset($heard['closed']), isset($heard['event']) ? 'an event came: ' . Http::quote((string) base64_decode($heard['event']['data'], true)) : 'not closed');
        $this->isStreaming = false;

        return (string) base64_decode($heard['closed'], true);
    }

    /** The next connection. */
    public function accept(float $timeout = self::TIMEOUT): Wire
    {
        if (!Loop::wait($this->listener, true, false, Loop::deadline($timeout))) {
            throw new Failed('the client did not connect');
        }

        return $this->wire() ?? throw new Failed('the client did not connect');
    }

    private function wire(): ?Wire
    {
        $stream = @stream_socket_accept($this->listener, 0.0);

        return $stream === false ? null : new Wire($stream);
    }

    /** The next request, with its body; on that connection, else on the next one. */
    public function request(?Wire &$wire = null): ClientRequest
    {
        $wire ??= $this->accept();
        $request = ClientRequest::read($wire, self::TIMEOUT);
        $length = (int) ($request->header('content-length') ?? '0');
        for ($until = Loop::deadline(self::TIMEOUT); strlen($wire->in) < $length;) {
            if (!$wire->read($until) || $wire->ended && strlen($wire->in) < $length) {
                throw new Failed('the body of the request did not come');
            }
        }
        $request->body = $wire->take($length);

        return $request;
    }

    /** The next request: on that connection, or on a new one, which takes its place. */
    public function either(Wire &$wire): ClientRequest
    {
        for ($until = Loop::deadline(self::TIMEOUT); Loop::now() < $until; Loop::wait($this->listener, true, false, Loop::now() + 0.005)) {
            if (!$wire->ended && $wire->read(0.0) && $wire->in !== '') {
                return $this->request($wire);
            }
            if (($fresh = $this->wire()) !== null) {
                $wire = $fresh;

                return $this->request($wire);
            }
        }
        throw new Failed('the client asked nothing more');
    }

    /** Nobody else may have connected: told once the client has no reason any more to do so. */
    public function noMore(): void
    {
        Expect::that($this->wire() === null, 'the client connected once more');
    }

    /** One more request and its answer, on whichever connection: what came before has disturbed nothing. */
    public function goesOn(Wire $wire): void
    {
        $this->ask('GET', '/next');
        Expect::same('GET /next HTTP/1.1', $this->either($wire)->line, 'the next request');
        $wire->chop = 0;
        $wire->write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext");
        $this->answered(200, 'next');
    }

    /** The case is over: the client wants nothing from it any more. */
    public function end(): void
    {
        if ($this->isStreaming) {
            $this->subject->tell(['stop' => true]);
            while (!isset($this->subject->hear(self::TIMEOUT)['stopped'])) {
                continue;
            }
        }
    }

    public function close(): void
    {
        if (is_resource($this->listener)) {
            fclose($this->listener);
        }
        $this->bridge?->stop();
    }
}
