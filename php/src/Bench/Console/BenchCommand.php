<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Bench\Silence;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\BadFile;
use Tusk\Bench\Engines;
use Tusk\Bench\Observer;
use Tusk\Bench\TargetFailed;
use Tusk\Terminal\ExitCode;
use Tusk\Terminal\MissingExtension;
use Tusk\Terminal\OneScreen;

/** What the verbs of `tusk bench` share: wrong input is said in one sentence, progress goes to standard error. */
abstract class BenchCommand extends Command implements OneScreen
{
    /** Options that every run has, in few lines, for a help. */
    protected const RUN_OPTIONS = [
        ['--json[=FILE] --csv FILE --html FILE --markdown FILE --hdr FILE --samples FILE', ''],
        ['--store[=FILE]', 'into a store (tusk-bench.sqlite), for report and compare'],
        ["--assert 'p99 < 20ms'", 'a threshold, repeatable; broken: exit status 4'],
        ['--strict', 'exit status 5 when the result is NOT VALID'],
        ['--pid PID', 'of the server: its CPU and memory beside the rates'],
        ['--calibrate', "run the same load against the tool's own server first"],
        ['--agents HOST[,HOST]', 'each takes a share (tusk bench agent); --agents-token SECRET'],
    ];

    /** @param list<string> $typed the command line, for results */
    public function __construct(protected readonly Engines $engines, protected readonly array $typed = [])
    {
        parent::__construct();
    }

    /** @throws BadFile|\ValueError|\RuntimeException for what is wrong with the input: one sentence */
    abstract protected function carryOut(InputInterface $input, OutputInterface $output): ExitCode;

    final protected function execute(InputInterface $input, OutputInterface $output): int
    {
        if (!extension_loaded('tusk')) {
            throw MissingExtension::forCommand('bench');
        }
        try {
            return $this->carryOut($input, $output)->value;
        } catch (TargetFailed $fault) {
            self::errors($output)->writeln("tusk: {$fault->getMessage()}", OutputInterface::OUTPUT_RAW);

            return ExitCode::TargetFailed->value;
        } catch (\ValueError | BadFile | \RuntimeException $fault) {
            if ($fault instanceof \Symfony\Component\Console\Exception\ExceptionInterface) {
                throw $fault;
            }
            throw new InvalidArgumentException($fault->getMessage(), 0, $fault);
        }
    }

    protected static function errors(OutputInterface $output): OutputInterface
    {
        return $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
    }

    /** The display that suits standard error; none when only the result is wanted (`-q`). */
    protected static function display(OutputInterface $output, ?string $duration = null): Observer
    {
        $errors = self::errors($output);
        if ($errors->isQuiet()) {
            return new Silence();
        }
        $terminal = $output instanceof ConsoleOutputInterface && stream_isatty(STDERR) && getenv('TERM') !== 'dumb';

        return $terminal ? new LiveDisplay($errors, $duration, $errors->isDecorated()) : new LineDisplay($errors);
    }

    protected static function text(InputInterface $input, string $option): ?string
    {
        $value = $input->getOption($option);

        return is_string($value) ? $value : null;
    }

    protected static function whole(InputInterface $input, string $option): ?int
    {
        $value = self::text($input, $option);
        if ($value === null) {
            return null;
        }

        return ctype_digit($value) ? (int) $value : throw new InvalidArgumentException("--$option: \"$value\" is not a whole number");
    }

    /** @return list<string> */
    protected static function texts(InputInterface $input, string $option): array
    {
        $values = $input->getOption($option);

        return is_array($values) ? array_values(array_filter($values, is_string(...))) : [];
    }
}
