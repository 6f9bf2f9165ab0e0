<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Bench\Silence;
use Tusk\Terminal\Screen;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Cases;
use Tusk\Terminal\Table;
use Tusk\Bench\Result;
use Tusk\Bench\Session;
use Tusk\Terminal\Units;
use Tusk\Terminal\ExitCode;

/** `tusk bench cases URL`: the performance cases, each with its time. */
final class CasesCommand extends BenchCommand
{
    public const SUMMARY = 'Performance cases 9.1 to 9.8 of the Autobahn suite, client side';

    private const PASSED_THROUGH = ['tls-insecure', 'tls-ca', 'tls-server-name', 'subprotocol', 'allow-remote'];

    protected function configure(): void
    {
        $value = InputOption::VALUE_REQUIRED;
        $this->setName('bench:cases')->setDescription(self::SUMMARY)
            ->addArgument('url', InputArgument::REQUIRED, 'of an echo server, ws or wss')
            ->addOption('only', null, $value | InputOption::VALUE_IS_ARRAY, 'numbers, or their beginnings')
            ->addOption('tls-insecure', 'k', InputOption::VALUE_NONE, 'do not check the certificate')
            ->addOption('tls-ca', null, $value, 'PEM file of the authorities')
            ->addOption('tls-server-name', null, $value, 'name asked for and checked')
            ->addOption('subprotocol', null, $value, 'offered in the handshake')
            ->addOption('allow-remote', null, InputOption::VALUE_NONE, 'allow a target that is not on this machine')
            ->addOption('markdown', null, InputOption::VALUE_NONE, 'as a Markdown table')
            ->addOption('json', null, InputOption::VALUE_NONE, 'as JSON');
    }

    protected function carryOut(InputInterface $input, OutputInterface $output): ExitCode
    {
        $url = $input->getArgument('url');
        $url = is_string($url) ? $url : '';
        $more = [];
        foreach (self::PASSED_THROUGH as $name) {
            $value = $input->getOption($name);
            if (is_string($value) || $value === true) {
                $more[$name] = $value;
            }
        }
        $rows = [['case', 'outcome', 'time', 'round trip p50', 'payload/s', '']];
        $json = [];
        $ending = ExitCode::Done;
        foreach (Cases::matching(self::texts($input, 'only')) as $case) {
            $session = new Session($this->engines, new Silence());
            $result = $session->run($case->plan($url, $more))->result;
            if ($session->interrupt->happened()) {
                $ending = ExitCode::Interrupted;
                break;
            }
            $passed = ($result->totals['completed'] ?? 0) >= $case->count && $result->errors() === 0;
            $ending = $passed ? $ending : ExitCode::TargetFailed;
            $rows[] = self::row($case, $result, $passed);
            $json[] = ['case' => $case->number, 'title' => $case->title, 'passed' => $passed, 'seconds' => $result->seconds,
                'completed' => $result->totals['completed'] ?? 0, 'latency' => $result->headline()->toArray(), 'errors' => (object) \Tusk\Bench\Counters::named($result->totals)];
            self::errors($output)->writeln("{$case->number}  " . ($passed ? 'passed' : 'FAILED') . "  {$case->title}", OutputInterface::OUTPUT_RAW);
        }
        $text = match (true) {
            $input->getOption('json') === true => json_encode(['schema' => 1, 'tool' => 'tusk bench cases', 'url' => $url, 'cases' => $json], JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES) . "\n",
            $input->getOption('markdown') === true => Table::markdown($rows),
            default => Table::text($rows, '', [0, 1, 5]),
        };
        $output->write($text, false, OutputInterface::OUTPUT_RAW);

        return $ending;
    }

    /** @return list<string> */
    private static function row(Cases $case, Result $result, bool $passed): array
    {
        $latency = $result->headline();
        $seconds = $latency->count() * $latency->mean / 1e9;
        $size = $case->options['size'];

        return [
            $case->number,
            $passed ? 'passed' : 'FAILED',
            $latency->count() > 0 ? Units::duration($seconds * 1e9) : '-',
            $latency->count() > 0 ? Units::duration($latency->histogram->percentile(50)) : '-',
            $seconds > 0 && is_int($size) ? Units::size($size * $latency->count() / $seconds) . '/s' : '-',
            $case->title . ($passed ? '' : ': ' . $result->whatFailed()),
        ];
    }

    public function screen(): string
    {
        return "tusk bench cases URL [options]    " . self::SUMMARY . "\n\n"
            . "  tusk bench cases ws://127.0.0.1:9001/ --only 9.1 --only 9.7.3\n\n"
            . "One connection at a time; every echo is compared byte by byte. 9.1, 9.2 one message of 64K to 16M;\n"
            . "9.3, 9.4 one of 4M in fragments; 9.5, 9.6 one of 1M in small writes; 9.7, 9.8 1000 round trips.\n"
            . "Odd groups are text, even binary. The time is the sum of the round trips, without the handshake.\n\n"
            . Screen::rows([
                ['    --only NUMBER', 'a case, or the beginning of its number, repeatable'],
                ['-k, --tls-insecure', 'do not check the certificate'],
                ['    --tls-ca FILE', "PEM file of the authorities"],
                ['    --tls-server-name NAME', "name asked for and checked"],
                ['    --subprotocol NAME', 'offered in the handshake'],
                ['    --allow-remote', 'allow a target that is not on this machine'],
                ['    --markdown, --json', 'the table in that form'],
            ]) . "\n" . ExitCode::help([0 => 'all passed', 1 => 'one failed', 130 => 'Ctrl-C']);
    }
}
