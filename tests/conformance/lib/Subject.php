<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/**
 * A client under test that runs for many cases: it reads one order per line (JSON) from its standard input, and writes one
 * line (JSON, bytes in base64) for each thing that came of it. The forms stand in clients/http-client.php and sse-client.php.
 */
final class Subject
{
    private readonly Wire $wire;
    /** @var resource */
    private $process;

    public function __construct(string $command, string $log)
    {
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0) ?: throw new \RuntimeException('socketpair');
        $this->process = Process::talking($command, $log, $pair[1]);
        fclose($pair[1]);
        $this->wire = new Wire($pair[0]);
    }

    /** @param array<string, mixed> $order */
    public function tell(array $order): void
    {
        if (!$this->wire->write(json_encode($order, JSON_THROW_ON_ERROR) . "\n")) {
            throw new Failed($this->lastWords());
        }
    }

    /** @return array<string, mixed> */
    public function hear(float $timeout): array
    {
        $until = Loop::deadline($timeout);
        while (($end = strpos($this->wire->in, "\n")) === false) {
            if (!$this->wire->read($until)) {
                throw new Failed('the client told nothing');
            }
            if ($this->wire->ended && !str_contains($this->wire->in, "\n")) {
                throw new Failed($this->lastWords());
            }
        }
        $line = $this->wire->take($end + 1);
        $told = json_decode($line, true, 8);

        return is_array($told) ? $told : throw new Failed('the client told what is no JSON: ' . Http::quote($line));
    }

    private function lastWords(): string
    {
        Loop::pause(0.05);
        $status = proc_get_status($this->process);

        return match (true) {
            $status['signaled'] => "the client was ended by signal {$status['termsig']}",
            $status['running'] => 'the client says no more, and runs',
            default => "the client ended with status {$status['exitcode']}",
        };
    }

    public function stop(): void
    {
        $this->wire->close();
        proc_terminate($this->process, 9);
        proc_close($this->process);
    }
}
