<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * Where writes are handed in. Those of one turn are one batch and one commit. Where commits are quicker than a timer, the loop gives them
 * that moment; otherwise it goes on and asks the writer from time to time. What comes in meanwhile is the next batch.
 */
final class Store
{
    /** Writes of one commit. */
    private const BATCH_MAX = 256;

    /** Of so many the consequences are drawn in one turn; more wait for the next, so that no turn gets long by them. */
    private const SETTLE_MAX = 64;

    /** Seconds between two looks at the writer. */
    public const EVERY = 0.001;

    /** Seconds that the loop waits in place when the last commit took less. */
    private const QUICK = 0.0005;

    /** @var list<Ticket<mixed>> not yet with the writer */
    private array $queue = [];

    /** @var list<Ticket<mixed>> with the writer */
    private array $batch = [];

    /** @var list<Ticket<mixed>> committed, their listeners not yet called */
    private array $committed = [];

    private bool $deferred = false;

    public function __construct(private readonly Writer $writer, private readonly Turn $turn) {}

    /**
     * Queues a write for this turn's commit. What it refuses becomes the ticket's error and undoes that write alone.
     *
     * @template T
     *
     * @param Work<T> $work
     *
     * @return Ticket<T>
     */
    public function write(Work $work): Ticket
    {
        $ticket = new Ticket($work);
        $this->queue[] = $ticket;
        $this->goOn();
        return $ticket;
    }

    /**
     * Waits for the commit; other handlers run meanwhile.
     *
     * @template T
     *
     * @param Ticket<T> $ticket
     *
     * @return T
     */
    public function await(Ticket $ticket): mixed
    {
        if (!$ticket->isDone()) {
            $this->turn->wait($ticket->isDone(...), self::EVERY);
        }
        return $ticket->value();
    }

    /** Commits all that is queued and ends the writer: after the loop has ended. */
    public function close(): void
    {
        while ($this->queue !== [] || $this->batch !== [] || $this->committed !== []) {
            $this->step();
            if ($this->batch !== []) {
                usleep((int) (self::EVERY * 1e6));
            }
        }
        $this->writer->close();
    }

    /** One step at the end of this turn, whoever asks how often. */
    private function goOn(): void
    {
        if (!$this->deferred && $this->batch === []) {
            $this->deferred = true;
            $this->turn->defer($this->turned(...));
        }
    }

    private function turned(): void
    {
        $this->deferred = false;
        $this->step();
        if ($this->batch !== []) {
            $this->turn->delay(self::EVERY, $this->turned(...));
        } elseif ($this->queue !== [] || $this->committed !== []) {
            $this->goOn();
        }
    }

    private function step(): void
    {
        $this->collect($this->begin() && $this->writer->took() < self::QUICK ? self::QUICK : 0.0);
        $this->settle();
    }

    private function begin(): bool
    {
        if ($this->batch !== [] || $this->queue === []) {
            return false;
        }
        $this->batch = array_splice($this->queue, 0, self::BATCH_MAX);
        $this->writer->begin(array_map(static fn (Ticket $ticket): Work => $ticket->work, $this->batch));
        return true;
    }

    private function collect(float $patience): void
    {
        $outcomes = $this->batch === [] ? null : $this->writer->collect($patience);
        if ($outcomes === null) {
            return;
        }
        foreach ($this->batch as $i => $ticket) {
            $ticket->take($outcomes[$i] ?? Outcome::refused(Refused::notStored()));
        }
        array_push($this->committed, ...$this->batch);
        $this->batch = [];
    }

    private function settle(): void
    {
        foreach (array_splice($this->committed, 0, self::SETTLE_MAX) as $ticket) {
            try {
                $ticket->settle();
            } catch (\Throwable $e) {
                error_log("chat: after a commit: $e");
            }
        }
    }
}
