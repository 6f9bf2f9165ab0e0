<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Results in an SQLite file: added by `--store`, read by `report` and `compare`. */
final class Store
{
    public const DEFAULT = 'tusk-bench.sqlite';
    private const VERSION = 1;

    private readonly \PDO $db;

    /** @throws BadFile when the file is no store of this version */
    public function __construct(private readonly string $file, bool $mustExist = false)
    {
        if ($mustExist && !is_file($file)) {
            throw BadFile::at($file, null, 'there is no such file; a run with --store keeps its result there');
        }
        try {
            $this->db = new \PDO("sqlite:$file", options: [\PDO::ATTR_ERRMODE => \PDO::ERRMODE_EXCEPTION, \PDO::ATTR_TIMEOUT => 10]);
            $this->prepare();
        } catch (\PDOException $fault) {
            throw BadFile::at($file, null, "no store of results: {$fault->getMessage()}");
        }
    }

    private function prepare(): void
    {
        if ($this->isEmpty()) {
            $this->db->exec('BEGIN IMMEDIATE'); // runs that end together make one store
            if ($this->isEmpty()) {
                $this->db->exec('CREATE TABLE results (id INTEGER PRIMARY KEY, started REAL NOT NULL, series TEXT NOT NULL, valid INTEGER NOT NULL, '
                    . 'rate REAL NOT NULL, p50 REAL, p99 REAL, json BLOB NOT NULL)');
                $this->db->exec('CREATE INDEX results_series ON results (series, started)');
                $this->db->exec('PRAGMA user_version = ' . self::VERSION);
            }
            $this->db->exec('COMMIT');
        }
        $version = (int) $this->column('PRAGMA user_version');
        if ($version !== self::VERSION) {
            throw BadFile::at($this->file, null, "no store of results (version $version, not " . self::VERSION . ')');
        }
    }

    /** @phpstan-impure somebody else may fill it */
    private function isEmpty(): bool
    {
        return $this->column('PRAGMA user_version') === '0' && $this->column('SELECT COUNT(*) FROM sqlite_master') === '0';
    }

    /** @return int the result's number */
    public function add(Result $result): int
    {
        $headline = $result->headline();
        $statement = $this->db->prepare('INSERT INTO results (started, series, valid, rate, p50, p99, json) VALUES (?, ?, ?, ?, ?, ?, ?)');
        $statement->execute([
            $result->started,
            self::series($result),
            (int) $result->validity->valid(),
            $result->rate(),
            $headline->percentile(50),
            $headline->percentile(99),
            gzcompress($result->toJson()),
        ]);

        return (int) $this->db->lastInsertId();
    }

    /** What makes results comparable: mode, address, options that change the load; not the scenario's name. */
    public static function series(Result $result): string
    {
        $options = array_diff_key($result->options, array_flip(['duration', 'warmup', 'drain', 'workers', 'sources', 'seed', 'allow-remote', 'samples']));
        ksort($options);

        return $result->mode->value . ' ' . $result->url . ' ' . json_encode($options, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE);
    }

    /**
     * @param int|null $id null: the newest
     *
     * @throws BadFile when there is no such result
     */
    public function get(?int $id = null): Result
    {
        $statement = $this->db->prepare('SELECT json FROM results ' . ($id === null ? 'ORDER BY started DESC, id DESC LIMIT 1' : 'WHERE id = ?'));
        $statement->execute($id === null ? [] : [$id]);
        $packed = $statement->fetchColumn();
        if (!is_string($packed)) {
            throw BadFile::at($this->file, null, $id === null ? 'holds no result' : "holds no result $id");
        }

        return Result::fromJson((string) gzuncompress($packed));
    }

    /**
     * The results of one series, oldest first.
     *
     * @return list<array{id: int, started: float, valid: bool, rate: float, p50: float|null, p99: float|null}>
     */
    public function trend(string $series, int $limit = 50): array
    {
        $statement = $this->db->prepare('SELECT * FROM (SELECT id, started, valid, rate, p50, p99 FROM results WHERE series = ? '
            . 'ORDER BY started DESC, id DESC LIMIT ?) ORDER BY started, id');
        $statement->execute([$series, $limit]);
        $rows = [];
        foreach ($statement->fetchAll(\PDO::FETCH_ASSOC) as $row) {
            $rows[] = self::row(is_array($row) ? $row : []);
        }

        return $rows;
    }

    /** @return list<array{id: int, started: float, series: string, valid: bool, rate: float, p50: float|null, p99: float|null}> the newest first */
    public function list(int $limit = 50): array
    {
        $rows = [];
        $statement = $this->db->prepare('SELECT id, started, series, valid, rate, p50, p99 FROM results ORDER BY started DESC, id DESC LIMIT ?');
        $statement->execute([$limit]);
        foreach ($statement->fetchAll(\PDO::FETCH_ASSOC) as $row) {
            $row = is_array($row) ? $row : [];
            $rows[] = ['series' => is_string($row['series'] ?? null) ? $row['series'] : '', ...self::row($row)];
        }

        return $rows;
    }

    /**
     * @param array<array-key, mixed> $row
     *
     * @return array{id: int, started: float, valid: bool, rate: float, p50: float|null, p99: float|null}
     */
    private static function row(array $row): array
    {
        $number = static fn (string $name): ?float => is_numeric($row[$name] ?? null) ? (float) $row[$name] : null;

        return [
            'id' => (int) $number('id'),
            'started' => (float) $number('started'),
            'valid' => $number('valid') === 1.0,
            'rate' => (float) $number('rate'),
            'p50' => $number('p50'),
            'p99' => $number('p99'),
        ];
    }

    private function column(string $query): string
    {
        $statement = $this->db->prepare($query);
        $statement->execute();
        $value = $statement->fetchColumn();

        return is_scalar($value) ? (string) $value : '';
    }
}
