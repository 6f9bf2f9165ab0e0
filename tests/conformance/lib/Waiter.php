<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** A listening socket; every client asks for `/<number>`, the number of its case. */
final class Waiter
{
    public readonly int $port;
    /** @var resource */
    private $stream;
    private int $number = 0;
    private ?Bridge $bridge = null;

    /** @param ?string $bridge clients come over TLS, and a bridge with these options */
    public function __construct(?string $bridge = null, string $log = '/dev/null')
    {
        $context = stream_context_create(['socket' => ['tcp_nodelay' => true, 'backlog' => 128]]);
        $flags = STREAM_SERVER_BIND | STREAM_SERVER_LISTEN;
        $this->stream = stream_socket_server('tcp://127.0.0.1:0', $code, $text, $flags, $context)
            ?: throw new \RuntimeException("cannot listen: $text");
        stream_set_blocking($this->stream, false);
        $port = (int) substr((string) strrchr((string) stream_socket_get_name($this->stream, false), ':'), 1);
        $this->bridge = $bridge === null ? null : new Bridge('open', $port, $bridge, $log);
        $this->port = $this->bridge->port ?? $port;
    }

    /** One client from the start of its command to its end. @param \Closure(Wire, ClientRequest): void $body */
    public function serve(string $command, float $timeout, string $log, \Closure $body): void
    {
        $url = ($this->bridge === null ? 'ws' : 'wss') . "://127.0.0.1:$this->port/" . ++$this->number;
        $process = Process::start(str_replace('{url}', escapeshellarg($url), $command), $log);
        try {
            $wire = $this->accept($process, $timeout);
            try {
                $body($wire, ClientRequest::read($wire, $timeout));
            } finally {
                $wire->close();
            }
            self::leave($process);
        } finally {
            proc_terminate($process, 9);
            proc_close($process);
        }
    }

    public function stop(): void
    {
        $this->bridge?->stop();
    }

    /** @param resource $process */
    private function accept($process, float $timeout): Wire
    {
        $until = Loop::deadline($timeout);
        while (!Loop::wait($this->stream, true, false, Loop::now() + 0.2)) {
            if (Loop::now() > $until || !proc_get_status($process)['running']) {
                throw new Failed('the client did not connect');
            }
        }
        $stream = stream_socket_accept($this->stream, 0.0) ?: throw new Failed('the client did not connect');

        return new Wire($stream);
    }

    /** @param resource $process a client whose connection is over has nothing left to do */
    private static function leave($process): void
    {
        for ($until = Loop::deadline(5.0); ($status = proc_get_status($process))['running']; Loop::sleep(0.01)) {
            if (Loop::now() > $until) {
                throw new Failed('the client still runs 5 s after its connection ended');
            }
        }
        if ($status['signaled'] || $status['exitcode'] >= 128) {
            throw new Failed("the client was ended by signal {$status['termsig']}");
        }
    }
}
