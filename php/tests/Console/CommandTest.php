<?php

declare(strict_types=1);

namespace Tusk\Tests\Console;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Tusk\Terminal\LostOutput;
use Tusk\Terminal\Output;
use Tusk\Console\ProcessLauncher;

/** The command as people start it, in a process of its own. */
#[CoversClass(LostOutput::class)]
#[CoversClass(Output::class)]
#[CoversClass(ProcessLauncher::class)]
final class CommandTest extends TestCase
{
    private string $file = '';

    protected function tearDown(): void
    {
        if ($this->file !== '') {
            unlink($this->file);
        }
    }

    public function testTheVersionComesFromBinTusk(): void
    {
        [$status, $out] = $this->tusk(['--version']);

        self::assertSame(0, $status);
        self::assertStringStartsWith('Tusk ', $out);
    }

    public function testServeRunsTheFileWithTheExtensionAndGivesItsStatusBack(): void
    {
        $this->needsTheBuiltModule();
        $this->script('fwrite(STDOUT, json_encode([extension_loaded("tusk"), array_slice($argv, 1)])); exit(9);');
        [$status, $out] = $this->tusk(['serve', $this->file, '9001', '--', '--open']);

        self::assertSame(9, $status);
        self::assertSame('[true,["9001","--open"]]', $out);
    }

    public function testAProgramWithoutComposerFindsTusksClasses(): void
    {
        $this->needsTheBuiltModule();
        $this->script('echo class_exists("Tusk\\Proxy\\AccessLog") && class_exists("Tusk\\Proxy\\Map") && !class_exists("Tusk\\Proxy\\Nothing") ? "found" : "missing";');
        foreach (['proxy', 'serve'] as $verb) {
            [$status, $out, $errors] = $this->tusk([$verb, $this->file]);

            self::assertSame([0, 'found', ''], [$status, $out, $errors]);
        }
    }

    public function testAPortThatIsTakenIsSaidInOneLine(): void
    {
        $this->needsTheBuiltModule();
        $taken = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($taken);
        $address = (string) stream_socket_get_name($taken, false);
        [$status, , $errors] = $this->tusk(['proxy', 'tcp', '--listen', $address, '--to', '127.0.0.1:1']);

        self::assertSame(3, $status);
        self::assertSame("tusk: cannot listen on $address: address already in use; choose another port, or 0 for any that is free\n", $errors);
    }

    public function testAMapThatLeadsToPrivateAddressesIsWarnedOfUnlessTheyAreAllowed(): void
    {
        $this->needsTheBuiltModule();
        $taken = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($taken);
        $map = (string) tempnam(sys_get_temp_dir(), 'tusk-map');
        file_put_contents($map, "shop 10.0.0.7:1 8.8.8.8:1 db.example:1\n*.a.example [fd00::7]:1\n* 10.0.0.7:1\n");
        // The port is taken, so that it ends at once.
        $proxy = ['proxy', 'tcp', '--listen', (string) stream_socket_get_name($taken, false), '--map', $map, '--by', 'database'];
        $warnings = array_map(
            fn (array $more): int => substr_count($this->tusk([...$proxy, ...$more])[2], 'warning: the map leads to addresses that are not public (10.0.0.7:1, [fd00::7]:1): '),
            [[], ['--allow', '10.0.0.0/8'], ['--any-address']],
        );
        unlink($map);

        self::assertSame([1, 0, 0], $warnings);
    }

    public function testAServersPortThatIsTakenIsSaidInOneLine(): void
    {
        $this->needsTheBuiltModule();
        $taken = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($taken);
        $address = (string) stream_socket_get_name($taken, false);
        $this->script("(new Tusk\Server(listen: '$address'))->run();");
        [$status, , $errors] = $this->tusk(['serve', $this->file]);

        self::assertSame(3, $status);
        self::assertSame("tusk: cannot listen on $address: address already in use; choose another port, or 0 for any that is free\n", $errors);

        [$status, , $errors] = $this->tusk(['chat', '-p', substr($address, strrpos($address, ':') + 1)]);

        self::assertSame(3, $status);
        self::assertStringContainsString("cannot listen on $address", $errors);
    }

