<?php

declare(strict_types=1);

namespace Tusk\Conformance;

require_once __DIR__ . '/../../ports.php';

/** A server under test: started on a free port by a command, or already running. */
final class Server
{
    public string $host = '127.0.0.1';
    public int $port = 0;
    public ?int $pid = null;
    /** @var resource|null */
    private $process = null;
    private ?Bridge $sealing = null;

    /** @param ?string $bridge a server that speaks TLS is met over a bridge, with these options */
    public function __construct(private readonly ?string $command, int $port = 0, private readonly string $log = '/dev/null', private readonly ?string $bridge = null)
    {
        $this->port = $port;
    }

    public function start(): void
    {
        if ($this->command === null) {
            return;
        }
        for ($attempts = 5; !$this->attempt(--$attempts > 0);) {
            continue;
        }
        if ($this->bridge !== null) {
            $this->sealing = new Bridge('seal', $this->port, $this->bridge, $this->log);
            $this->port = $this->sealing->port;
        }
    }

    /** @return bool false when it ended at once: somebody may have taken the port meanwhile */
    private function attempt(bool $mayEnd): bool
    {
        $this->port = \Tusk\Tests\free_port();
        $line = str_replace(['{port}', '{dir}'], [(string) $this->port, escapeshellarg(Fixture::directory())], $this->command);
        if (str_contains($line, '{inner}')) {
            $line = str_replace('{inner}', (string) \Tusk\Tests\free_port(), $line);
        }
        $this->process = $process = Process::start($line, $this->log);
        $this->pid = proc_get_status($process)['pid'];
        for ($until = microtime(true) + 60; microtime(true) < $until; Loop::pause(0.01)) {
            $probe = @stream_socket_client("tcp://$this->host:$this->port", $code, $text, 1.0);
            if ($probe !== false) {
                fclose($probe);

                return true;
            }
            if (!$this->isRunning()) {
                if ($mayEnd) {
                    proc_close($process);

                    return false;
                }
                break;
            }
        }

        throw new \RuntimeException("the server does not listen ($line), see $this->log");
    }

    public function isRunning(): bool
    {
        return $this->process === null ? $this->command === null : proc_get_status($this->process)['running'];
    }

    public function canRestart(): bool
    {
        return $this->command !== null;
    }

    public function stop(): void
    {
        if ($this->process === null) {
            return;
        }
        $this->sealing?->stop();
        $this->sealing = null;
        proc_terminate($this->process, 15);
        for ($until = microtime(true) + 1.0; microtime(true) < $until && $this->isRunning(); Loop::pause(0.01)) {
            continue;
        }
        proc_terminate($this->process, 9);
        proc_close($this->process);
        $this->process = $this->pid = null;
    }

    /** Peak of resident memory in MiB since the last call of forgetPeak(), over the process and its children. */
    public function peakMiB(): float
    {
        return $this->memory('VmHWM');
    }

    public function residentMiB(): float
    {
        return $this->memory('VmRSS');
    }

    public function forgetPeak(): void
    {
        foreach ($this->tree() as $pid) {
            @file_put_contents("/proc/$pid/clear_refs", '5');
        }
    }

    /** Without the one ring that a server makes when it first has much to send at once, and keeps. */
    public function descriptors(): int
    {
        $count = 0;
        foreach ($this->tree() as $pid) {
            $names = array_map(static fn (string $fd): string => (string) @readlink("/proc/$pid/fd/$fd"), @scandir("/proc/$pid/fd") ?: []);
            $count += count($names) - (in_array('anon_inode:[io_uring]', $names, true) ? 1 : 0);
        }

        return $count;
    }

    /** Processor seconds used so far. */
    public function cpuSeconds(): float
    {
        $ticks = 0;
        foreach ($this->tree() as $pid) {
            $stat = (string) @file_get_contents("/proc/$pid/stat");
            $fields = explode(' ', substr($stat, (int) strrpos($stat, ')') + 2));
            $ticks += (int) ($fields[11] ?? 0) + (int) ($fields[12] ?? 0);
        }

        return $ticks / 100;
    }

    private function memory(string $field): float
    {
        $kib = 0;
        foreach ($this->tree() as $pid) {
            if (preg_match("/^$field:\\s+(\\d+) kB/m", (string) @file_get_contents("/proc/$pid/status"), $m) === 1) {
                $kib += (int) $m[1];
            }
        }

        return $kib / 1024;
    }

    /** @return list<int> */
    private function tree(): array
    {
        $pid = $this->pid ?? throw new Absent('the process of the server is not known');
        $pids = [$pid];
        foreach (explode(' ', trim((string) @file_get_contents("/proc/$pid/task/$pid/children"))) as $child) {
            if ($child !== '') {
                $pids[] = (int) $child;
            }
        }

        return $pids;
    }
}
