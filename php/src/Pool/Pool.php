<?php

declare(strict_types=1);

namespace Tusk\Pool;

use Tusk\Scope;

/**
 * Connections that are lent to tasks, handlers and fibers, and come back at their end: also after an exception, and when a task is
 * cancelled. One that comes back in a transaction, or in the middle of a query, is not lent again.
 *
 * A forked child (a worker of Tusk\Parallel) never uses connections of its parent: the pool begins anew there.
 *
 * @template C of object
 */
final class Pool
{
    /** @var list<Entry<C>> the one that was used last is at the end */
    private array $idle = [];
    /** @var \WeakMap<object, Lease<C>> by scope */
    private \WeakMap $leases;
    /** lent, idle, and being opened */
    private int $open = 0;
    private bool $closed = false;
    /** @var array<int, Turn> who waits, in order of coming */
    private array $waiting = [];
    /** turns that were given and not yet taken: so many places are not for those who come now */
    private int $given = 0;
    private int $pid;
    /** @var list<mixed> of a parent process: held for as long as this one lives, so that nobody ends it here */
    private static array $foreign = []; // @phpstan-ignore property.onlyWritten
    /** @var array<string, int> */
    private array $counters;

    /** @param Driver<C> $driver */
    public function __construct(private readonly Driver $driver, private readonly Options $options = new Options())
    {
        $this->begin();
    }

    /**
     * The connection of the task, handler or fiber that calls: borrowed at the first call, the same at the next, returned at its end. In a
     * script outside of these it stays until release().
     *
     * @return C
     * @throws BorrowTimeout
     * @throws \RuntimeException what connecting throws
     */
    public function connection(?float $timeout = null): object
    {
        $this->here();
        $scope = Scope::current();
        $lease = $this->leases[$scope] ?? null;
        if ($lease === null) {
            $lease = $this->lease($timeout);
            $this->leases[$scope] = $lease;
        }
        return $lease->entry->connection;
    }

    /**
     * Gives back what connection() lent here, before the end.
     *
     * @param bool $discard it is not to be lent again
     */
    public function release(bool $discard = false): void
    {
        $this->here();
        $scope = Scope::current();
        $lease = $this->leases[$scope] ?? null;
        unset($this->leases[$scope]);
        $lease?->end($discard);
    }

    /**
     * Calls $do with a connection that nobody else has meanwhile, also not the same task outside of it.
     *
     * @template T
     * @param callable(C): T $do
     * @return T
     * @throws BorrowTimeout
     * @throws \Throwable what connecting or $do throws
     */
    public function use(callable $do, ?float $timeout = null): mixed
    {
        $this->here();
        $lease = $this->lease($timeout);
        try {
            return $do($lease->entry->connection);
        } finally {
            $lease->end();
        }
    }

    /** Opens connections until minIdle are idle: when a server or a worker starts. */
    public function warm(): void
    {
        $this->here();
        while (!$this->closed && \count($this->idle) < $this->options->minIdle && $this->open < $this->options->max && $this->vacant() > $this->given) {
            $this->rest($this->connect());
        }
    }

    /**
     * open, idle, lent: now. borrowed, waited, timed_out, connected, discarded (came back unclean), stale (were replaced), expired
     * (idle or old), failed (connects): since it was made, in this process.
     *
     * @return array<string, int>
     */
    public function stats(): array
    {
        $this->here();
        $idle = \count($this->idle);
        return ['open' => $this->open, 'idle' => $idle, 'lent' => $this->open - $idle, ...$this->counters];
    }

    /** Ends what is idle now, and what is lent when it comes back. */
    public function close(): void
    {
        $this->here();
        $this->closed = true;
        foreach ($this->idle as $entry) {
            $this->end($entry);
        }
        $this->idle = [];
        $this->pass();
    }

    /** Who forgets a pool without close() leaves no connection open: PHP's pgsql keeps the one that was opened last. */
    public function __destruct()
    {
        $this->close(); // in a forked child of what was opened there
    }

    /** @return Lease<C> */
    private function lease(?float $timeout): Lease
    {
        $timeout ??= $this->options->borrowTimeout;
        if (!($timeout >= 0)) {
            throw new \ValueError('timeout must be at least 0 seconds, ' . (is_nan($timeout) ? 'NAN' : $timeout) . ' was given');
        }
        $entry = $this->borrow((int) (hrtime(true) + min($timeout, 1e9) * 1e9), $timeout);
        $this->counters['borrowed']++;
        return new Lease($entry, $this->back(...));
    }

    /** @return Entry<C> */
    private function borrow(int $end, float $timeout): Entry
    {
        if (!$this->closed && $this->vacant() <= $this->given) {
            $this->finished();
        }
        if (!$this->closed && $this->vacant() <= $this->given) {
            $this->queue($end, $timeout);
        }
        if ($this->closed) {
            throw new \LogicException('The pool is closed');
        }
        return $this->take($end) ?? $this->connect();
    }

    /** Waits for a place; when it returns there is one that nobody else takes. */
    private function queue(int $end, float $timeout): void
    {
        $this->counters['waited']++;
        $turn = new Turn();
        $this->waiting[spl_object_id($turn)] = $turn;
        $came = false;
        try {
            $left = ($end - hrtime(true)) / 1e9;
            if ($left > 0) {
                $turn->wait($left);
            }
            $came = $turn->given;
            if (!$came) {
                $this->counters['timed_out']++;
                throw BorrowTimeout::after($timeout, $this->options->max);
            }
        } finally {
            unset($this->waiting[spl_object_id($turn)]);
            $this->given -= $turn->given ? 1 : 0;
            if (!$came) {
                $this->pass(); // cancelled, maybe after its turn had been given
            }
        }
    }

