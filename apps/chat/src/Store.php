<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * The SQLite file. Writes are collected and committed together once per turn, off the path of the requests that asked for
 * them; WAL and synchronous=FULL, so that what has been committed survives a lost process and a lost power supply.
 */
final class Store
{
    /** Writes of one commit; more wait for the next turn, so that no turn gets long by what follows from a commit. */
    private const BATCH_MAX = 64;

    private const SCHEMA = <<<'SQL'
        CREATE TABLE IF NOT EXISTS users (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            folded TEXT NOT NULL UNIQUE,
            password TEXT,
            present INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL
        );
        CREATE TABLE IF NOT EXISTS sessions (
            id TEXT PRIMARY KEY,
            user INTEGER NOT NULL REFERENCES users (id),
            expires_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS sessions_of ON sessions (user);
        CREATE TABLE IF NOT EXISTS rooms (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            folded TEXT NOT NULL UNIQUE,
            created_at INTEGER NOT NULL
        );
        CREATE TABLE IF NOT EXISTS members (
            user INTEGER NOT NULL REFERENCES users (id),
            room INTEGER NOT NULL REFERENCES rooms (id),
            PRIMARY KEY (user, room)
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS members_of ON members (room);
        CREATE TABLE IF NOT EXISTS messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            talk TEXT NOT NULL,
            sender INTEGER NOT NULL REFERENCES users (id),
            recipient INTEGER REFERENCES users (id),
            room INTEGER REFERENCES rooms (id),
            text TEXT NOT NULL,
            nonce TEXT,
            kept INTEGER NOT NULL DEFAULT 0,
            waiting INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX IF NOT EXISTS messages_talk ON messages (talk, id);
        CREATE INDEX IF NOT EXISTS messages_to ON messages (recipient, id) WHERE recipient IS NOT NULL;
        CREATE INDEX IF NOT EXISTS messages_from ON messages (sender, id) WHERE recipient IS NOT NULL;
        CREATE INDEX IF NOT EXISTS messages_waiting ON messages (recipient, id) WHERE waiting = 1;
        CREATE UNIQUE INDEX IF NOT EXISTS messages_nonce ON messages (sender, nonce) WHERE nonce IS NOT NULL;
        CREATE TABLE IF NOT EXISTS markers (
            user INTEGER NOT NULL REFERENCES users (id),
            talk TEXT NOT NULL,
            upto INTEGER NOT NULL,
            PRIMARY KEY (user, talk)
        ) WITHOUT ROWID;
        INSERT OR IGNORE INTO rooms (id, name, folded, created_at) VALUES (1, 'all', 'all', 0);
        SQL;

    private readonly \PDO $pdo;

    /** @var array<string, \PDOStatement> */
    private array $statements = [];

    /** @var list<Ticket<mixed>> */
    private array $queue = [];

    private bool $deferred = false;

    private int $commits = 0;

    /** @throws \RuntimeException when the file cannot be opened; the message names it */
    public function __construct(string $file, private readonly Turn $turn)
    {
        try {
            $this->pdo = new \PDO("sqlite:$file", null, null, [
                \PDO::ATTR_ERRMODE => \PDO::ERRMODE_EXCEPTION,
                \PDO::ATTR_DEFAULT_FETCH_MODE => \PDO::FETCH_ASSOC,
                \PDO::ATTR_STRINGIFY_FETCHES => false,
            ]);
            $this->pdo->exec('PRAGMA busy_timeout = 5000');
            $this->pdo->exec('PRAGMA journal_mode = WAL');
            $this->pdo->exec('PRAGMA synchronous = FULL');
            $this->pdo->exec('PRAGMA foreign_keys = ON');
            $this->pdo->exec(self::SCHEMA);
        } catch (\PDOException $e) {
            throw new \RuntimeException("The chat's database $file cannot be used: {$e->getMessage()}", 0, $e);
        }
    }

    /**
     * Queues a write for this turn's commit. What $work throws becomes the ticket's error and undoes $work alone.
     *
     * @template T
     *
     * @param \Closure(): T $work
     *
     * @return Ticket<T>
     */
    public function write(\Closure $work): Ticket
    {
        $ticket = new Ticket($work);
        $this->queue[] = $ticket;
        $this->flushSoon();
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
            $this->turn->wait($ticket->isDone(...));
        }
        return $ticket->value();
    }

    /** Commits all that is queued, now: after the loop has ended. */
    public function close(): void
    {
        while ($this->queue !== []) {
            $this->flush();
        }
    }

    private function flushSoon(): void
    {
        if (!$this->deferred) {
            $this->deferred = true;
            $this->turn->defer($this->flush(...));
        }
    }

    private function flush(): void
    {
        $this->deferred = false;
        $batch = array_splice($this->queue, 0, self::BATCH_MAX);
        if ($this->queue !== []) {
            $this->flushSoon();
        }
        if ($batch !== []) {
            $this->commit($batch);
        }
    }

    /** @param non-empty-list<Ticket<mixed>> $batch */
    private function commit(array $batch): void
    {
        try {
            $this->pdo->exec('BEGIN IMMEDIATE');
            foreach ($batch as $ticket) {
                $this->runOne($ticket);
            }
            $this->pdo->exec('COMMIT');
            $this->commits++;
        } catch (\PDOException $e) {
            error_log("chat: a commit of " . count($batch) . " writes failed: {$e->getMessage()}");
            $this->rollBack();
            foreach ($batch as $ticket) {
                $ticket->fail(Refused::notStored());
            }
        }
        foreach ($batch as $ticket) {
            try {
                $ticket->settle();
            } catch (\Throwable $e) {
                error_log("chat: after a commit: $e");
            }
        }
    }

    public function commits(): int
    {
        return $this->commits;
    }

    public function now(): int
    {
        return $this->turn->now();
    }

    /**
     * @param array<int|string, int|string|null> $values
     *
     * @return list<array<string, int|string|null>>
     */
    public function rows(string $sql, array $values = []): array
    {
        $statement = $this->run($sql, $values);
        /** @var list<array<string, int|string|null>> $rows */
        $rows = $statement->fetchAll();
        $statement->closeCursor();
        return $rows;
    }

    /**
     * @param array<int|string, int|string|null> $values
     *
     * @return array<string, int|string|null>|null
     */
    public function row(string $sql, array $values = []): ?array
    {
        return $this->rows($sql, $values)[0] ?? null;
    }

    /** @param array<int|string, int|string|null> $values */
    public function number(string $sql, array $values = []): int
    {
        $row = $this->row($sql, $values);
        return $row === null ? 0 : (int) current($row);
    }

    /**
     * @param array<int|string, int|string|null> $values
     *
     * @return int rows changed
     */
    public function change(string $sql, array $values = []): int
    {
        return $this->run($sql, $values)->rowCount();
    }

    public function insertedId(): int
    {
        return (int) $this->pdo->lastInsertId();
    }

    /** @param Ticket<mixed> $ticket */
    private function runOne(Ticket $ticket): void
    {
        $this->pdo->exec('SAVEPOINT one');
        try {
            $ticket->work();
        } catch (\Throwable $e) {
            $this->pdo->exec('ROLLBACK TO one');
            if (!$e instanceof Refused) {
                error_log("chat: a write failed: $e");
            }
            $ticket->fail($e instanceof Refused ? $e : Refused::notStored());
        }
        $this->pdo->exec('RELEASE one');
    }

    private function rollBack(): void
    {
        try {
            $this->pdo->exec('ROLLBACK');
        } catch (\PDOException) {
            // SQLite has rolled back by itself (a full disk, an I/O error).
        }
    }

    /** @param array<int|string, int|string|null> $values */
    private function run(string $sql, array $values): \PDOStatement
    {
        $statement = $this->statements[$sql] ??= $this->pdo->prepare($sql);
        foreach ($values as $key => $value) {
            $statement->bindValue(is_int($key) ? $key + 1 : $key, $value, match (true) {
                is_int($value) => \PDO::PARAM_INT,
                $value === null => \PDO::PARAM_NULL,
                default => \PDO::PARAM_STR,
            });
        }
        $statement->execute();
        return $statement;
    }
}
