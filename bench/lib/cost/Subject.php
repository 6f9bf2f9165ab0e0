<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Cost;

use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Ports;
use Tusk\Bench\Suite\ServerProcess;
use Tusk\Bench\Target\Tools;

/** The server that is counted, and the driver that gives it messages. */
final readonly class Subject
{
    public function __construct(private Peer $peer) {}

    public function plays(Load $load): bool
    {
        return $this->peer->command($load->role, 1) !== null;
    }

    /**
     * @param list<string> $under what the server is run by
     */
    public function start(Load $load, array $under = [], float $patience = 10.0): ServerProcess
    {
        $port = Ports::free();

        return new ServerProcess([...$under, ...$this->peer->command($load->role, $port) ?? []], $port, 'build/bench/cost.log', patience: $patience);
    }

    /**
     * A program that ends by itself, and is told how much to do in the place of the port.
     *
     * @param list<string> $under what it is run by
     *
     * @return int its process
     *
     * @throws \RuntimeException when it fails
     */
    public function run(Load $load, int $messages, array $under): int
    {
        $handle = proc_open([...$under, ...$this->peer->command($load->role, $messages) ?? []], [1 => ['file', 'build/bench/cost.log', 'w'], 2 => ['redirect', 1]], $pipes);
        if ($handle === false) {
            throw new \RuntimeException('it did not start');
        }
        $pid = proc_get_status($handle)['pid'];
        $code = proc_close($handle);

        return $code === 0 ? $pid : throw new \RuntimeException("it ended with status $code (build/bench/cost.log)");
    }

    /**
     * @param list<string> $more options of the driver
     *
     * @return float messages counted
     *
     * @throws \RuntimeException with what the driver says
     */
    public function drive(Load $load, ServerProcess $server, int $messages, array $more = []): float
    {
        $arguments = [Tools::DRIVER, ...$load->driver, '--port', (string) $server->port, '--messages', (string) $messages, ...$more];
        if (!in_array('--path', $load->driver, true)) {
            array_push($arguments, '--path', $this->peer->path($load->role));
        }
        $line = exec(implode(' ', array_map(escapeshellarg(...), $arguments)) . ' 2>&1', $lines, $code);
        $result = json_decode((string) $line, true);
        if ($code !== 0 || !is_array($result) || !is_int($result['messages'] ?? null)) {
            throw new \RuntimeException((string) $line);
        }

        return (float) $result['messages'];
    }
}
