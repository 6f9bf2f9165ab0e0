<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Terminal\Screen;
use Tusk\Terminal\Spark;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Terminal\Table;
use Tusk\Bench\Report\WsperfJson;
use Tusk\Bench\Report\WsperfRun;
use Tusk\Bench\Report\WsperfText;
use Tusk\Bench\Result;
use Tusk\Bench\Report\Source;
use Tusk\Bench\Store;
use Tusk\Terminal\Units;
use Tusk\Terminal\ExitCode;

/** `tusk bench report`: stored results, ours and wsperf's, in every form. */
final class ReportCommand extends BenchCommand
{
    public const SUMMARY = 'Show stored results, ours and wsperf\'s; trends';

    protected function configure(): void
    {
        $this->setName('bench:report')->setDescription(self::SUMMARY)
            ->addArgument('results', InputArgument::IS_ARRAY, 'result.json, store.sqlite, store.sqlite#7, or result files of wsperf')
            ->addOption('trend', null, InputOption::VALUE_NONE, 'the runs of the same series in the store')
            ->addOption('list', null, InputOption::VALUE_NONE, 'what the store holds');
        foreach (Faces::definition() as $option) {
            $this->getDefinition()->addOption($option);
        }
    }

    protected function carryOut(InputInterface $input, OutputInterface $output): ExitCode
    {
        $given = $input->getArgument('results');
        $given = is_array($given) ? array_values(array_filter($given, is_string(...))) : [];
        if ($given === [] && !is_file(Store::DEFAULT)) {
            throw new InvalidArgumentException('there is no ' . Store::DEFAULT . ' here: a run with --store makes it; or name a result');
        }
        $given = $given === [] ? [Store::DEFAULT] : $given;
        $faces = Faces::of($input, null);
        if (Source::isWsperf($given[0])) {
            $run = WsperfRun::join(...array_map(WsperfJson::read(...), $given));
            if ($faces->none()) {
                $output->write(WsperfText::write($run, $given), false, OutputInterface::OUTPUT_RAW);
            } else {
                $faces->write($run->toResult(), $output, self::errors($output));
            }

            return ExitCode::Done;
        }
        if (count($given) > 1) {
            throw new InvalidArgumentException('one result at a time (several only of wsperf, which are joined); see tusk bench compare');
        }
        if ($input->getOption('list') === true) {
            $output->write(self::listed(new Store($given[0], true)), false, OutputInterface::OUTPUT_RAW);
        } elseif ($input->getOption('trend') === true) {
            if (!Source::isStore($given[0])) {
                throw new InvalidArgumentException("--trend: {$given[0]} is no store of results (make one with --store)");
            }
            $file = (string) preg_replace('~#\d+$~', '', $given[0]);
            $output->write(self::trend(Source::result($given[0]), new Store($file, true)), false, OutputInterface::OUTPUT_RAW);
        } else {
            $faces->write(Source::result($given[0]), $output, self::errors($output));
        }

        return ExitCode::Done;
    }

    private static function trend(Result $result, Store $store): string
    {
        $rows = $store->trend(Store::series($result));
        $table = [['', 'started', 'rate', 'p50', 'p99', 'valid', 'rate to the last']];
        $before = null;
        foreach ($rows as $row) {
            $change = $before !== null && $before > 0 ? sprintf('%+.1f %%', ($row['rate'] / $before - 1) * 100) : '';
            $table[] = [...self::cells($row), $change];
            $before = $row['rate'];
        }
        $rates = array_column($rows, 'rate');
        $tails = array_map(static fn (array $row): float => (float) $row['p99'], $rows);

        return "{$result->mode->value} {$result->url}: " . count($rows) . " runs of this series\n\n"
            . '  rate ' . Spark::line($rates, 50) . '   p99 ' . Spark::line($tails, 50) . "\n\n" . Table::text($table, '', [0, 1])
            . "\nRuns of different moments differ by the machine, too: tusk bench ab decides.\n";
    }

    private static function listed(Store $store): string
    {
        $table = [['', 'started', 'rate', 'p50', 'p99', 'valid', 'series']];
        foreach ($store->list() as $row) {
            $table[] = [...self::cells($row), mb_strimwidth((string) strtok($row['series'], '{'), 0, 50, '…')];
        }

        return Table::text($table, '', [0, 1, 6]);
    }

    /**
     * @param array{id: int, started: float, valid: bool, rate: float, p50: float|null, p99: float|null} $row
     *
     * @return list<string>
     */
    private static function cells(array $row): array
    {
        return [
            "#{$row['id']}",
            gmdate('Y-m-d H:i', (int) $row['started']),
            Units::short($row['rate']) . '/s',
            $row['p50'] === null ? '-' : Units::duration($row['p50']),
            $row['p99'] === null ? '-' : Units::duration($row['p99']),
            $row['valid'] ? 'yes' : 'no',
        ];
    }

    public function screen(): string
    {
        return 'tusk bench report [RESULT...] [options]    ' . self::SUMMARY . "\n\n"
            . "  tusk bench report result.json --html report.html\n"
            . "  tusk bench report --trend                          # of tusk-bench.sqlite's newest result\n"
            . "  tusk bench report 'runs.sqlite#7' --markdown=-     # - is standard output\n"
            . "  tusk bench report result_0.json result_1.json      # wsperf's, joined: its analyzer's text\n\n"
            . Screen::rows([
                ['--list', 'what the store holds'],
                ['--trend', 'the runs of the same series, the change from one to the next'],
                ['--json[=FILE] --csv FILE --html FILE --markdown FILE', ''],
                ['--hdr FILE --samples FILE --wsperf FILE --store[=FILE]', ''],
            ]) . "\n" . ExitCode::help();
    }
}
