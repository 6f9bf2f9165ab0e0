<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Terminal\Screen;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Metric;
use Tusk\Terminal\Markdown;
use Tusk\Terminal\Table;
use Tusk\Bench\Result;
use Tusk\Bench\Report\Source;
use Tusk\Terminal\ExitCode;

/** `tusk bench compare A B…`: stored results side by side. */
final class CompareCommand extends BenchCommand
{
    public const SUMMARY = 'Put stored results side by side';

    private const METRICS = [
        'rate', 'p50', 'p90', 'p99', 'p99.9', 'max', 'service.p50', 'service.p99', 'late.p99', 'tcp.p50', 'tls.p50', 'upgrade.p50', 'upgrade.p99',
        'errors', 'dropped', 'generator.cpu', 'generator.per_cpu_second', 'server.cpu', 'server.rss', 'server.per_connection', 'server.per_cpu_second',
    ];

    protected function configure(): void
    {
        $this->setName('bench:compare')->setDescription(self::SUMMARY)
            ->addArgument('results', InputArgument::IS_ARRAY | InputArgument::REQUIRED, 'result.json, store.sqlite, store.sqlite#7')
            ->addOption('markdown', null, InputOption::VALUE_NONE, 'as a Markdown table')
            ->addOption('json', null, InputOption::VALUE_NONE, 'as JSON');
    }

    protected function carryOut(InputInterface $input, OutputInterface $output): ExitCode
    {
        $given = $input->getArgument('results');
        $names = is_array($given) ? array_values(array_filter($given, is_string(...))) : [];
        if (count($names) < 2) {
            throw new InvalidArgumentException('give at least two results');
        }
        $results = array_map(Source::result(...), $names);
        $figures = self::figures($results);
        if ($input->getOption('json') === true) {
            $output->writeln(json_encode(['results' => $names, 'metrics' => $figures], JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES), OutputInterface::OUTPUT_RAW);

            return ExitCode::Done;
        }
        $rows = self::rows($names, $results, $figures);
        $markdown = $input->getOption('markdown') === true;
        $output->write($markdown ? Table::markdown($rows) : Table::text($rows, ''), false, OutputInterface::OUTPUT_RAW);
        foreach (self::remarks($names, $results) as $i => $remark) {
            $output->writeln(($i === 0 ? "\n" : '') . ($markdown ? '- ' . Markdown::text($remark) : $remark), OutputInterface::OUTPUT_RAW);
        }

        return ExitCode::Done;
    }

    /**
     * @param list<Result> $results
     *
     * @return array<string, list<float|null>> metrics that at least one result has
     */
    private static function figures(array $results): array
    {
        $figures = [];
        foreach (self::METRICS as $name) {
            $values = array_map(static fn (Result $result): ?float => Metric::parse($name, $result->mode)->of($result), $results);
            if (array_filter($values, static fn (?float $value): bool => $value !== null && $value !== 0.0) !== [] || $name === 'errors') {
                $figures[$name] = $values;
            }
        }

        return $figures;
    }

    /**
     * @param list<string>                    $names
     * @param list<Result>                    $results
     * @param array<string, list<float|null>> $figures
     *
     * @return list<list<string>>
     */
    private static function rows(array $names, array $results, array $figures): array
    {
        $head = [''];
        $valid = ['valid'];
        foreach ($names as $i => $name) {
            array_push($head, basename($name), ...($i === 0 ? [] : ['ratio']));
            array_push($valid, $results[$i]->validity->valid() ? 'yes' : 'NO', ...($i === 0 ? [] : ['']));
        }
        $rows = [$head, $valid];
        foreach ($figures as $name => $values) {
            $row = [$name];
            $metric = Metric::parse($name, $results[0]->mode);
            foreach ($values as $i => $value) {
                $row[] = $value === null ? '-' : $metric->text($value);
                if ($i > 0) {
                    $row[] = $value !== null && ($values[0] ?? 0.0) > 0 ? sprintf('%.3f', $value / $values[0]) : '';
                }
            }
            $rows[] = $row;
        }

        return $rows;
    }

    /**
     * What a reader must know before believing the ratios.
     *
     * @param list<string> $names
     * @param list<Result> $results
     *
     * @return list<string>
     */
    private static function remarks(array $names, array $results): array
    {
        $remarks = [];
        $first = $results[0];
        foreach ($results as $i => $result) {
            foreach ($result->validity->reasons as $reason) {
                $remarks[] = basename($names[$i]) . " is NOT VALID: $reason";
            }
            $differing = [];
            foreach (['mode' => [$first->mode->value, $result->mode->value], 'model' => [$first->model(), $result->model()]] as $what => [$a, $b]) {
                $differing = $a === $b ? $differing : [...$differing, "$what $a / $b"];
            }
            foreach ($first->options + $result->options as $name => $_) {
                [$a, $b] = [$first->options[$name] ?? null, $result->options[$name] ?? null];
                $differing = (string) $a === (string) $b ? $differing : [...$differing, "$name $a / $b"];
            }
            foreach (['kernel', 'cpus', 'cpu_model'] as $fact) {
                [$a, $b] = [$first->machine[$fact] ?? null, $result->machine[$fact] ?? null];
                $differing = $a === $b ? $differing : [...$differing, "$fact $a / $b"];
            }
            if ($differing !== []) {
                $remarks[] = basename($names[$i]) . ' was measured otherwise: ' . implode(', ', $differing);
            }
        }

        return [...$remarks, 'Two runs one after the other mostly compare two moments of the machine: tusk bench ab decides.'];
    }

    public function screen(): string
    {
        return 'tusk bench compare RESULT RESULT... [options]    ' . self::SUMMARY . "\n\n"
            . "  tusk bench compare before.json after.json\n"
            . "  tusk bench compare 'runs.sqlite#7' runs.sqlite     # the newest of a store without a number\n\n"
            . Screen::rows([['--markdown', 'as a Markdown table'], ['--json', 'as JSON']])
            . "\nRatios are to the first. What was measured otherwise is said: options, machine, validity.\n"
            . ExitCode::help();
    }
}
