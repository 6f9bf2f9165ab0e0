<?php

declare(strict_types=1);

namespace Tusk\Conformance\Broken;

/** What a server says on one connection: it is given bytes, and leaves its own in $out. */
abstract class Talk
{
    public string $out = '';
    /** No more is said: what is in $out leaves, then our side of the connection ends. */
    public bool $isDone = false;
    /** Nothing is read while this is true. */
    public bool $isFull = false;

    abstract public function take(string $bytes): void;

    /** The client says no more. */
    public function end(): void
    {
        $this->isDone = true;
    }

    /** Some of $out has left. */
    public function drained(): void {}

    /** Once a second. */
    public function tick(float $age): void {}
}

/** A listening socket and its connections, over one select. */
final class Sockets
{
    /** @var array<int, Talk> */
    public array $talks = [];
    /** @var array<int, resource> */
    private array $streams = [];
    /** @var array<int, bool> our side has ended */
    private array $ended = [];
    /** @var array<int, float> when it came */
    private array $since = [];
    private float $ticked = 0.0;

    /** @param \Closure(): Talk $make */
    public function __construct(private readonly int $port, private readonly \Closure $make) {}

    public function run(): never
    {
        ini_set('memory_limit', '-1');
        $listener = stream_socket_server("tcp://127.0.0.1:$this->port", context: stream_context_create(['socket' => ['backlog' => 512]])) ?: exit(1);
        while (true) {
            $read = [-1 => $listener];
            $write = [];
            $none = null;
            foreach ($this->streams as $id => $stream) {
                if (!$this->talks[$id]->isFull || isset($this->ended[$id])) {
                    $read[$id] = $stream;
                }
                if ($this->talks[$id]->out !== '') {
                    $write[$id] = $stream;
                }
            }
            stream_select($read, $write, $none, 1);
            foreach ($read as $id => $stream) {
                $id === -1 ? $this->accept($listener) : $this->read($id);
            }
            $this->tick();
            foreach (array_keys($this->talks) as $id) {
                $this->flush($id);
            }
        }
    }

    /** @param resource $listener */
    private function accept($listener): void
    {
        $stream = stream_socket_accept($listener, 0);
        if ($stream !== false) {
            stream_set_blocking($stream, false);
            stream_set_read_buffer($stream, 0);
            $id = (int) $stream;
            $this->streams[$id] = $stream;
            $this->talks[$id] = ($this->make)();
            $this->since[$id] = microtime(true);
        }
    }

    private function read(int $id): void
    {
        $bytes = @fread($this->streams[$id], 1 << 15);
        if ($bytes !== '' && $bytes !== false) {
            if (!$this->talks[$id]->isDone) {
                $this->talks[$id]->take($bytes);
            }
        } elseif (feof($this->streams[$id])) {
            if (isset($this->ended[$id]) || $this->talks[$id]->isDone && $this->talks[$id]->out === '') {
                $this->drop($id);
            } elseif (!$this->talks[$id]->isDone) {
                $this->talks[$id]->end();
            } else {
                $this->talks[$id]->isFull = true; // its end is known; what is left to say is said
            }
        }
    }

    private function flush(int $id): void
    {
        $talk = $this->talks[$id];
        if ($talk->out !== '') {
            $sent = @fwrite($this->streams[$id], $talk->out);
            if ($sent === false || ($sent === 0 && feof($this->streams[$id]) && $talk->isDone && error_get_last() !== null && str_contains(error_get_last()['message'], 'errno=32'))) {
                $this->drop($id);

                return;
            }
            $talk->out = (string) substr($talk->out, $sent);
            $talk->drained();
        }
        if ($talk->isDone && $talk->out === '' && !isset($this->ended[$id])) {
            $this->ended[$id] = true;
            @stream_socket_shutdown($this->streams[$id], STREAM_SHUT_WR);
            if (feof($this->streams[$id])) {
                $this->drop($id);
            }
        }
    }

    private function tick(): void
    {
        if (microtime(true) - $this->ticked > 1) {
            $this->ticked = microtime(true);
            foreach ($this->talks as $id => $talk) {
                $talk->tick($this->ticked - $this->since[$id]);
            }
        }
    }

    private function drop(int $id): void
    {
        fclose($this->streams[$id]);
        $this->talks[$id]->end();
        unset($this->streams[$id], $this->talks[$id], $this->ended[$id], $this->since[$id]);
    }
}
