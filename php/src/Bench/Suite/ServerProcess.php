<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

use Tusk\Bench\ProcessTree;

/** A peer's server, run for one round and ended by its process id. */
final class ServerProcess
{
    private const PATIENCE = 10.0;

    /** @var resource|null */
    private $handle;
    public readonly int $pid;
    /** @var list<string> as it was run, with its pinning */
    public readonly array $command;

    /**
     * @param list<string>      $command
     * @param list<string>|null $pin     null: the server's core
     * @param float             $patience seconds until it must listen
     *
     * @throws \RuntimeException when it does not listen in time, with what it said
     */
    public function __construct(array $command, public readonly int $port, private readonly string $log, ?array $pin = null, float $patience = self::PATIENCE)
    {
        $this->command = [...$pin ?? Cores::server(), 'sh', '-c', 'ulimit -n "$(ulimit -Hn)"; exec "$@"', 'sh', ...$command];
        $handle = proc_open($this->command, [['file', '/dev/null', 'r'], ['file', $log, 'w'], ['file', $log, 'a']], $pipes);
        if ($handle === false) {
            throw new \RuntimeException('cannot run ' . implode(' ', $command));
        }
        $this->handle = $handle;
        $this->pid = proc_get_status($handle)['pid'];
        $this->await($patience);
    }

    public function __destruct()
    {
        $this->end();
    }

    /** Null once it has ended. */
    public function look(): ?ProcessTree
    {
        return ProcessTree::look($this->pid);
    }

    /** @param float $patience seconds until it is killed */
    public function end(float $patience = 3.0): void
    {
        if ($this->handle === null) {
            return;
        }
        proc_terminate($this->handle, SIGTERM);
        for ($until = hrtime(true) / 1e9 + $patience; proc_get_status($this->handle)['running']; usleep(10_000)) {
            if (hrtime(true) / 1e9 > $until) {
                proc_terminate($this->handle, SIGKILL);
            }
        }
        proc_close($this->handle);
        $this->handle = null;
    }

    private function await(float $patience): void
    {
        for ($until = hrtime(true) / 1e9 + $patience; hrtime(true) / 1e9 < $until; usleep(20_000)) {
            $socket = @stream_socket_client("tcp://127.0.0.1:{$this->port}", $code, $message, 1.0);
            if ($socket !== false) {
                fclose($socket);
                usleep(150_000);    // it notices that connection's end before it is measured

                return;
            }
            if ($this->handle === null || !proc_get_status($this->handle)['running']) {
                break;
            }
        }
        $this->end();
        $said = trim((string) preg_replace('~\s+~', ' ', substr((string) file_get_contents($this->log), 0, 300)));
        throw new \RuntimeException('did not come up' . ($said === '' ? '' : ": $said"));
    }
}
