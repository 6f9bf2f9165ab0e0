<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Terminal\ExitCode;
use Tusk\Terminal\OneScreen;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Helper\ProgressBar;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Terminal\Screen;
use Tusk\Bench\Engines;
use Tusk\Bench\Suite\Arguments;
use Tusk\Bench\Suite\ChatSuite;
use Tusk\Bench\Suite\Cores;
use Tusk\Bench\Suite\MessageRuntimeSuite;
use Tusk\Bench\Suite\Peers;
use Tusk\Bench\Suite\ProtocolSuite;
use Tusk\Bench\Suite\ServerRuntimeSuite;
use Tusk\Bench\Suite\Suite;

/** `tusk bench suite`: servers and codecs side by side, those that are absent told with how to get them. */
#[AsCommand('bench:suite', 'Compare servers and codecs side by side')]
final class SuiteCommand extends Command implements OneScreen
{
    private const SUMMARY = 'compare servers and codecs side by side';

    private const SUITES = ['protocol' => ProtocolSuite::class, 'server-runtime' => ServerRuntimeSuite::class, 'message-runtime' => MessageRuntimeSuite::class,
        'chat' => ChatSuite::class];

    public function __construct(private readonly Engines $engines)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this
            ->addArgument('suite', InputArgument::REQUIRED, implode(', ', array_keys(self::SUITES)))
            ->addArgument('arguments', InputArgument::IS_ARRAY, 'the suite\'s own, in order')
            ->addOption('peers', null, InputOption::VALUE_REQUIRED, 'only these: ' . implode(',', array_keys(Peers::all())))
            ->addOption('json', null, InputOption::VALUE_NONE, 'JSON rather than a Markdown table')
            ->addOption('output', 'o', InputOption::VALUE_REQUIRED, 'write there rather than to the terminal');
    }

    public function screen(): string
    {
        $suites = '';
        foreach (self::SUITES as $name => $class) {
            $arguments = array_map(static fn (string $argument): string => "[$argument]", array_keys($class::arguments()));
            $does = wordwrap($class::summary() . '; defaults ' . implode(' ', $class::arguments()), 90, "\n      ");
            $suites .= '  ' . implode(' ', [$name, ...$arguments]) . "\n      $does\n";
        }

        return 'tusk bench suite SUITE [ARGUMENT...] [options]    ' . self::SUMMARY . "\n\n"
            . "  tusk bench suite message-runtime 50 1000 3 ws 64 --peers tusk,workerman\n\n"
            . $suites . "\n"
            . Screen::rows([
                ['    --peers LIST', 'only these, of: ' . wordwrap(implode(' ', array_keys(Peers::all())), 64, "\n" . str_repeat(' ', 22))],
                ['    --json', 'JSON rather than a Markdown table'],
                ['-o, --output FILE', 'write there rather than to the terminal'],
            ]) . "\nA peer that is not here is told as absent, with the way to get it.\n"
            . ExitCode::help([1 => 'a peer that is here failed']);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $suite = $this->suite($input);
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        try {
            $peers = Peers::named($this->names($input));
        } catch (\ValueError $fault) {
            throw new InvalidArgumentException($fault->getMessage());
        }
        $file = $input->getOption('output');
        if (is_string($file) && (!is_dir(dirname($file)) || is_dir($file))) { // so that no run is lost
            throw new InvalidArgumentException("--output $file: there is no folder for it");
        }
        Cores::generator();
        $table = $suite->run($peers, $this->progress($errors));
        $errors->isDecorated() && $errors->write("\r\e[2K");
        $text = $input->getOption('json') === true
            ? json_encode($table->toArray(), JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR) . "\n"
            : $table->markdown();
        $written = is_string($file) && @file_put_contents($file, $text) === strlen($text);
        if (!$written) {
            $output->write($text, false, OutputInterface::OUTPUT_RAW);
        }
        if (is_string($file) && !$written) {
            throw new InvalidArgumentException("$file cannot be written");
        }

        return ($table->failed() ? ExitCode::TargetFailed : ExitCode::Done)->value;
    }

    private function suite(InputInterface $input): Suite
    {
        $name = $input->getArgument('suite');
        $class = is_string($name) ? self::SUITES[$name] ?? null : null;
        if ($class === null) {
            throw new InvalidArgumentException('there is no such suite; known are ' . implode(', ', array_keys(self::SUITES)));
        }
        $given = $input->getArgument('arguments');
        try {
            return $class::of($this->engines, new Arguments($class::arguments(), is_array($given) ? array_values(array_filter($given, is_string(...))) : []));
        } catch (\ValueError $fault) {
            throw new InvalidArgumentException($fault->getMessage());
        }
    }

    /** @return list<string>|null */
    private function names(InputInterface $input): ?array
    {
        $peers = $input->getOption('peers');

        return is_string($peers) ? array_values(array_filter(explode(',', $peers), static fn (string $name): bool => $name !== '')) : null;
    }

    /** @return \Closure(string, float): void */
    private function progress(OutputInterface $errors): \Closure
    {
        if (!$errors->isDecorated()) {
            $last = hrtime(true) / 1e9;

            return static function (string $now, float $share) use ($errors, &$last): void {
                if (hrtime(true) / 1e9 - $last >= 10) {
                    $last = hrtime(true) / 1e9;
                    $errors->writeln(sprintf('%3.0f %%  %s', $share * 100, $now));
                }
            };
        }
        $bar = new ProgressBar($errors, 1000);
        $bar->setFormat(' %bar% %percent:3s% %  %message%');

        return static function (string $now, float $share) use ($bar): void {
            $bar->setMessage($now);
            $bar->setProgress((int) ($share * 1000));
        };
    }
}
