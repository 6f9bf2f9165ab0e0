<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** A server of ours to run, pinned to core 0, ended by its process id. */
final class Process
{
    /** @var resource */
    private $handle;

    public readonly int $pid;

    /** @var list<string> as it was run, with its pinning */
    public readonly array $command;

    /**
     * @param list<string> $command
     */
    public function __construct(array $command, public readonly int $port, string $log, float $patience = 10.0)
    {
        $this->command = ['prlimit', '--nofile=' . self::files(), 'taskset', '-c', '0', ...$command];
        $handle = proc_open($this->command, [0 => ['file', '/dev/null', 'r'], 1 => ['file', $log, 'w'], 2 => ['file', $log, 'a']], $pipes);
        if ($handle === false) {
            throw new \RuntimeException('cannot run ' . implode(' ', $command));
        }
        $this->handle = $handle;
        $this->pid = proc_get_status($handle)['pid'];
        $this->awaitPort($log, $patience);
    }

    public static function freePort(): int
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $name = $socket === false ? '' : (string) stream_socket_get_name($socket, false);

        return (int) substr($name, (int) strrpos($name, ':') + 1);
    }

    public function end(float $patience = 3.0): void
    {
        proc_terminate($this->handle, SIGTERM);
        $until = microtime(true) + $patience;
        while (proc_get_status($this->handle)['running']) {
            if (microtime(true) > $until) {
                proc_terminate($this->handle, SIGKILL);
            }
            usleep(10_000);
        }
        proc_close($this->handle);
    }

    private function awaitPort(string $log, float $patience): void
    {
        $until = microtime(true) + $patience;
        do {
            $socket = @stream_socket_client("tcp://127.0.0.1:{$this->port}", $code, $message, 1.0);
            if ($socket !== false) {
                fclose($socket);
                usleep(150_000);

                return;
            }
            if (!proc_get_status($this->handle)['running']) {
                break;
            }
            usleep(20_000);
        } while (microtime(true) < $until);
        $this->end();
        throw new \RuntimeException('the server did not come up: ' . trim(substr((string) file_get_contents($log), 0, 300)));
    }

    private static function files(): string
    {
        $limit = posix_getrlimit()['hard openfiles'] ?? 20000;

        return "$limit:$limit";
    }
}
