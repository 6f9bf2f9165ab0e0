<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Terminal\Screen;
use Tusk\Terminal\Topics;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\BlockOrder;
use Tusk\Bench\Comparison;
use Tusk\Bench\Looks;
use Tusk\Bench\Metric;
use Tusk\Bench\Mode;
use Tusk\Bench\Paired;
use Tusk\Bench\Plan;
use Tusk\Terminal\Table;
use Tusk\Bench\Result;
use Tusk\Bench\Scenario;
use Tusk\Terminal\Units;
use Tusk\Bench\Verdict;
use Tusk\Terminal\ExitCode;

/** `tusk bench ab A B`: two targets in interleaved blocks, and whether the second is better. */
final class AbCommand extends BenchCommand implements Topics
{
    public const SUMMARY = 'Two targets in interleaved pairs: better, worse, same, undecided';

    private const SEEDS = 0x7fffffff;
    /** Shown beside the one that decides. */
    private const SHOWN = ['rate', 'p50', 'p99', 'server.per_cpu_second', 'generator.per_cpu_second'];

    protected function configure(): void
    {
        $value = InputOption::VALUE_REQUIRED;
        $this->setName('bench:ab')->setDescription(self::SUMMARY)
            ->addArgument('a', InputArgument::REQUIRED, 'address or scenario file')
            ->addArgument('b', InputArgument::OPTIONAL, 'address or scenario file')
            ->addOption('mode', 'm', $value, 'of addresses')
            ->addOption('option', 'o', $value | InputOption::VALUE_IS_ARRAY, 'NAME=VALUE, an option of the mode, for both')
            ->addOption('metric', null, $value, 'the one that decides')
            ->addOption('pairs', null, $value, 'blocks of each side', '8')
            ->addOption('most', null, $value, 'while undecided go on to so many')
            ->addOption('block', null, $value, 'length of a block', '5s')
            ->addOption('effect', null, $value, 'least difference that counts', '2%')
            ->addOption('seed', null, $value, 'of the blocks\' order')
            ->addOption('aa', null, InputOption::VALUE_NONE, 'A on both sides: what can be told apart here')
            ->addOption('pid-a', null, $value, 'process id of server A')
            ->addOption('pid-b', null, $value, 'process id of server B')
            ->addOption('strict', null, InputOption::VALUE_NONE, 'exit status 5 when undecided or a block is not valid')
            ->addOption('json', null, InputOption::VALUE_NONE, 'the comparison as JSON');
    }

    protected function carryOut(InputInterface $input, OutputInterface $output): ExitCode
    {
        $plans = $this->plans($input);
        $pids = ['A' => self::whole($input, 'pid-a'), 'B' => self::whole($input, 'pid-b')];
        if ($input->getOption('aa') === true) {
            $pids['B'] ??= $pids['A'];
        }
        $metric = self::metric($input, $plans['A'], !in_array(null, $pids, true));
        $effect = Units::number((string) self::text($input, 'effect'));
        $pairs = (int) self::whole($input, 'pairs');
        if ($pairs < 2 || $effect <= 0) {
            throw new InvalidArgumentException('--pairs must be at least 2, --effect over 0: one pair has no spread');
        }
        $most = self::whole($input, 'most') ?? $pairs;
        if ($most < $pairs) {
            throw new InvalidArgumentException("--most $most is less than --pairs $pairs");
        }
        $looks = new Looks($pairs, $most);
        $seed = self::whole($input, 'seed') ?? random_int(0, self::SEEDS);
        $errors = self::errors($output);
        $display = self::display($output, is_string($plans['A']->options['duration'] ?? null) ? $plans['A']->options['duration'] : null);
        $paired = new Paired($this->engines, $display, $plans, $pids, static function (int $n, array $pair) use ($errors, $metric, $most): void {
            [$a, $b] = [$metric->of($pair['A']), $metric->of($pair['B'])];
            $errors->writeln(sprintf('pair %d of %d: A %s, B %s', $n, $most, $a === null ? '-' : $metric->text($a), $b === null ? '-' : $metric->text($b)), OutputInterface::OUTPUT_RAW);
        });
        $found = $paired->run($most, $seed, static function (array $so) use ($looks, $metric, $effect): bool {
            return $looks->isOne(count($so)) && (self::compare($so, $metric, $effect, $looks->confidence())?->verdict() ?? Verdict::Undecided) !== Verdict::Undecided;
        });
        if (count($found) < 2) {
            throw new InvalidArgumentException('ended before two pairs were done: there is nothing to compare');
        }
        $comparison = self::compare($found, $metric, $effect, $looks->confidence());
        if ($comparison === null && self::text($input, 'metric') === null) {
            $errors->writeln("there is no {$metric->name} in every block, so the rate decides", OutputInterface::OUTPUT_RAW);
            $metric = Metric::parse('rate', $plans['A']->mode);
            $comparison = self::compare($found, $metric, $effect, $looks->confidence());
        }
        $comparison ?? throw new InvalidArgumentException("there is no {$metric->name} in every block ({$metric->whyNot($found[0]['A'])})");
        $invalid = self::invalid($found);
        $json = $input->getOption('json') === true;
        $output->write($json ? self::json($plans, $metric, $comparison, $invalid, $paired->interrupted(), $seed)
            : self::report($plans, $metric, $comparison, $found, $effect, $invalid, $input->getOption('aa') === true), false, OutputInterface::OUTPUT_RAW);

        return match (true) {
            $paired->interrupted() => ExitCode::Interrupted,
            $comparison->verdict() === Verdict::Worse => ExitCode::ThresholdBroken,
            $input->getOption('strict') === true && ($comparison->verdict() === Verdict::Undecided || $invalid !== []) => ExitCode::NotValid,
            default => ExitCode::Done,
        };
    }

