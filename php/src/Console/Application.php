<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\ExitCode;
use Tusk\Terminal\Output;
use Tusk\Terminal\MissingExtension;
use Tusk\Terminal\LostOutput;
use Tusk\Bench\Console\SuiteCommand;
use Tusk\Console\Doctor\ExtensionInfo;
use Symfony\Component\Console\Application as Console;
use Symfony\Component\Console\Command\HelpCommand as Help;
use Symfony\Component\Console\CommandLoader\FactoryCommandLoader;
use Symfony\Component\Console\Exception\ExceptionInterface;
use Symfony\Component\Console\Exception\NamespaceNotFoundException;
use Symfony\Component\Console\Input\ArgvInput;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Console\Commands;
use Tusk\Bench\Engines;
use Tusk\Bench\LoadEngines;
use Tusk\Package;
use Tusk\Proxy\Kind;

/** The command `tusk`; ExitCode has what its exit status says. */
final class Application extends Console
{
    /** @param list<string> $typed the command line, which results of a load carry */
    public function __construct(
        private readonly ExtensionInfo $extension,
        Launcher $launcher,
        Doctor\Machine $machine,
        Engines $engines = new LoadEngines(),
        array $typed = [],
    ) {
        parent::__construct('Tusk', Package::VERSION);
        $this->setAutoExit(false);
        $this->setCatchExceptions(false);
        $this->setCommandLoader(new FactoryCommandLoader(Commands::factories($engines, $typed)));
        $this->addCommands([
            new ServeCommand($launcher),
            new ProxyCommand($launcher),
            ...array_map(static fn (Kind $kind): ProxyKindCommand => new ProxyKindCommand($kind), Kind::cases()),
            new ChatCommand($launcher, dirname(__DIR__, 3) . '/apps/chat/server.php'),
            new DoctorCommand(new Doctor\Doctor($machine, $extension)),
            new TuneCommand(new Tune\Tuner($machine)),
            new TopCommand(),
            new SuiteCommand($engines),
        ]);
        $this->setDefaultCommand('help');
    }

    public static function create(): self
    {
        /** @var list<string> $argv */
        $argv = $_SERVER['argv'] ?? [];

        return new self(ExtensionInfo::loaded(), ProcessLauncher::here(), new Doctor\LocalMachine(), typed: array_slice($argv, 1));
    }

    /** The version of the command, of the extension, and what the extension was built with or without. */
    public function getLongVersion(): string
    {
        $text = sprintf('<info>%s</info> %s, PHP %s', $this->getName(), $this->getVersion(), PHP_VERSION);
        if ($this->extension->version === null) {
            return "$text\nextension: not loaded";
        }
        $text .= "\nextension: {$this->extension->version}";
        foreach (ExtensionInfo::LIBRARIES + ExtensionInfo::EXTRAS as $library => $feature) {
            $text .= "\n$library: " . ($this->extension->feature($library) ?? "built without, no $feature");
        }

        return $text;
    }

    public function run(?InputInterface $input = null, ?OutputInterface $output = null): int
    {
        $output ??= new Output();
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        try {
            if ($input === null) {
                /** @var list<string> $argv */
                $argv = $_SERVER['argv'] ?? [];
                $input = new ArgvInput(Argv::join($argv, $this->names()));
            }

            $input->setInteractive(false); // a slip is told, not asked about: nothing here asks

            return parent::run($input, $output);
        } catch (ExceptionInterface $fault) {
            $advice = $this->advice($fault, $input);
            $errors->writeln(['<error>tusk: ' . self::oneLine($advice->said) . '</error>', $advice->next]);

            return ExitCode::WrongUsage->value;
        } catch (MissingExtension | LostOutput | \Tusk\Exception $fault) { // a port that is taken: what it says is all there is to say
            $errors->writeln('<error>tusk: ' . self::oneLine($fault->getMessage()) . '</error>');

            return ExitCode::OurFault->value;
        } catch (\Throwable $fault) {
            $this->renderThrowable($fault, $errors);

            return ExitCode::OurFault->value;
        }
    }

    /** @return list<\Symfony\Component\Console\Command\Command> */
    protected function getDefaultCommands(): array
    {
        return [...array_values(array_filter(parent::getDefaultCommands(), static fn (object $command): bool => !$command instanceof Help)), new HelpCommand(fn (): string => (new Overview($this, $this->extension))->screen())];
    }

    /** @return list<string> of all commands */
    public function names(): array
    {
        return array_map(strval(...), array_keys($this->all()));
    }

    /** Whole names only: of the beginning of a verb that has modes (`benc`) the console would show the screen of a namespace. */
    public function findNamespace(string $namespace): string
    {
        return in_array($namespace, $this->getNamespaces(), true) ? $namespace : throw new NamespaceNotFoundException("there is no \"tusk $namespace\"");
    }

    private function advice(ExceptionInterface $fault, ?InputInterface $input): Advice
    {
        $name = $input?->getFirstArgument();
        $words = $input instanceof ArgvInput ? $input->getRawTokens() : [];
        while ($words !== [] && $words[0] !== $name) {
            array_shift($words); // options before the verb
        }
        $names = $this->names();

        return Advice::on($fault, $words, $names, $name !== null && in_array($name, $names, true) ? $this->get($name) : null);
    }

    /** A sentence in one line; indented lines are a list and stay as they are. */
    private static function oneLine(string $message): string
    {
        $said = '';
        foreach (explode("\n", $message) as $line) {
            $said .= str_starts_with($line, '  ') ? "\n" . rtrim($line) : ' ' . preg_replace('~\s+~', ' ', trim($line));
        }

        return \Symfony\Component\Console\Formatter\OutputFormatter::escape(trim($said));
    }
}
