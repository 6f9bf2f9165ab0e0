<?php

declare(strict_types=1);

// A small WebSocket echo server in plain PHP that is right, or wrong in one named way: ws-server.php PORT [FAULT]

require __DIR__ . '/WsPeer.php';
ini_set('memory_limit', '-1');

final class BrokenServer
{
    /** @var array<int, BrokenPeer> */
    private array $peers = [];
    /** @var list<mixed> what a server that leaks keeps */
    private array $kept = [];

    public function __construct(private readonly int $port, private readonly string $fault) {}

    public function run(): never
    {
        $context = stream_context_create(['socket' => ['backlog' => 1024]]);
        $listener = stream_socket_server("tcp://127.0.0.1:$this->port", context: $context) ?: exit(1);
        while (true) {
            $read = [$listener];
            $write = [];
            $none = null;
            foreach ($this->fault === 'one-at-a-time' ? array_slice($this->peers, 0, 1, true) : $this->peers as $id => $peer) {
                $read[$id] = $peer->stream;
                if ($peer->out !== '') {
                    $write[$id] = $peer->stream;
                }
            }
            stream_select($read, $write, $none, 1);
            foreach ($read as $stream) {
                $stream === $listener ? $this->accept($listener) : $this->turn((int) $stream);
            }
            foreach ($write as $stream) {
                isset($this->peers[(int) $stream]) && $this->flush((int) $stream);
            }
            $this->sweep();
        }
    }

    private function sweep(): void
    {
        foreach ($this->fault === 'no-deadline' ? [] : $this->peers as $id => $peer) {
            if ($peer->isLate()) {
                $this->drop($id);
            }
        }
    }

    /** @param resource $listener */
    private function accept($listener): void
    {
        $stream = stream_socket_accept($listener, 0);
        if ($stream !== false) {
            stream_set_blocking($stream, false);
            $this->peers[(int) $stream] = new BrokenPeer($stream, $this->fault);
        }
    }

    private function turn(int $id): void
    {
        $peer = $this->peers[$id];
        $bytes = @fread($peer->stream, 1 << 18);
        if ($bytes === '' || $bytes === false) {
            if (feof($peer->stream)) {
                $this->drop($id);
            }

            return;
        }
        $peer->take($bytes);
        $this->flush($id);
    }

    private function flush(int $id): void
    {
        $peer = $this->peers[$id];
        $sent = $peer->out === '' ? 0 : (int) @fwrite($peer->stream, $peer->out);
        $peer->out = substr($peer->out, $sent);
        if ($peer->out === '' && $peer->isDone && $this->fault !== 'keeps-open') {
            if ($this->fault === 'reset') {
                $this->drop($id);
            } else {
                @stream_socket_shutdown($peer->stream, STREAM_SHUT_WR);
            }
        }
    }

    private function drop(int $id): void
    {
        if ($this->fault === 'reset' && function_exists('socket_import_stream')) {
            $socket = socket_import_stream($this->peers[$id]->stream);
            $socket && socket_set_option($socket, SOL_SOCKET, SO_LINGER, ['l_onoff' => 1, 'l_linger' => 0]);
        }
        if ($this->fault === 'leaks-descriptors') {
            $this->kept[] = $this->peers[$id]->stream;
            stream_socket_shutdown($this->peers[$id]->stream, STREAM_SHUT_RDWR);
        } else {
            fclose($this->peers[$id]->stream);
        }
        if ($this->fault === 'leaks-memory') {
            $this->kept[] = str_repeat('x', 32768);
        }
        unset($this->peers[$id]);
    }
}

(new BrokenServer((int) $argv[1], $argv[2] ?? 'none'))->run();
