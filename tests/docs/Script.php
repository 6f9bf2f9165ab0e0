<?php

// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Tusk\Tests\Docs;

/**
 * A block that is tried. What stands in the comment before it decides:
 *   examples/x.php          the block is that file
 *   part of examples/x.php  it stands in that file, word for word
 *   phpunit                 it is a test case that passes (parses, where PHPUnit is not installed)
 *   lint                    it only parses (what needs a network)
 *   against examples/x.php  what somebody types and sees, while that example runs
 *   run                     (shell) it runs; without it a shell reads it to its end
 *   nothing                 it runs; one that does not begin with <?php gets imports and a $server that it may use
 * A server is stopped by SIGTERM soon after its start: routes, options and closures were made then, and it drained.
 */
final readonly class Script
{
    private const IMPORTS = <<<'PHP'
        use Tusk\{Limits, Overflow, Position, Server, Timer, Tls};
        use Tusk\Http\{Request, Response};
        use Tusk\Sse\EventStream;
        use Tusk\WebSocket\{CloseFrame, Connection, Deflate, Frame, Frames, MessageType, Protocol, ServerOptions};

        PHP;
    private const ANYTHING = '$users = $jobs = $db = $log = new class () { public function __call(string $name, array $arguments): mixed { return null; } };';
    private const STOPPED = <<<'PHP'
        (function (): void {
            $stop = Tusk\Timer::delay(0.05, function (): void { posix_kill(posix_getpid(), SIGTERM); });
            register_shutdown_function(fn () => Tusk\Timer::cancel($stop)); // of a block without a server
        })();
        PHP;

    public function __construct(private Block $block) {}

    public function check(): void
    {
        $note = $this->block->note;
        if ($this->block->language === 'sh') {
            $note === 'run' ? $this->shell($this->block->text) : $this->shell("bash -n <<'END'\n{$this->block->text}END\n");
        } elseif ($this->block->language === 'json') {
            json_decode($this->block->text, flags: JSON_THROW_ON_ERROR);
        } elseif ($this->block->language === 'js' && $note === '') {
            $this->javascript();
        } elseif ($this->block->language === 'c') {
            $compile = (getenv('CC') ?: 'cc') . ' -std=c11 -Wall -Wextra -Werror -fsyntax-only -I%s/include -xc -';
            $this->shell(sprintf($compile, escapeshellarg((string) getcwd())) . " <<'END'\n{$this->block->text}END\n");
        } elseif (preg_match('~^(part of )?(examples/[\w.-]+)$~', $note, $m) === 1) {
            self::same($this->block->text, (string) file_get_contents($m[2]), $m[1] !== '');
        } elseif (preg_match('~^against (examples/[\w.-]+)$~', $note, $m) === 1) {
            Session::against($m[1], $this->block->text);
        } elseif ($note === 'phpunit') {
            $this->phpunit();
        } elseif ($note === 'lint') {
            $this->run(['-l'], $this->program());
        } else {
            $output = $this->run([], $this->program());
            if ($this->block->output !== null && $output !== $this->block->output) {
                throw new \LogicException("printed:\n$output");
            }
        }
    }

    private static function same(string $block, string $file, bool $part): void
    {
        if ($part ? !str_contains($file, $block) : $file !== $block) {
            throw new \LogicException($part ? 'is not a part of the file' : 'is not the file');
        }
    }

    private function program(): string
    {
        $text = $this->block->text;
        if (str_starts_with($text, '<?php')) {
            return $text;
        }
        $server = str_contains($text, '$server') && preg_match('~\$server = ~', $text) === 0 ? '$server = new Tusk\Server(listen: "127.0.0.1:0");' : '';
        $run = str_contains($text, '$server') && !str_contains($text, '->run()') ? 'exit((int) $server->run());' : '';
        return "<?php\n" . (preg_match('~^use ~m', $text) === 1 ? '' : self::IMPORTS) . self::ANYTHING . $server . "\n$text\n$run\n";
    }

    /** @param list<string> $options */
    private function run(array $options, string $program): string
    {
        $folder = sys_get_temp_dir() . '/tusk-docs-' . getmypid();
        @mkdir("$folder/public", 0o700, true);
        file_put_contents("$folder/block.php", $program);
        file_put_contents("$folder/prepend.php", '<?php ' . self::STOPPED);
        $php = [PHP_BINARY, '-n', '-d', 'extension=' . self::module(), '-d', 'display_errors=stderr', '-d', 'error_reporting=-1', '-d', 'extension=posix'];
        $php = extension_loaded('posix') && self::builtIn() ? array_slice($php, 0, -2) : $php;
        if ($options === []) {
            array_push($php, '-d', "auto_prepend_file=$folder/prepend.php");
        }
        try {
            return self::execute([...$php, ...$options, "$folder/block.php", ...($options === [] ? ['0'] : [])], $folder);
        } finally {
            array_map(unlink(...), glob("$folder/*.*") ?: []);
            @rmdir("$folder/public");
            @rmdir($folder);
        }
    }

    /** Only read, by Node.js where it is there: pages are a browser's. */
    private function javascript(): void
    {
        $this->shell("if command -v node >/dev/null; then cat >block.mjs <<'END'\n{$this->block->text}END\nnode --check block.mjs; fi");
    }

    private function phpunit(): void
    {
        $runner = realpath('php/vendor/bin/phpunit');
        if ($runner === false) {
            $this->run(['-l'], $this->block->text);
            return;
        }
        $name = preg_match('~class (\w+)~', $this->block->text, $m) === 1 ? $m[1] : throw new \LogicException('no class');
        $file = escapeshellarg("$name.php");
        $php = escapeshellarg(PHP_BINARY) . ' -d extension=' . escapeshellarg(self::module());
        $this->shell("cat >$file <<'END'\n{$this->block->text}END\n$php " . escapeshellarg($runner) . " --no-configuration --do-not-cache-result --fail-on-warning $file");
    }

    /** Where the extension that runs this lies. */
    public static function module(): string
    {
        return (string) realpath('build/ext/modules/tusk.so');
    }

    /** posix may be a part of PHP or a module of its own. */
    private static function builtIn(): bool
    {
        static $is = null;
        return $is ??= trim((string) shell_exec(PHP_BINARY . ' -n -r ' . escapeshellarg('echo extension_loaded("posix") ? 1 : 0;'))) === '1';
    }

    private function shell(string $commands): void
    {
        $folder = sys_get_temp_dir() . '/tusk-docs-sh-' . getmypid();
        mkdir($folder, 0o700);
        try {
            self::execute(['bash', '-eu', '-o', 'pipefail', '-c', $commands], $folder, false);
        } finally {
            array_map(unlink(...), glob("$folder/*") ?: []);
            rmdir($folder);
        }
    }

    /** @param list<string> $command */
    private static function execute(array $command, string $folder, bool $quiet = true): string
    {
        $process = proc_open(['timeout', '60', ...$command], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', "$folder/err.txt", 'w']], $pipes, $folder);
        if ($process === false) {
            throw new \RuntimeException('cannot start ' . $command[0]);
        }
        $output = (string) stream_get_contents($pipes[1]);
        $status = proc_close($process);
        $errors = (string) file_get_contents("$folder/err.txt");
        if ($status !== 0 || ($quiet && trim($errors) !== '')) {
            throw new \LogicException("ended with status $status\n$output$errors");
        }
        return $output;
    }
}
