<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** Compares results with those on record and tells people and machines. */
final class Report
{
    /** @param array<string, array{title: string, result: Outcome, detail: string, seconds: float}> $results */
    public function __construct(private readonly array $results) {}

    public function writeJson(string $path): void
    {
        @mkdir(dirname($path), 0777, true);
        file_put_contents($path, json_encode($this->results, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE) . "\n");
    }

    private function families(): void
    {
        $table = [];
        foreach ($this->results as $id => $row) {
            $family = explode('/', $id)[0];
            $table[$family][$row['result']->value] = ($table[$family][$row['result']->value] ?? 0) + 1;
        }
        ksort($table, SORT_NATURAL);
        printf("%-22s %6s %6s %6s\n", 'family', 'pass', 'fail', 'absent');
        foreach ($table as $family => $row) {
            printf("%-22s %6d %6d %6d\n", $family, $row['pass'] ?? 0, $row['fail'] ?? 0, $row['absent'] ?? 0);
        }
    }

    /** Says what became of it all; the last line is the one that tools/suite reads. @return int exit status */
    public function finish(string $path, string $role, bool $whole, bool $update, float $seconds): int
    {
        $this->families();
        $count = array_count_values(array_map(static fn (array $row): string => $row['result']->value, $this->results));
        [$pass, $fail, $absent] = [$count['pass'] ?? 0, $count['fail'] ?? 0, $count['absent'] ?? 0];
        printf("%s role, %d cases: %d pass, %d fail, %d absent in %.1f s\n", $role, count($this->results), $pass, $fail, $absent, $seconds);
        if ($update) {
            $this->update($path, $role, $whole);
            $differ = 0;
        } elseif ($path === 'none') {
            $differ = $fail;
        } else {
            $differ = $this->compare($path, $role, $whole);
            echo $differ === 0 ? "as on record\n" : "$differ cases differ from the record\n";
        }
        printf("%d passed, %d failed, %d skipped\n", count($this->results) - $absent - min($differ, count($this->results) - $absent), $differ, $absent);

        return $differ === 0 ? 0 : 1;
    }

    /** @return int how many cases differ from the record */
    private function compare(string $path, string $role, bool $whole): int
    {
        $record = self::record($path)[$role] ?? [];
        $differ = 0;
        foreach ($this->results as $id => $row) {
            $wanted = $record[$id]['result'] ?? null;
            if ($wanted !== $row['result']->value) {
                $differ++;
                printf("%s: %s (on record: %s): %s\n", $id, $row['result']->value, $wanted ?? 'nothing', $row['detail']);
            }
        }
        foreach ($whole ? array_diff_key($record, $this->results) : [] as $id => $row) {
            $differ++;
            echo "$id: on record, but there is no such case\n";
        }

        return $differ;
    }

    /**
     * Writes every case as it stands; what failed is written as failed, to be read in the diff. What was not played
     * (a filter left it out) stays.
     */
    private function update(string $path, string $role, bool $whole): void
    {
        $all = self::record($path);
        $rows = $whole ? [] : $all[$role] ?? [];
        foreach ($this->results as $id => $row) {
            $rows[$id] = ['title' => $row['title'], 'result' => $row['result']->value];
        }
        ksort($rows, SORT_NATURAL);
        $all[$role] = $rows;
        ksort($all);
        $out = [];
        foreach ($all as $name => $cases) {
            $lines = [];
            foreach ($cases as $id => $case) {
                $lines[] = '    ' . json_encode((string) $id, JSON_UNESCAPED_SLASHES) . ': '
                    . json_encode($case, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
            }
            $out[] = '  ' . json_encode($name) . ": {\n" . implode(",\n", $lines) . "\n  }";
        }
        file_put_contents($path, "{\n" . implode(",\n", $out) . "\n}\n");
    }

    /** @return array<string, array<string, array{title: string, result: string}>> */
    private static function record(string $path): array
    {
        /** @var array<string, array<string, array{title: string, result: string}>> */
        return is_file($path) ? json_decode((string) file_get_contents($path), true, 8, JSON_THROW_ON_ERROR) : [];
    }
}
