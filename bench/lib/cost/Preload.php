<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Cost;

use Tusk\Bench\Suite\ServerProcess;

/** A server that counts in a file, by a library of bench/micro that is loaded before all others. */
final class Preload
{
    public readonly ServerProcess $server;
    private readonly string $file;

    /**
     * @param string $library  its name
     * @param string $variable of the environment, that tells it the file
     */
    public function __construct(private readonly Subject $subject, private readonly Load $load, string $library, string $variable)
    {
        $shim = getcwd() . "/build/bench/micro/$library.so";
        if (!is_file($shim)) {
            throw new \RuntimeException("no $shim: make bench-tools");
        }
        $this->file = getcwd() . "/build/bench/$library.count";
        @unlink($this->file);
        $this->server = $subject->start($load, ['env', "LD_PRELOAD=$shim", "$variable={$this->file}", 'USE_ZEND_ALLOC=0']);
    }

    /**
     * What a run adds to each count.
     *
     * @return array{float, list<int>} messages, and the differences
     */
    public function run(int $messages): array
    {
        $before = $this->read();
        $counted = $this->subject->drive($this->load, $this->server, $messages);
        usleep(300_000);    // it notices that the connections have ended

        return [$counted, array_map(static fn (int $a, int $b): int => $a - $b, $this->read(), $before)];
    }

    /**
     * A first run for what is made once, then a short and a long one.
     *
     * @return list<float> what one message adds to each count
     */
    public function each(): array
    {
        $this->run($this->load->few);
        [$few, $short] = $this->run($this->load->few);
        [$many, $long] = $this->run($this->load->many);
        $this->server->end();

        return array_map(static fn (int $a, int $b): float => ($a - $b) / ($many - $few), $long, $short);
    }

    /** Writes a count: the file is the server's memory. */
    public function write(int $place, int $value): void
    {
        $file = fopen($this->file, 'r+');
        if ($file === false || fseek($file, $place * 8) !== 0 || fwrite($file, pack('q', $value)) !== 8) {
            throw new \RuntimeException("cannot write {$this->file}");
        }
        fclose($file);
    }

    /** @return list<int> */
    public function read(): array
    {
        return array_values((array) unpack('q*', (string) file_get_contents($this->file)));
    }
}