    /** @return array{A: Plan, B: Plan} */
    private function plans(InputInterface $input): array
    {
        [$a, $b] = [$input->getArgument('a'), $input->getArgument('b')];
        $aa = $input->getOption('aa') === true;
        if ($aa === is_string($b)) {
            throw new InvalidArgumentException($aa ? '--aa compares A with itself: leave B out' : 'give B, or --aa to see what can be told apart');
        }
        $first = $this->plan(is_string($a) ? $a : '', $input);

        return ['A' => $first, 'B' => is_string($b) ? $this->plan($b, $input) : $first];
    }

    private function plan(string $given, InputInterface $input): Plan
    {
        $options = [];
        foreach (self::texts($input, 'option') as $pair) {
            if (!str_contains($pair, '=')) {
                throw new InvalidArgumentException("-o $pair: NAME=VALUE is wanted");
            }
            [$name, $value] = explode('=', $pair, 2);
            $options[$name] = $value;
        }
        $block = ['duration' => (string) self::text($input, 'block')];
        if (!str_contains($given, '://')) {
            return Scenario::read($given, $this->engines, $this->typed)->plan->with([...$block, ...$options]);
        }
        $mode = self::text($input, 'mode');
        $chosen = $mode === null ? Mode::ofUrl($given) : Mode::tryFrom($mode);
        if ($chosen === null) {
            throw new InvalidArgumentException("--mode $mode: there are " . implode(', ', array_column(Mode::cases(), 'value')));
        }

        return new Plan($chosen, $given, [...$block, ...$options], arguments: $this->typed);
    }

    private static function metric(InputInterface $input, Plan $plan, bool $pids): Metric
    {
        $open = !in_array((string) ($plan->options['rate'] ?? '0'), ['0', ''], true);

        return Metric::parse(self::text($input, 'metric') ?? match (true) {
            $open => 'p50',
            $pids => 'server.per_cpu_second',
            default => 'rate',
        }, $plan->mode);
    }

    /** @param list<array{A: Result, B: Result}> $found */
    private static function compare(array $found, Metric $metric, float $effect, float $confidence): ?Comparison
    {
        $pairs = [];
        foreach ($found as $pair) {
            [$a, $b] = [$metric->of($pair['A']), $metric->of($pair['B'])];
            if ($a === null || $b === null || $a <= 0 || $b <= 0) {
                return null;
            }
            $pairs[] = [$a, $b];
        }

        return new Comparison($pairs, $metric->lowerIsBetter(), $effect, $confidence);
    }

    /**
     * @param list<array{A: Result, B: Result}> $found
     *
     * @return array<string, int> blocks by reason, the figures in it left out
     */
    private static function invalid(array $found): array
    {
        $reasons = [];
        foreach ($found as $pair) {
            foreach ($pair as $side => $result) {
                foreach ($result->validity->reasons as $reason) {
                    $short = "$side " . strtok($reason, ':');
                    $reasons[$short] = ($reasons[$short] ?? 0) + 1;
                }
            }
        }

        return $reasons;
    }

    /**
     * @param array{A: Plan, B: Plan}           $plans
     * @param list<array{A: Result, B: Result}> $found
     * @param array<string, int>                $invalid
     */
    private static function report(array $plans, Metric $metric, Comparison $comparison, array $found, float $effect, array $invalid, bool $aa): string
    {
        $verdict = match ($comparison->verdict()) {
            Verdict::Same => sprintf('SAME: %s differs by less than %s', $metric->name, Units::percent($effect)),
            Verdict::Undecided => self::undecided($comparison),
            default => sprintf('%s: B is %s in %s', strtoupper($comparison->verdict()->value), $comparison->verdict()->value, $metric->name),
        };
        $text = "$verdict\n\nA {$plans['A']->mode->value} {$plans['A']->url}\nB {$plans['B']->mode->value} {$plans['B']->url}\n\n";
        $rows = [['', 'A', 'B', 'B / A', round($comparison->confidence * 100, 2) . ' % interval', 'spread']];
        foreach (array_unique([$metric->name, ...self::SHOWN]) as $name) {
            $shown = Metric::parse($name, $plans['A']->mode);
            $one = self::compare($found, $shown, $effect, $comparison->confidence);
            if ($one !== null) {
                $rows[] = [
                    $name . ($name === $metric->name ? ' (decides)' : ''),
                    $shown->text(self::median(array_column($one->pairs, 0))),
                    $shown->text(self::median(array_column($one->pairs, 1))),
                    sprintf('%.3f', $one->ratio),
                    sprintf('%.3f to %.3f', $one->low, $one->high),
                    Units::percent($one->spread),
                ];
            }
        }
        $text .= Table::text($rows) . "\n" . sprintf("%d pairs, medians; ", count($found));
        $text .= $comparison->chance === null ? '' : sprintf('of all sign patterns %s show as much; ', Units::percent($comparison->chance));
        $resolution = is_finite($comparison->resolution()) ? 'differences under ' . Units::percent($comparison->resolution()) : 'differences of any size';
        $text .= sprintf("%s cannot be told apart here%s\n", $resolution, $aa ? ' (A against itself)' : '');
        if (in_array($comparison->verdict(), [Verdict::Same, Verdict::Undecided], true) && is_finite($comparison->within)) {
            $text .= sprintf("they are the same for any --effect over %s\n", Units::percent($comparison->within));
        }
        foreach ($invalid as $reason => $blocks) {
            $text .= "note: $blocks of " . count($found) . " blocks of $reason\n";
        }

        return $text;
    }

