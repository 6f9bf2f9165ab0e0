<?php

// SPDX-License-Identifier: MIT
// The documents, tried: PHP blocks run, shell blocks run, links lead somewhere, counters are those that there are.
// php -d extension=build/ext/modules/tusk.so tests/docs/run.php [PAGE...]

declare(strict_types=1);

require_once __DIR__ . '/../ports.php';
require __DIR__ . '/Page.php';
require __DIR__ . '/Coverage.php';
require __DIR__ . '/Script.php';
require __DIR__ . '/Conversation.php';
require __DIR__ . '/Front.php';
require __DIR__ . '/Session.php';
require __DIR__ . '/Results.php';
require __DIR__ . '/Units.php';
require __DIR__ . '/Commands.php';
require __DIR__ . '/Docstring.php';

use Tusk\Tests\Docs\{Commands, Conversation, Coverage, Docstring, Front, Page, Results, Script, Units};

const SUMMARY = "%d passed, %d failed, %d skipped\n";

chdir(dirname(__DIR__, 2));
if (!extension_loaded('tusk')) {
    fwrite(STDERR, "run it with the extension: make test-docs\n");
    exit(2);
}
$counts = ['passed' => 0, 'failed' => 0, 'skipped' => 0];
$try = function (string $name, Closure $test) use (&$counts): void {
    try {
        $test();
        $counts['passed']++;
    } catch (Throwable $e) {
        $counts['failed']++;
        echo "FAILED $name\n    ", str_replace("\n", "\n    ", trim($e->getMessage())), "\n";
    }
};

$pages = array_slice($argv, 1) ?: Page::all();
foreach ($pages as $file) {
    $page = new Page($file);
    foreach ($page->blocks() as $block) {
        $try("$file:$block->line", fn () => (new Script($block))->check());
    }
    $try("$file: its links", $page->checkLinks(...));
    $try("$file: its make targets", $page->checkTargets(...));
    if ($file !== 'CHANGELOG.md') { // it tells what was
        $try("$file: its command lines of tusk", fn () => Commands::check((string) file_get_contents($file)));
    }
}
if (count($argv) === 1) {
    foreach (require __DIR__ . '/conversations.php' as $example => $talk) {
        $prepare = $example === 'tls.php' ? Front::certificate(...) : null;
        $try("examples/$example", fn () => Conversation::with("examples/$example", $talk, $prepare));
    }
    $docstrings = require __DIR__ . '/docstrings.php';
    foreach ($docstrings as $file => $examples) {
        foreach ($examples as $example => $test) {
            $try("$file: its example", fn () => (new Docstring($file))->try($example, $test));
        }
    }
    foreach (Docstring::files() as $file) {
        $docstring = new Docstring($file);
        $try("$file: examples that are tried", fn () => $docstring->checkAllTried(array_keys($docstrings[$file] ?? [])));
        $try("$file: its command lines of tusk", $docstring->checkCommands(...));
    }
    foreach (Front::cases() as $front) {
        if ($front->program() === null) {
            echo "skipped: docs/guide/deployment.md (no $front->value)\n";
            $counts['skipped']++;
        } else {
            $try("docs/guide/deployment.md: $front->value", fn () => $front->of('examples/hello.php', (require __DIR__ . '/conversations.php')['hello.php']));
        }
    }
    if (trim((string) shell_exec('command -v systemd-analyze')) === '') {
        echo "skipped: docs/guide/deployment.md: units (no systemd-analyze)\n";
        $counts['skipped']++;
    } else {
        $try('docs/guide/deployment.md: units', fn () => Units::printed()->verify());
    }
    $try('docs/guide/deployment.md: the socket is systemd\'s', fn () => Units::printed()->activate());
    $try('docs/performance*.md and their drawings', function (): void {
        exec('bench/figures --check 2>&1', $said, $status);
        if ($status !== 0) {
            throw new LogicException(implode("\n", $said));
        }
    });
    $try('docs/README.md has every page of the guide, the reference and what was measured', function (): void {
        $map = (string) file_get_contents('docs/README.md');
        $pages = [...glob('docs/{guide,reference}/*', GLOB_BRACE) ?: [], ...glob('docs/*.md') ?: [], 'docs/internals/README.md', 'docs/decisions/README.md'];
        $unlisted = array_filter($pages, fn (string $page): bool => $page !== 'docs/README.md' && !str_contains($map, '](' . substr($page, strlen('docs/')) . ')'));
        if ($unlisted !== []) {
            throw new LogicException('not in the map: ' . implode(', ', $unlisted));
        }
    });
    $try('bench/results', Results::check(...));
    foreach (Coverage::pages() as $page) {
        $try($page, (new Coverage($page))->check(...));
    }
    $try('docs/reference/counters.md', function (): void {
        $parts = preg_split("~^## Of a (?:proxy|workers|target, of a route)\n~m", (string) file_get_contents('docs/reference/counters.md'));
        $nowhere = new class () implements Tusk\Proxy\Resolver {
            public function resolve(Tusk\Proxy\Lookup $lookup): Tusk\Proxy\Route
            {
                throw new Tusk\Proxy\Refused(404);
            }
        };
        foreach ([(new Tusk\Server())->stats(), (new Tusk\Proxy\Http($nowhere))->stats()] as $i => $stats) {
            preg_match_all('~^\| (`[^|]*`) \|~m', $parts[$i], $cells);
            preg_match_all('~`(\w+)`~', implode(' ', $cells[1]), $m);
            $missing = array_diff(array_keys($stats), $m[1]);
            $gone = array_diff($m[1], array_keys($stats));
            if ($missing !== [] || $gone !== []) {
                throw new LogicException('not in the page: ' . implode(', ', $missing) . '; not in stats(): ' . implode(', ', $gone));
            }
        }
    });
}
printf(SUMMARY, $counts['passed'], $counts['failed'], $counts['skipped']);
exit($counts['failed'] === 0 ? 0 : 1);
