<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * Commits in a process of its own (writer.php), so that the loop waits for no disk. When that process is lost, the batch that it had is
 * answered as not stored (a send that is repeated with its nonce is still one message), and the next batch finds a new one.
 */
final class ProcessWriter implements Writer
{
    /** A disk that does not answer for so long is taken for lost. */
    private const PATIENCE = 30.0;

    /** @var resource|null */
    private $process = null;

    private ?Pipe $pipe = null;

    /** Writes in the batch under way; 0: there is none. */
    private int $pending = 0;

    private float $began = 0.0;

    private float $took = 0.0;

    /** The file that the server reads from: no other one is written to. */
    private readonly string $is;

    /** @throws \RuntimeException when the process cannot be started */
    public function __construct(private readonly string $file)
    {
        $this->is = Database::isAt($file) ?? throw new \RuntimeException("There is no database $file.");
        $this->start();
    }

    public function begin(array $works): void
    {
        if ($this->pipe !== null && !$this->pipe->pull()) {
            error_log('chat: the process that writes has ended; another one takes its place.');
            $this->end();
        }
        $this->pending = count($works);
        $this->began = hrtime(true) / 1e9;
        try {
            $pipe = $this->pipe ?? $this->start();
        } catch (\RuntimeException $e) {
            error_log("chat: {$e->getMessage()}");
            return;
        }
        $pipe->put($works);
        $pipe->push();
    }

    public function collect(float $patience = 0.0): ?array
    {
        if ($this->pipe === null || !$this->pipe->push() || !$this->pipe->pull($patience)) {
            return $this->lost('ended');
        }
        if ($this->pipe->isWhole()) {
            $answer = $this->pipe->take();
            [$took, $outcomes] = is_array($answer) ? $answer + [null, null] : [null, null];
            if (!is_float($took) || !is_array($outcomes) || count($outcomes) !== $this->pending) {
                return $this->lost('answered with something else');
            }
            $this->took = $took;
            $this->pending = 0;
            return self::outcomes($outcomes);
        }
        return hrtime(true) / 1e9 - $this->began > self::PATIENCE ? $this->lost('does not answer') : null;
    }

    public function close(): void
    {
        $this->pipe = null;
        if ($this->process !== null) {
            // Its input ends, and so does it.
            proc_close($this->process);
            $this->process = null;
        }
    }

    public function took(): float
    {
        return $this->took;
    }

    /**
     * @param array<array-key, mixed> $answer
     *
     * @return list<Outcome>
     */
    private static function outcomes(array $answer): array
    {
        return array_map(static fn (mixed $one): Outcome => $one instanceof Outcome ? $one : Outcome::refused(Refused::notStored()), array_values($answer));
    }

    /** @return list<Outcome> */
    private function lost(string $how): array
    {
        error_log("chat: the process that writes $how; {$this->pending} writes are answered as not stored.");
        $this->end();
        $refused = array_fill(0, $this->pending, Outcome::refused(Refused::notStored()));
        $this->pending = 0;
        return $refused;
    }

    private function end(): void
    {
        if ($this->process !== null) {
            proc_terminate($this->process, 9);
        }
        $this->close();
    }

    private function start(): Pipe
    {
        $process = @proc_open(
            [PHP_BINARY, '-d', 'display_errors=stderr', '-d', 'log_errors=0', dirname(__DIR__) . '/writer.php', $this->file, $this->is],
            [['pipe', 'r'], ['pipe', 'w'], STDERR],
            $pipes,
        );
        if ($process === false) {
            throw new \RuntimeException('The process that writes to the database cannot be started: ' . (error_get_last()['message'] ?? 'why is not said'));
        }
        foreach ($pipes as $end) {
            stream_set_blocking($end, false);
            stream_set_read_buffer($end, 0);
            stream_set_write_buffer($end, 0);
        }
        $this->process = $process;
        return $this->pipe = new Pipe($pipes[1], $pipes[0]);
    }
}
