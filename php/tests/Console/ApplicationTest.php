<?php

declare(strict_types=1);

namespace Tusk\Tests\Console;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Input\StringInput;
use Symfony\Component\Console\Output\BufferedOutput;
use Symfony\Component\Console\Command\LazyCommand;
use Tusk\Terminal\Screen;
use Tusk\Terminal\Topics;
use Tusk\Console\Advice;
use Tusk\Console\Application;
use Tusk\Console\ChatCommand;
use Tusk\Console\DoctorCommand;
use Tusk\Console\Doctor\ExtensionInfo;
use Tusk\Console\ServeCommand;

#[CoversClass(Application::class)]
#[CoversClass(Advice::class)]
#[CoversClass(ServeCommand::class)]
#[CoversClass(ChatCommand::class)]
#[CoversClass(DoctorCommand::class)]
final class ApplicationTest extends TestCase
{
    private FakeLauncher $launcher;

    protected function setUp(): void
    {
        $this->launcher = new FakeLauncher(7);
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function wrongUsages(): iterable
    {
        yield 'no such command' => ['nonsense', 'nonsense', 'help'];
        yield 'no such option' => ['doctor --loud', '--loud', 'doctor --help'];
        yield 'serve without a file' => ['serve', "\"tusk serve\" needs FILE (the PHP file that starts the server)\nusage: tusk serve FILE ", 'serve --help'];
        yield 'proxy without anything' => ['proxy', "(the PHP file that makes the proxy; or tcp, http, smtp and options)\nusage: tusk proxy FILE [-- ARGUMENTS]\n       tusk proxy tcp|http|smtp --listen ADDRESS --to TARGET [options]\nTry", 'proxy --help'];
        yield 'a mode without its address' => ['bench:ws-echo', '"tusk bench ws-echo" needs URL (such as ws://127.0.0.1:9001/)', 'bench ws-echo --help'];
        yield 'serve with a file that is not there' => ['serve /no/such/server.php', '/no/such/server.php', 'serve --help'];
        yield 'serve with a folder' => ['serve ' . __DIR__, __DIR__, 'serve --help'];
        yield 'a port that is no number' => ['chat --port http', 'http', 'chat --help'];
        yield 'a port out of range' => ['chat --port 65536', '65536', 'chat --help'];
        yield 'a mode with a slip' => ['bench htp http://127.0.0.1:1/', 'there is no "tusk bench htp", did you mean "tusk bench http"?', 'bench --help'];
        yield 'a mode of two words with a slip' => ['bench tcp-rx 127.0.0.1:1', 'did you mean "tusk bench tcp rr"?', 'bench --help'];
        yield 'an address in place of the mode' => ['bench http://127.0.0.1:1/', 'it is one of ', 'bench --help'];
        yield 'a proxy of no kind' => ['proxy tpc --listen 127.0.0.1:0', 'did you mean "tusk proxy tcp"?', 'proxy --help'];
        yield 'a file of a proxy that is not there' => ['proxy nope.php', 'there is no readable file "nope.php"', 'proxy --help'];
        yield 'an option with a slip' => ['proxy:tcp --listn 127.0.0.1:0', 'The "--listn" option does not exist. Did you mean --listen?', 'proxy tcp --help'];
        yield 'a command with a slip' => ['dcotor', 'there is no "tusk dcotor", did you mean "tusk doctor"?', 'help'];
        yield 'a command whose letters changed places' => ['sevre x.php', 'did you mean "tusk serve"?', 'help'];
        yield 'the beginning of a command with modes' => ['benc http http://127.0.0.1:1/', 'there is no "tusk benc", did you mean "tusk bench"?', 'help'];
        yield 'the beginning of another one' => ['prox', "did you mean \"tusk proxy\"?\n", 'help'];
        yield 'a proxy as a user that is not there' => ['proxy:tcp --listen 127.0.0.1:0 --to 127.0.0.1:1 --user no-such-user', 'tusk: --user must be a user of this system, "no-such-user" given', 'proxy tcp --help'];
        yield 'an admin address that is none' => ['proxy:tcp --listen 127.0.0.1:0 --to 127.0.0.1:1 --admin nonsense', 'tusk: --admin must be an address such as', 'proxy tcp --help'];
        yield 'a header of nobody' => ['proxy:tcp --listen 127.0.0.1:0 --to 127.0.0.1:1 --proxy-protocol', 'tusk: --trust (TCP_TRUSTED_PROXIES) is missing: the addresses of the balancers that --proxy-protocol (TCP_PROXY_PROTOCOL) is about, such as 10.0.0.0/8', 'proxy tcp --help'];
        yield 'a trusted range that is none' => ['proxy:http --listen 127.0.0.1:0 --to 127.0.0.1:1 --trust nonsense', 'tusk: --trust: no address or range of a trusted proxy: nonsense', 'proxy http --help'];
        yield 'a mode without its verb' => ['ws-echo ws://127.0.0.1:1/', 'there is no "tusk ws-echo", did you mean "tusk bench ws-echo"?', 'help'];
        yield 'a short command that is like none' => ['run x.php', "there is no \"tusk run\"\n", 'help'];
        yield 'a command that is like no other' => ['frobnicate', "there is no \"tusk frobnicate\"\n", 'help'];
        yield 'a file where options are expected' => ['proxy:tcp nope.php', '"tusk proxy tcp" takes options only, not "nope.php"', 'proxy tcp --help'];
        yield 'the beginning of an option' => ['bench:http http://127.0.0.1:1/ --connection 5', 'Did you mean --connections?', 'bench http --help'];
        yield 'an option that is like no other' => ['bench:http --frobnicate', 'The "--frobnicate" option does not exist.', 'bench http --help'];
        yield 'a value that looks like an option' => ['proxy:http --access-log -', 'is written --access-log=-', 'proxy http --help'];
        yield 'two ways to choose a target' => ['proxy:tcp --dns {host} --map a.json', '--dns and --map are two ways: give one', 'proxy tcp --help'];
        yield 'a map without what it goes by' => ['proxy:tcp --map a.json', '--map and --by go together', 'proxy tcp --help'];
        yield 'a map that goes by nothing known' => ['proxy:tcp --map a.json --by weather', '--by is one of listener, peer', 'proxy tcp --help'];
        yield 'an option without a verb' => ['--loud', 'The "--loud" option does not exist.', 'help'];
        yield 'an option that help has not' => ['help --loud', 'The "--loud" option does not exist.', 'help --help'];
        yield 'help with a word too many' => ['help bench nope', 'Too many arguments to "help"', 'help --help'];
        yield 'a negative port' => ['chat --port=-1', '-1', 'chat --help'];
    }

    #[DataProvider('wrongUsages')]
    public function testWrongUsageEndsWith2AndNamesWhatWasGiven(string $line, string $named, string $next): void
    {
        [$status, $text] = $this->run_($line);

        self::assertSame(2, $status);
        self::assertStringContainsString($named, $text);
        self::assertStringContainsString("Try `tusk $next`", $text);
        self::assertSame([], $this->launcher->launched);
    }

    public function testTheVersionNamesTheExtensionAndWhatItWasBuiltWithout(): void
    {
        [$status, $text] = $this->run_('--version', new ExtensionInfo('0.1.0', ['tls' => 'OpenSSL 3.0.19']));

        self::assertSame(0, $status);
        self::assertStringContainsString('extension: 0.1.0', $text);
        self::assertStringContainsString('OpenSSL: OpenSSL 3.0.19', $text);
        self::assertStringContainsString('zlib: built without, no permessage-deflate', $text);
    }

    public function testTheVersionIsShownWithoutTheExtensionToo(): void
    {
        [$status, $text] = $this->run_('--version', new ExtensionInfo(null));

        self::assertSame(0, $status);
        self::assertStringContainsString('extension: not loaded', $text);
    }

    public function testServeGivesTheFileItsArgumentsAndItsStatus(): void
    {
        if (!extension_loaded('tusk')) {
            self::markTestSkipped('the extension is not loaded');
        }
        [$status] = $this->run_('serve ' . __FILE__ . ' 9001 -- --flag');

        self::assertSame(7, $status);
        self::assertSame([[__FILE__, '9001', '--flag']], $this->launcher->launched);
    }

    public function testChatHandsOnItsOptions(): void
    {
        if (!extension_loaded('tusk')) {
            self::markTestSkipped('the extension is not loaded');
        }
        [$status] = $this->run_('chat --port 9001 --open -- --rate=0 --grace=2');

        self::assertSame(7, $status);
        self::assertSame(['9001', '--open', '--rate=0', '--grace=2'], array_slice($this->launcher->launched[0] ?? [], 1));
    }

    #[DataProvider('overviews')]
    public function testWithoutAVerbTheVerbsAreShownOnOneScreen(string $line): void
    {
        [$status, $text] = $this->run_($line);

        self::assertSame(0, $status);
        self::assertStringStartsWith('usage: tusk VERB [options]', $text);
        foreach (['serve FILE', 'chat', 'proxy FILE|KIND', 'bench MODE URL', 'top ADDRESS', 'doctor', 'tune'] as $verb) {
            self::assertStringContainsString("\n  $verb ", $text);
        }
        self::assertStringContainsString('3 could not run', $text);
        self::assertLessThanOrEqual(24, substr_count($text, "\n"));
    }

    /** @return iterable<array{string}> */
    public static function overviews(): iterable
    {
        yield [''];
        yield ['help'];
        yield ['--help'];
    }

    public function testTheOverviewSaysThatTheExtensionIsMissing(): void
    {
        self::assertStringContainsString('`tusk doctor` says how to get it', $this->run_('', new ExtensionInfo(null))[1]);
    }

    public function testEveryCommandOfOursHasAHelpOfOneScreenWithItsExitStatus(): void
    {
        $application = $this->application(new ExtensionInfo('0.1.0'));
        foreach ($application->names() as $name) {
            if (in_array($name, ['_complete', 'help', 'list', 'completion'], true)) {
                continue; // symfony's own
            }
            [$status, $text] = $this->run_("$name --help");

            self::assertSame(0, $status);
            self::assertTrue(Screen::fits($text), $text);
            self::assertStringContainsString('tusk ' . explode(':', $name)[0], $text, $name);
            self::assertMatchesRegularExpression('~^Exit status: |options\): exit status;~m', $text, $name);
        }
    }

    public function testTopicsHoldEveryOptionAndOneThatThereIsNotIsNamed(): void
    {
        $application = $this->application(new ExtensionInfo('0.1.0'));
        foreach (['proxy:tcp', 'proxy:http', 'proxy:smtp', 'bench:ab', 'bench:options'] as $name) {
            $command = $application->find($name);
            $command = $command instanceof LazyCommand ? $command->getCommand() : $command;
            self::assertInstanceOf(Topics::class, $command);
            $told = $this->run_("$name --help")[1];
            foreach ($command->topics() as $topic) {
                [$status, $text] = $this->run_("$name --help=$topic");
                self::assertSame(0, $status, $text);
                self::assertTrue(Screen::fits($text), $text);
                self::assertSame($text, $this->run_("$name --help $topic")[1]);
                $told .= $text;
            }
            $all = $this->run_("$name --help=all")[1];
            foreach (array_keys($command->getNativeDefinition()->getOptions()) as $option) {
                self::assertMatchesRegularExpression("~^  .*--\\Q$option\\E\\b~m", $told, $name);
                self::assertMatchesRegularExpression("~^  .*--\\Q$option\\E\\b~m", $all, $name);
            }
        }
        self::assertStringContainsString('there are routes, tls, protocol, process, limits, all', $this->run_('proxy:tcp --help=nonsense')[1]);
        self::assertSame(2, $this->run_('proxy:tcp --help=nonsense')[0]);
    }

    public function testDoctorEndsWith1OnlyWhenSomethingIsBad(): void
    {
        self::assertSame(0, $this->run_('doctor', new ExtensionInfo('0.1.0', ['tls' => '3', 'permessage-deflate (zlib)' => '1']))[0]);
        self::assertSame(0, $this->run_('doctor', new ExtensionInfo('0.1.0'))[0]);
        self::assertSame(1, $this->run_('doctor', new ExtensionInfo(null))[0]);
    }

    public function testDoctorSpeaksJson(): void
    {
        $rows = json_decode($this->run_('doctor --json', new ExtensionInfo(null))[1], true, 8, JSON_THROW_ON_ERROR);

        self::assertIsArray($rows);
        $row = array_column($rows, null, 'name')['extension tusk'] ?? null;
        self::assertIsArray($row);
        self::assertSame('bad', $row['status']);
        self::assertSame(['name', 'status', 'value', 'remedy'], array_keys($row));
    }

    public function testMarkupInWhatWasGivenIsShownAsItIs(): void
    {
        $output = new BufferedOutput();
        $this->application(new ExtensionInfo(null))->run(
            new ArrayInput(['command' => 'serve', 'file' => '<error>x</error>']),
            $output,
        );

        self::assertStringContainsString('"<error>x</error>"', $output->fetch());
    }

    /** @return array{int, string} */
    private function run_(string $line, ?ExtensionInfo $extension = null): array
    {
        $output = new BufferedOutput();
        $status = $this->application($extension ?? new ExtensionInfo('0.1.0'))->run(new StringInput($line), $output);

        return [$status, $output->fetch()];
    }

    private function application(ExtensionInfo $extension): Application
    {
        return new Application($extension, $this->launcher, new FakeMachine());
    }
}
