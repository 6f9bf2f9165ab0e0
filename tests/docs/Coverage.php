<?php

// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Tusk\Tests\Docs;

/** A page of what is expected, where it is built, and the tests that prove it: every path and every test it names is there, and every row has a proof. */
final class Coverage
{
    private string $text;

    /** @param string $file the page, from the tree's root; its links begin with `../../` */
    public function __construct(private readonly string $file)
    {
        $this->text = (string) file_get_contents($file);
    }

    /** @return list<string> */
    public static function pages(): array
    {
        return glob('docs/internals/*-coverage.md') ?: [];
    }

    /** @throws \LogicException that names whatever is not there */
    public function check(): void
    {
        $wrong = [...$this->proofs(), ...$this->rows()];
        if ($wrong !== []) {
            throw new \LogicException("$this->file:\n" . implode("\n", $wrong));
        }
    }

    /** @return list<string> files of tests, and tests in them, that are not there */
    private function proofs(): array
    {
        preg_match_all('~\]\(\.\./\.\./(\S+)\)((?:(?:,|\s)*`[^`]+`)+)~', $this->text, $proofs, PREG_SET_ORDER);
        $gone = [];
        foreach ($proofs as [, $file, $names]) {
            preg_match_all('~`([^`]+)`~', $names, $m);
            $text = (string) file_get_contents($file);
            foreach ($m[1] as $name) {
                if (!str_contains($text, $name)) {
                    $gone[] = "$file has no $name";
                }
            }
        }
        return $gone;
    }

    /** @return list<string> rows without a test, and places they name that are not there */
    private function rows(): array
    {
        preg_match_all('~^\| (?!expected|---).*~m', $this->text, $rows);
        $wrong = count($rows[0]) < 20 ? ['only ' . count($rows[0]) . ' rows were found'] : [];
        foreach ($rows[0] as $row) {
            preg_match_all('~`((?:src|ext|php|bench|examples)/[^`]*)`~', explode(' | ', $row)[1], $built);
            foreach ($built[1] as $path) {
                if (!file_exists($path)) {
                    $wrong[] = "there is no $path";
                }
            }
            if (preg_match('~\]\(\.\./\.\./\S+\) `~', $row) !== 1) {
                $wrong[] = "nothing proves $row";
            }
        }
        return $wrong;
    }
}