    /** Places that are not taken: idle connections, and those that may still be opened. */
    private function vacant(): int
    {
        return \count($this->idle) + $this->options->max - $this->open;
    }

    /** Gives free places to those who wait, the first first; who comes meanwhile cannot take them. */
    private function pass(): void
    {
        foreach ($this->waiting as $key => $turn) {
            if (!$this->closed && $this->vacant() <= $this->given) {
                return;
            }
            unset($this->waiting[$key]);
            $this->given++;
            $turn->give();
        }
    }

    /** A fiber that ended while somebody keeps its object lends no longer. */
    private function finished(): void
    {
        $ended = [];
        foreach ($this->leases as $scope => $lease) {
            if ($scope instanceof \Fiber && $scope->isTerminated()) {
                $ended[] = [$scope, $lease];
            }
        }
        foreach ($ended as [$scope, $lease]) {
            unset($this->leases[$scope]);
            $lease->end();
        }
    }

    /**
     * An idle one that lives; those found dead are ended, and leave their place to who asks. When the time is over no further one is asked:
     * each may take as long as the driver waits.
     *
     * @return Entry<C>|null
     */
    private function take(int $end): ?Entry
    {
        $this->expire();
        $dead = 0;
        while (($dead === 0 || hrtime(true) < $end) && ($entry = array_pop($this->idle)) !== null) {
            if ($this->aged($entry)) { // before it lie younger ones, idle for longer
                $this->counters['expired']++;
                $this->drop($entry);
                continue;
            }
            $alive = null;
            try {
                $alive = !$this->driver->isStale($entry->connection)
                    && (!Entry::older($entry->idleSince, $this->options->pingAfter) || $this->answers($entry));
            } finally {
                if ($alive === null) { // its borrower's end
                    $this->counters['stale']++;
                    $this->end($entry);
                }
            }
            if ($alive) {
                return $entry;
            }
            $dead++;
            $this->counters['stale']++;
            $this->drop($entry);
        }
        return null;
    }

    /** @param Entry<C> $entry */
    private function answers(Entry $entry): bool
    {
        try {
            return $this->driver->ping($entry->connection);
        } catch (\Tusk\Parallel\Cancelled | \Tusk\Parallel\DeadlineExceeded $e) {
            throw $e; // the borrower's end, not the connection's
        } catch (\RuntimeException) {
            return false;
        }
    }

    private function expire(): void
    {
        $o = $this->options;
        while ($this->idle !== []) {
            $oldest = $this->idle[0];
            $idle = $o->idleTimeout > 0 && \count($this->idle) > $o->minIdle && Entry::older($oldest->idleSince, $o->idleTimeout);
            if (!$idle && !$this->aged($oldest)) {
                return;
            }
            array_shift($this->idle);
            $this->counters['expired']++;
            $this->drop($oldest);
        }
    }

    /** @param Entry<C> $entry */
    private function aged(Entry $entry): bool
    {
        return $this->options->maxAge > 0 && Entry::older($entry->made, $this->options->maxAge);
    }

    /** @return Entry<C> */
    private function connect(): Entry
    {
        $this->open++;
        $connection = null;
        try {
            $connection = $this->driver->connect();
        } finally {
            if ($connection === null) {
                $this->counters['failed']++;
                $this->gone();
            }
        }
        $this->counters['connected']++;
        return new Entry($connection, hrtime(true), $this->pid);
    }

    /**
     * A lease has ended; in a destructor more often than not.
     *
     * @param Entry<C> $entry
     */
    private function back(Entry $entry, bool $discard): void
    {
        if (getmypid() !== $entry->pid) {
            self::$foreign[] = $entry; // lent before a fork: its parent's, also where the pool has begun anew since
            return;
        }
        $clean = false;
        try {
            $clean = !$discard && $this->driver->reset($entry->connection);
        } catch (\Throwable) {
            // it cannot say that it is clean
        }
        if (!$clean) {
            $this->counters['discarded']++;
            $this->end($entry);
        } elseif ($this->aged($entry)) {
            $this->counters['expired']++;
            $this->end($entry);
        } else {
            $this->rest($entry);
        }
    }

    /** @param Entry<C> $entry */
    private function rest(Entry $entry): void
    {
        if ($this->closed) { // perhaps while it connected
            $this->counters['expired']++;
            $this->end($entry);
            return;
        }
        $entry->idleSince = hrtime(true);
        $this->idle[] = $entry;
        $this->pass();
    }

    /** @param Entry<C> $entry */
    private function end(Entry $entry): void
    {
        $this->driver->close($entry->connection);
        $this->gone();
    }

    /**
     * As end(), by somebody who is about to take a place: there are as many as before, and this one may be his.
     *
     * @param Entry<C> $entry
     */
    private function drop(Entry $entry): void
    {
        $this->open--;
        $this->driver->close($entry->connection);
    }

    private function gone(): void
    {
        $this->open--;
        $this->pass();
    }

    private function begin(): void
    {
        $this->pid = (int) getmypid();
        $this->leases = new \WeakMap();
        $this->waiting = [];
        $this->given = 0;
        $this->idle = [];
        $this->open = 0;
        $this->counters = array_fill_keys(['borrowed', 'waited', 'timed_out', 'connected', 'discarded', 'stale', 'expired', 'failed'], 0);
    }

    /** In a forked child what the parent opened is kept, untouched: ending it would end it for the parent. */
    private function here(): void
    {
        if (getmypid() !== $this->pid) {
            self::$foreign[] = [$this->idle, $this->leases, $this->waiting];
            $this->begin();
        }
    }
}
