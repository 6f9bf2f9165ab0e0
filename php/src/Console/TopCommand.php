<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\ExitCode;
use Tusk\Terminal\OneScreen;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Output\StreamOutput;
use Symfony\Component\Console\Terminal;
use Tusk\Top\Document;
use Tusk\Top\Sample;
use Tusk\Top\Source;
use Tusk\Top\Text;
use Tusk\Top\Unreadable;
use Tusk\Top\View;
use Tusk\Terminal\Units;

/** `tusk top ADDRESS`: what a running server or proxy does, refreshed each second. */
#[AsCommand('top', 'Show what a running server or proxy does, from its admin listener')]
final class TopCommand extends Command implements OneScreen
{
    protected function configure(): void
    {
        $this
            ->addArgument('address', InputArgument::REQUIRED, 'of the admin listener')
            ->addOption('interval', 'i', InputOption::VALUE_REQUIRED, 'TIME between two looks', '1s')
            ->addOption('once', '1', InputOption::VALUE_NONE, 'print once, also on a terminal')
            ->addOption('json', null, InputOption::VALUE_NONE, 'print once, as JSON');
    }

    public function screen(): string
    {
        return <<<'HELP'
            usage: tusk top ADDRESS [options]

            Shows what a running server or proxy does, refreshed each second until Ctrl-C: clients and bytes a
            second, limits and how full they are, what was refused, cut or failed, and of a proxy its targets
            and named routes: state, sessions a second, failures, time to the backend's first byte (p50, p99;
            bounds of a histogram). Targets that are down stand first.

            ADDRESS is the admin listener, whose /metrics is read: 127.0.0.1:9100, https://host/metrics or
            unix:/run/admin.sock. It is where `--admin ADDRESS` of `tusk proxy`, or admin('127.0.0.1:9100')
            of a server or a proxy in PHP, says. Where standard output is no terminal it prints once.

              -i, --interval TIME  between two looks (1s); rates are of that time
              -1, --once           print once, also on a terminal
                  --json           print once, as JSON: gauges, totals, rates, limits, targets, routes

              tusk proxy tcp --listen 127.0.0.1:5432 --to 10.0.0.7:5432 --admin 127.0.0.1:9100
              tusk top 127.0.0.1:9100
              tusk top 127.0.0.1:9100 --json | jq '.targets[] | select(.up | not)'


            HELP . ExitCode::help([1 => 'nothing answers (while it refreshes it goes on asking)']);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $given = $input->getArgument('address');
        try {
            $source = Source::at(is_string($given) ? $given : '');
        } catch (Unreadable $fault) {
            throw new InvalidArgumentException($fault->getMessage(), previous: $fault);
        }
        $interval = $this->interval($input);
        $json = $input->getOption('json') === true;
        $live = !$json && $input->getOption('once') !== true && $output instanceof StreamOutput && stream_isatty($output->getStream());
        try {
            $before = $source->read();
            self::wait($interval);
            $now = $source->read();
        } catch (Unreadable $fault) {
            $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
            $errors->writeln('tusk top: ' . $fault->getMessage(), OutputInterface::OUTPUT_RAW);

            return ExitCode::TargetFailed->value;
        }
        if ($live) {
            $this->refresh($source, $before, $now, $interval, $output);
        }
        $view = new View($now, $before);
        $text = $json
            ? json_encode(Document::of($view, $source->name), JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR)
            : implode("\n", (new Text(width: 200))->lines($view, $source->name));
        $output->writeln($text, OutputInterface::OUTPUT_RAW);

        return ExitCode::Done->value;
    }

    private function interval(InputInterface $input): float
    {
        $given = $input->getOption('interval');
        try {
            $interval = Units::seconds(is_string($given) ? $given : '');
        } catch (\ValueError $fault) {
            throw new InvalidOptionException("--interval: {$fault->getMessage()}", previous: $fault);
        }
        if ($interval < 0.1 || $interval > 3600) {
            throw new InvalidOptionException(sprintf('--interval must be from 100ms to 1h, not "%s"', is_string($given) ? $given : ''));
        }

        return $interval;
    }

    /** Until a signal ends the process. A look that fails is told above the last one that did not. */
    private function refresh(Source $source, Sample $before, Sample $now, float $interval, OutputInterface $output): never
    {
        $fault = null;
        $terminal = new Terminal();
        $output->write("\e[2J", false, OutputInterface::OUTPUT_RAW);
        for (;;) {
            $text = new Text($terminal->getWidth(), max(5, $terminal->getHeight() - 1), $output->isDecorated());
            $lines = $text->lines(new View($now, $before), $source->name, $fault);
            // From the first line on; each line's rest and the screen's are cleared, so that nothing flickers.
            $output->write("\e[H\e[?7l" . implode("\e[K\n", $lines) . "\e[K\n\e[J\e[?7h", false, OutputInterface::OUTPUT_RAW);
            self::wait($interval);
            try {
                $sample = $source->read();
                [$before, $now, $fault] = [$now, $sample, null];
            } catch (Unreadable $unreadable) {
                $fault = $unreadable->getMessage();
            }
        }
    }

    private static function wait(float $seconds): void
    {
        usleep((int) ($seconds * 1e6));
    }
}