    public function testAnExceptionThatIsNotOfRunIsToldAsPhpTellsIt(): void
    {
        $this->needsTheBuiltModule();
        $this->script('throw new Tusk\Exception("a slip");');
        [$status, $out, $errors] = $this->tusk(['serve', $this->file]);

        self::assertSame(255, $status);
        self::assertStringContainsString('Uncaught Tusk\Exception: a slip', $out . $errors);
    }

    public function testOutputThatCannotBeWrittenIsAFailure(): void
    {
        if (!is_writable('/dev/full')) {
            self::markTestSkipped('no /dev/full');
        }
        foreach ([['list'], ['--help'], ['doctor', '--json']] as $arguments) {
            [$status, , $errors] = $this->tusk($arguments, out: ['file', '/dev/full', 'w']);

            self::assertSame(3, $status);
            self::assertSame("tusk: standard output cannot be written: no space left on device; what it was to say is lost\n", $errors);
        }
    }

    public function testAReaderThatHasEnoughIsNoFailure(): void
    {
        $gone = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        self::assertIsArray($gone);
        fclose($gone[1]);
        [$status, , $errors] = $this->tusk(['list'], out: $gone[0]);

        self::assertSame([0, ''], [$status, $errors]);
    }

    public function testTheServerIsTheProcessThatWasStarted(): void
    {
        $this->needsTheBuiltModule();
        $this->script('pcntl_async_signals(true); pcntl_signal(SIGTERM, function () { echo "bye"; exit(0); });'
            . 'echo getmypid(), "\n"; while (true) { sleep(1); }');
        $process = proc_open($this->line(['serve', $this->file]), [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes, null, $this->environment());
        self::assertIsResource($process);
        $pid = (int) fgets($pipes[1]);

        self::assertSame(proc_get_status($process)['pid'], $pid);
        posix_kill($pid, SIGTERM);
        self::assertSame('bye', stream_get_contents($pipes[1]));
        self::assertSame(0, proc_close($process));
    }

    public function testWithoutAnyModuleServeSaysHowToGetOne(): void
    {
        if (ini_get('extension_dir') !== false && $this->loadedByIni()) {
            self::markTestSkipped('php.ini loads the extension');
        }
        $this->script('exit(0);');
        [$status, , $err] = $this->tusk(['serve', $this->file], ['TUSK_EXTENSION' => '/no/such/module.so']);

        self::assertSame(3, $status);
        self::assertStringContainsString('TUSK_EXTENSION=/no/such/module.so', $err);
        self::assertStringContainsString('no such file', $err);
    }

    public function testWherePhpMayStartNoProcessTheModuleBelongsIntoPhpIni(): void
    {
        $this->needsTheBuiltModule();
        if ($this->loadedByIni()) {
            self::markTestSkipped('php.ini loads the extension');
        }
        $line = $this->line(['--version']);
        array_splice($line, 1, 0, ['-d', 'disable_functions=pcntl_exec,proc_open']);
        $process = proc_open($line, [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes, null, $this->environment());
        self::assertIsResource($process);
        $err = (string) stream_get_contents($pipes[2]);

        self::assertSame(3, proc_close($process));
        self::assertMatchesRegularExpression('~^tusk: .*put extension=\S+/tusk\.so into php\.ini\n$~D', $err);
    }

    public function testFunctionsThatHostersDisableEndNoCommandByAnError(): void
    {
        $this->needsTheBuiltModule();
        $this->script('echo "served";');
        $disabled = 'pcntl_exec,pcntl_fork,pcntl_signal,pcntl_async_signals,proc_open,popen,exec,putenv,posix_kill,posix_getrlimit,gethostname,php_uname,getmypid,set_time_limit';
        $module = ['-d', 'extension=' . dirname(__DIR__, 3) . '/build/ext/modules/tusk.so'];
        foreach ([['--version'], ['list'], ['doctor'], ['help', 'bench:agent']] as $arguments) {
            [, $out, $err] = $this->php([...$this->loadedByIni() ? [] : $module, '-d', "disable_functions=$disabled"], $arguments);

            self::assertNotSame('', $out, implode(' ', $arguments));
            self::assertSame('', $err, implode(' ', $arguments));
        }
        [$status, $out, $err] = $this->php([...$this->loadedByIni() ? [] : $module, '-d', "disable_functions=$disabled"], ['serve', $this->file]);
        self::assertSame([3, ''], [$status, $out]);
        self::assertSame("tusk: PHP may not be started again (disable_functions, or no pcntl): php {$this->file} runs it where php.ini loads the extension\n", $err);

        // one is left that starts PHP again with the module
        [$status, $out, $err] = $this->php(['-d', 'disable_functions=putenv'], ['serve', $this->file]);
        self::assertSame([0, 'served', ''], [$status, $out, $err]);
    }

    public function testWhatOpenBasedirKeepsFromACommandIsNoWarning(): void
    {
        $this->needsTheBuiltModule();
        $root = dirname(__DIR__, 3);
        foreach ([['--version'], ['doctor'], ['list']] as $arguments) {
            $module = $this->loadedByIni() ? [] : ['-d', "extension=$root/build/ext/modules/tusk.so"];
            [, $out, $err] = $this->php([...$module, '-d', "open_basedir=$root"], $arguments);

            self::assertStringNotContainsString('Warning', $out . $err, implode(' ', $arguments));
            self::assertNotSame('', $out);
        }
    }

    public function testAWrongCommandEndsWith2OnStandardError(): void
    {
        [$status, $out, $err] = $this->tusk(['nonsense']);

        self::assertSame(2, $status);
        self::assertSame('', $out);
        self::assertStringContainsString('nonsense', $err);
    }

    /**
     * @param list<string> $options   of PHP
     * @param list<string> $arguments
     *
     * @return array{int, string, string} status, output, errors
     */
    private function php(array $options, array $arguments): array
    {
        $line = $this->line($arguments);
        array_splice($line, 1, 0, $options);
        $process = proc_open($line, [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes, null, $this->environment());
        self::assertIsResource($process);
        $said = [(string) stream_get_contents($pipes[1]), (string) stream_get_contents($pipes[2])];

        return [proc_close($process), ...$said];
    }

    private function script(string $code): void
    {
        $this->file = (string) tempnam(sys_get_temp_dir(), 'tusk');
        file_put_contents($this->file, "<?php $code");
    }

    private function needsTheBuiltModule(): void
    {
        if (!is_file(dirname(__DIR__, 3) . '/build/ext/modules/tusk.so') || !function_exists('pcntl_exec')) {
            self::markTestSkipped('build/ext/modules/tusk.so is not built, or PHP has no pcntl');
        }
    }

    private function loadedByIni(): bool
    {
        exec(escapeshellarg(PHP_BINARY) . ' -r "exit(extension_loaded(\'tusk\') ? 0 : 1);"', $output, $status);

        return $status === 0;
    }

    /**
     * @param list<string> $arguments
     *
     * @return list<string>
     */
    private function line(array $arguments): array
    {
        return [PHP_BINARY, dirname(__DIR__, 3) . '/bin/tusk', ...$arguments];
    }

    /**
     * @param array<string, string> $more
     *
     * @return array<string, string>
     */
    private function environment(array $more = []): array
    {
        return [...array_diff_key(getenv(), ['TUSK_EXTENSION' => 1, 'TUSK_STARTED' => 1]), 'NO_COLOR' => '1', ...$more];
    }

    /**
     * @param list<string>          $arguments
     * @param array<string, string> $environment
     * @param list<string>|resource $out         for proc_open
     *
     * @return array{int, string, string}
     */
    private function tusk(array $arguments, array $environment = [], mixed $out = ['pipe', 'w']): array
    {
        $process = proc_open($this->line($arguments), [1 => $out, 2 => ['pipe', 'w']], $pipes, null, $this->environment($environment));
        self::assertIsResource($process);
        $out = isset($pipes[1]) ? (string) stream_get_contents($pipes[1]) : '';
        $err = (string) stream_get_contents($pipes[2]);

        return [proc_close($process), $out, $err];
    }
}
