<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * The SQLite file: statements, and many writes in one transaction. WAL and synchronous=FULL, so that what has been committed
 * survives a lost process and a lost power supply.
 */
final class Database
{
    private const SCHEMA = <<<'SQL'
        CREATE TABLE IF NOT EXISTS users (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            folded TEXT NOT NULL UNIQUE,
            password TEXT,
            skeleton TEXT,
            present INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL
        );
        CREATE TABLE IF NOT EXISTS sessions (
            id TEXT PRIMARY KEY,
            user INTEGER NOT NULL REFERENCES users (id),
            expires_at INTEGER NOT NULL,
            address TEXT NOT NULL DEFAULT '',
            number INTEGER NOT NULL DEFAULT 0
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
        CREATE INDEX IF NOT EXISTS messages_said ON messages (talk, id, kind, sender);
        DROP INDEX IF EXISTS messages_talk;
        CREATE INDEX IF NOT EXISTS messages_to ON messages (recipient, id) WHERE recipient IS NOT NULL;
        CREATE INDEX IF NOT EXISTS messages_from ON messages (sender, id) WHERE recipient IS NOT NULL;
        CREATE INDEX IF NOT EXISTS messages_to_each ON messages (sender, recipient, id) WHERE recipient IS NOT NULL;
        CREATE INDEX IF NOT EXISTS messages_from_each ON messages (recipient, sender, id) WHERE recipient IS NOT NULL;
        CREATE INDEX IF NOT EXISTS messages_waiting ON messages (recipient, id) WHERE waiting = 1;
        CREATE INDEX IF NOT EXISTS messages_wait ON messages (id) WHERE waiting = 1;
        CREATE UNIQUE INDEX IF NOT EXISTS messages_nonce ON messages (sender, nonce) WHERE nonce IS NOT NULL;
        CREATE TABLE IF NOT EXISTS markers (
            user INTEGER NOT NULL REFERENCES users (id),
            talk TEXT NOT NULL,
            upto INTEGER NOT NULL,
            PRIMARY KEY (user, talk)
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS facts (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) WITHOUT ROWID;
        INSERT OR IGNORE INTO rooms (id, name, folded, created_at) VALUES (1, 'all', 'all', 0);
        SQL;

    /** Columns that came after the first version: a file of then gets them when it is opened. */
    private const ADDED = [
        ['users', 'skeleton', 'TEXT'],
        ['sessions', 'address', "TEXT NOT NULL DEFAULT ''"],
        ['sessions', 'number', 'INTEGER NOT NULL DEFAULT 0'],
    ];

    private const INDEXES = 'CREATE INDEX IF NOT EXISTS users_looks ON users (skeleton) WHERE skeleton IS NOT NULL;';

    private readonly \PDO $pdo;

    /** @var array<string, \PDOStatement> */
    private array $statements = [];

    private int $commits = 0;

    /**
     * @param \Closure(): int $now milliseconds since 1970
     * @param string|null     $is  which file it has to be, as isAt() tells it; null: any, and one is made where there is none
     *
     * @throws \RuntimeException when the file cannot be opened; the message names it
     */
    public function __construct(private readonly string $file, private readonly \Closure $now, private readonly ?string $is = null)
    {
        $this->demand();
        try {
            $this->pdo = new \PDO("sqlite:$file", null, null, [
                \PDO::ATTR_ERRMODE => \PDO::ERRMODE_EXCEPTION,
                \PDO::ATTR_DEFAULT_FETCH_MODE => \PDO::FETCH_ASSOC,
                \PDO::ATTR_STRINGIFY_FETCHES => false,
            ]);
            $this->pdo->exec('PRAGMA busy_timeout = 10000');
            $this->pdo->exec('PRAGMA journal_mode = WAL');
            $this->pdo->exec('PRAGMA synchronous = FULL');
            $this->pdo->exec('PRAGMA foreign_keys = ON');
            $this->pdo->exec(self::SCHEMA);
            foreach (self::ADDED as [$table, $column, $type]) {
                if ($this->row('SELECT 1 FROM pragma_table_info(?) WHERE name = ?', [$table, $column]) === null) {
                    $this->pdo->exec("ALTER TABLE $table ADD COLUMN $column $type");
                }
            }
            $this->pdo->exec(self::INDEXES);
        } catch (\PDOException $e) {
            throw new \RuntimeException("The chat's database $file cannot be used ({$e->getMessage()}): let the chat write it, or name another folder by --var (CHAT_VAR).", 0, $e);
        }
    }

    /** Which file has that name now; null: none. */
    public static function isAt(string $file): ?string
    {
        clearstatcache(true, $file);
        $stat = @stat($file);
        return $stat === false ? null : "{$stat['dev']}:{$stat['ino']}";
    }

    /** From here on this connection only reads: the writes are another process's. */
    public function onlyRead(): void
    {
        $this->pdo->exec('PRAGMA query_only = ON');
    }

    /**
     * Does the works in one transaction. What one of them throws becomes its outcome and undoes that work alone; when the commit
     * fails, nothing was done and every outcome says so.
     *
     * @param list<\Closure(): mixed> $works
     *
     * @return list<Outcome> in the order of the works
     */
    public function commit(array $works): array
    {
        try {
            $this->demand();
            $this->pdo->exec('BEGIN IMMEDIATE');
            $outcomes = array_map($this->outcome(...), $works);
            $this->pdo->exec('COMMIT');
            $this->commits++;
            return $outcomes;
        } catch (\RuntimeException $e) {
            error_log('chat: a commit of ' . count($works) . " writes failed: {$e->getMessage()}");
            $this->rollBack();
            return array_map(static fn (): Outcome => Outcome::refused(Refused::notStored()), $works);
        }
    }

    public function commits(): int
    {
        return $this->commits;
    }

    public function now(): int
    {
        return ($this->now)();
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

    /** @param \Closure(): mixed $work */
    private function outcome(\Closure $work): Outcome
    {
        $this->run('SAVEPOINT one', []);
        try {
            $outcome = Outcome::done($work());
        } catch (\Throwable $e) {
            $this->run('ROLLBACK TO one', []);
            if (!$e instanceof Refused) {
                error_log("chat: a write failed: $e");
            }
            $outcome = Outcome::refused($e instanceof Refused ? $e : Refused::notStored());
        }
        $this->run('RELEASE one', []);
        return $outcome;
    }

    /**
     * A file that was removed or replaced still takes what is written, and loses it with this process.
     *
     * @throws \RuntimeException
     */
    private function demand(): void
    {
        if ($this->is !== null && self::isAt($this->file) !== $this->is) {
            throw new \RuntimeException("the database {$this->file} was removed, or another file has its place; put it back, or start the chat again");
        }
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
