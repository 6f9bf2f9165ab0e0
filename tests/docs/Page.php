<?php

// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Tusk\Tests\Docs;

/** One fenced block and what is said about it: the comment right before it, the output promised right after it. */
final readonly class Block
{
    public function __construct(
        public string $language,
        public string $text,
        public string $note,
        public ?string $output,
        public int $line,
    ) {}
}

/** A Markdown page. */
final readonly class Page
{
    private string $text;

    public function __construct(private string $file)
    {
        $this->text = (string) file_get_contents($file);
    }

    /** @return list<string> all that people read; the reference is generated, with signatures in its blocks */
    public static function all(): array
    {
        $files = [...glob('*.md') ?: [], ...glob('docs/*.md') ?: [], ...glob('docs/{guide,internals,decisions,reference}/*.md', GLOB_BRACE) ?: []];
        return array_values(array_filter($files, fn (string $file): bool => !in_array($file, ['docs/reference/php.md', 'docs/reference/library.md'], true)));
    }

    /** @return list<Block> */
    public function blocks(): array
    {
        $blocks = [];
        $note = '';
        $output = false;
        $lines = explode("\n", $this->text);
        for ($i = 0; $i < count($lines); $i++) {
            if (preg_match('~^<!-- (.*) -->$~', $lines[$i], $m) === 1) {
                $output = $m[1] === 'prints';
                $note = $output ? '' : $m[1];
            } elseif (preg_match('~^```(\w*)$~', $lines[$i], $m) === 1) {
                $start = $i + 1;
                while (++$i < count($lines) && $lines[$i] !== '```') {
                }
                $text = implode("\n", array_slice($lines, $start, $i - $start)) . "\n";
                if ($output) {
                    $last = array_pop($blocks) ?? throw new \LogicException("$this->file:$start: the output of what?");
                    $blocks[] = new Block($last->language, $last->text, $last->note, $text, $last->line);
                } elseif ($m[1] === 'php' || $m[1] === 'c' || $m[1] === 'sh' || $m[1] === 'js' || $m[1] === 'json' || preg_match('~^(?:against |part of |examples/)~', $note) === 1) {
                    $blocks[] = new Block($m[1], $text, $note, null, $start);
                }
                $note = '';
                $output = false;
            } elseif (trim($lines[$i]) !== '') {
                $note = '';
            }
        }
        return $blocks;
    }

    /** Links inside the tree lead to a file, and to one of its headings. */
    public function checkLinks(): void
    {
        preg_match_all('~\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)~', (string) preg_replace('~^```.*?^```$~ms', '', $this->text), $m, PREG_SET_ORDER);
        foreach ($m as $link) {
            $target = $link[1] === '' ? $this->file : dirname($this->file) . '/' . $link[1];
            if (!file_exists($target)) {
                throw new \LogicException("leads nowhere: $link[1]");
            }
            if (isset($link[2]) && !in_array($link[2], self::anchors((string) file_get_contents($target)), true)) {
                throw new \LogicException("no such heading: $link[1]#$link[2]");
            }
        }
    }

    /** @return list<string> as GitHub makes them from headings */
    private static function anchors(string $text): array
    {
        preg_match_all('~^#+ (.*)$~m', $text, $m);
        return array_map(fn (string $title): string => strtr((string) preg_replace('~[^\w\- ]~u', '', strtolower($title)), ' ', '-'), $m[1]);
    }

    /** `make x` names a target that there is. */
    public function checkTargets(): void
    {
        static $targets = null;
        $targets ??= (function (): array {
            $rules = implode("\n", array_map(fn (string $file): string => (string) file_get_contents($file), ['Makefile', 'bench/bench.mk', 'tools/fuzz.mk']));
            preg_match_all('~^([a-z0-9-]+(?: [a-z0-9-]+)*):~m', $rules, $m);
            return array_merge(...array_map(fn (string $names): array => explode(' ', $names), $m[1]));
        })();
        preg_match_all('~(?:`|^|&& )make((?: [a-z][a-z0-9-]*)+)~m', $this->text, $m);
        foreach ($m[1] as $names) {
            foreach (explode(' ', trim($names)) as $name) {
                if (!in_array($name, $targets, true)) {
                    throw new \LogicException("make $name: there is no such target");
                }
            }
        }
    }
}
