<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/**
 * One TCP connection seen as bytes: chopped writes, bounded waits, resets told apart from ends.
 */
final class Wire
{
    private const TCP_INFO = 11; // Linux; its first byte is the state
    private const TCP_CLOSE = 7;

    public string $in = '';
    public bool $ended = false;
    public bool $wasReset = false;
    public int $received = 0;
    /** Our side has. */
    private bool $hasEnded = false;

    /** Bytes per write; 0 writes everything at once. */
    public int $chop = 0;

    /** Reading goes on while a write waits, or an echo of more than the kernel's buffers would stand still. */
    public bool $readsWhileWriting = true;

    /** @param resource $stream */
    public function __construct(private $stream)
    {
        stream_set_blocking($stream, false);
        stream_set_read_buffer($stream, 0);
        stream_set_write_buffer($stream, 0);
        stream_set_chunk_size($stream, 1 << 18);
    }

    public static function connect(string $host, int $port, float $timeout = 10.0, ?int $receiveBuffer = null): self
    {
        $context = stream_context_create(['socket' => ['tcp_nodelay' => true]]);
        $flags = STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT;
        $stream = @stream_socket_client("tcp://$host:$port", $code, $text, $timeout, $flags, $context);
        if ($stream === false) {
            throw new Failed("cannot connect: $text");
        }
        $self = new self($stream);
        if ($receiveBuffer !== null) {
            $self->option(SO_RCVBUF, $receiveBuffer);
        }
        Loop::wait($stream, false, true, Loop::deadline($timeout));
        if (@stream_socket_get_name($stream, true) === false) {
            throw new Failed('cannot connect: refused, or not accepted in time');
        }

        return $self;
    }

    public function write(string $bytes, float $timeout = 20.0): bool
    {
        if ($this->chop > 0 && strlen($bytes) > $this->chop) {
            foreach (str_split($bytes, $this->chop) as $piece) {
                if (!$this->writeWhole($piece, $timeout)) {
                    return false;
                }
                Loop::sleep(0.0003);
            }

            return true;
        }

        return $this->writeWhole($bytes, $timeout);
    }

    /** Writes what the kernel takes now; -1 when the peer is gone. */
    public function writeSome(string $bytes): int
    {
        error_clear_last();
        $count = @fwrite($this->stream, $bytes);
        if ($count === false || ($count === 0 && $bytes !== '')) {
            $error = error_get_last()['message'] ?? '';

            return $error === '' || str_contains($error, 'errno=11 ') ? 0 : -1;
        }

        return $count;
    }

    private function writeWhole(string $bytes, float $timeout): bool
    {
        $until = Loop::deadline($timeout);
        $offset = 0;
        $length = strlen($bytes);
        while ($offset < $length) {
            $count = $this->writeSome(substr($bytes, $offset, 1 << 18));
            if ($count < 0) {
                return false;
            }
            $offset += $count;
            if ($offset < $length && $count === 0) {
                if (!Loop::wait($this->stream, $this->readsWhileWriting && !$this->ended, true, $until)) {
                    return false;
                }
                if ($this->readsWhileWriting && !$this->ended) {
                    $this->drain();
                }
            }
        }

        return true;
    }

    /** Waits until something (bytes or the end) came; false at the deadline. */
    public function read(float $until): bool
    {
        if ($this->ended) {
            return true;
        }
        if ($this->drain()) {
            return true;
        }

        return Loop::wait($this->stream, true, false, $until) && $this->drain();
    }

    /** PHP does not tell a reset from an end, but behind an end our side is still open (CLOSE_WAIT). */
    private function isClosed(): bool
    {
        $socket = function_exists('socket_import_stream') ? @socket_import_stream($this->stream) : false;
        $state = $socket ? @socket_get_option($socket, SOL_TCP, self::TCP_INFO) : false;

        return is_int($state) && ($state & 0xff) === self::TCP_CLOSE;
    }

    private function drain(): bool
    {
        $bytes = @fread($this->stream, 1 << 18);
        if (is_string($bytes) && $bytes !== '') {
            $this->in .= $bytes;
            $this->received += strlen($bytes);

            return true;
        }
        if (feof($this->stream)) {
            $this->ended = true;
            $this->wasReset = !$this->hasEnded && $this->isClosed();
        }

        return $this->ended;
    }

    public function take(int $length): string
    {
        $bytes = substr($this->in, 0, $length);
        $this->in = substr($this->in, $length);

        return $bytes;
    }

    /** Reads to the end of the stream and returns true, or false at the deadline. */
    public function readToEnd(float $timeout): bool
    {
        $until = Loop::deadline($timeout);
        while (!$this->ended) {
            if (!$this->read($until)) {
                return false;
            }
        }

        return true;
    }

    public function option(int $name, mixed $value): void
    {
        if (!function_exists('socket_import_stream')) {
            throw new Absent('PHP without ext-sockets');
        }
        $socket = socket_import_stream($this->stream);
        if ($socket !== false && $socket !== null) {
            socket_set_option($socket, SOL_SOCKET, $name, $value);
        }
    }

    public function halfClose(): void
    {
        $this->hasEnded = true;
        @stream_socket_shutdown($this->stream, STREAM_SHUT_WR);
    }

    public function close(): void
    {
        if (is_resource($this->stream)) {
            fclose($this->stream);
        }
        $this->ended = true;
    }

    public function reset(): void
    {
        $this->option(SO_LINGER, ['l_onoff' => 1, 'l_linger' => 0]);
        $this->close();
    }
}