    private static function undecided(Comparison $comparison): string
    {
        $had = count($comparison->pairs);
        $needed = max($comparison->pairsNeeded(), $had + 1);

        return sprintf('UNDECIDED: give about %d pairs, %d more than these', $needed, $needed - $had);
    }

    /** @param list<float> $values at least one */
    private static function median(array $values): float
    {
        sort($values);
        $n = count($values);

        return ($values[intdiv($n - 1, 2)] + $values[intdiv($n, 2)]) / 2;
    }

    /**
     * @param array{A: Plan, B: Plan} $plans
     * @param array<string, int>      $invalid
     */
    private static function json(array $plans, Metric $metric, Comparison $comparison, array $invalid, bool $partial, int $seed): string
    {
        return json_encode([
            'schema' => 1,
            'tool' => 'tusk bench ab',
            'a' => ['mode' => $plans['A']->mode->value, 'url' => $plans['A']->url, 'options' => (object) $plans['A']->options],
            'b' => ['mode' => $plans['B']->mode->value, 'url' => $plans['B']->url, 'options' => (object) $plans['B']->options],
            'metric' => $metric->name,
            'partial' => $partial,
            'seed' => $seed,
            'order' => implode('', BlockOrder::of(count($comparison->pairs), $seed)),
            ...$comparison->toArray(),
            'invalid_blocks' => (object) $invalid,
        ], JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES) . "\n";
    }

    public function screen(): string
    {
        return "tusk bench ab A B [options]    " . self::SUMMARY . "\n\n"
            . "  tusk bench ab ws://127.0.0.1:9001/ ws://127.0.0.1:9002/ -o connections=100 --pairs 12\n"
            . "  tusk bench ab before.yaml after.yaml --metric p99 -o rate=5k\n"
            . "  tusk bench ab --aa http://127.0.0.1:8080/\n\n"
            . "A and B are addresses or scenario files; how it is decided: --help=method.\n\n"
            . Screen::rows([
                ['-m, --mode MODE', "of addresses (from the scheme: ws-echo, http, tcp-rr)"],
                ['-o, --option NAME=VALUE', 'an option of the mode, for both, repeatable: tusk bench MODE --help'],
                ['    --metric NAME', 'decides (rate; planned: p50; with pids: server.per_cpu_second)'],
                ['    --pairs N', 'blocks of each side (8)'],
                ['    --most N', 'while undecided go on to so many (as --pairs)'],
                ['    --block TIME', 'length of a block (5s)'],
                ['    --effect SHARE', 'least difference that counts (2%)'],
                ['    --seed N', 'of the order of blocks (drawn; --json tells it)'],
                ['    --aa', 'A against itself: what can be told apart here'],
                ['    --pid-a PID --pid-b PID', 'of the servers: operations per CPU second too'],
                ['    --strict', 'exit status 5 when undecided, or a block is not valid'],
                ['    --json', 'the comparison as JSON'],
            ]) . "\n" . ExitCode::help([0 => 'better, same or undecided', 1 => 'a target failed', 4 => 'worse', 5 => '--strict', 130 => 'Ctrl-C']);
    }

    public function topics(): array
    {
        return ['method'];
    }

    public function topic(string $topic): string
    {
        return ($topic === self::ALL ? "{$this->screen()}\n" : '')
            . "Each block has its own warm-up and fresh connections; a lot says which side of a pair goes first. Better or worse: the 95 % interval of "
            . "the ratio excludes 1 and the ratio passes the effect; same: two one-sided 5 % tests put it within the effect; else undecided. From ten pairs "
            . "on a tenth of them is left out at either end. With --most it is looked at after --pairs, twice as many …; all looks together err once in "
            . "twenty times. A machine that swings within seconds wants many short blocks: --block 150ms -o warmup=50ms --most 256.\n";
    }
}
