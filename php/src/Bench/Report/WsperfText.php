<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

/** The text of wsperf's analyzer, column by column. Its latencies are those of the upgrade alone, failed ones included. */
final class WsperfText
{
    private const QUANTILES = ['q90' => 10, 'q95' => 20, 'q99' => 100, 'q99.9' => 1000, 'q99.99' => 10_000];

    /** @param list<string> $names of the files that were read */
    public static function write(WsperfRun $run, array $names): string
    {
        $text = '';
        foreach ($names as $name) {
            $text .= "Loading wsperf result file $name ..\n";
        }
        $text .= "\nAggregate results (WebSocket Opening+Closing Handshake)\n\n";
        foreach (self::totals($run) as $label => $value) {
            $text .= sprintf("%18s: %9s%s\n", $label, $value, $label === 'Duration' ? ' s' : '');
        }
        $text .= "\n";
        foreach (self::latencies($run) as $label => $microseconds) {
            $label = str_starts_with($label, 'q') ? sprintf('  %-6s', $label) : sprintf('%8s', $label);
            $text .= sprintf("%s: %9s ms\n", $label, sprintf('%.1f', $microseconds / 1000));
        }

        return $text . "\n\nAnalyze done.\n";
    }

    /** @return array<string, string> */
    private static function totals(WsperfRun $run): array
    {
        $seconds = ($run->ended - $run->started) / 1e6;
        $total = count($run->connections);
        $failed = $run->failed();

        return [
            'Duration' => sprintf('%.1f', $seconds),
            'Total' => (string) $total,
            'Success' => (string) ($total - $failed),
            'Fail' => (string) $failed,
            'Fail %' => sprintf('%.2f', $total > 0 ? 100 * $failed / $total : 0),
            'Handshakes/sec' => sprintf('%.0f', $seconds > 0 ? round(($total - $failed) / $seconds) : 0),
        ];
    }

    /** @return array<string, float> microseconds */
    private static function latencies(WsperfRun $run): array
    {
        $sorted = array_column($run->connections, 2);
        sort($sorted);
        $n = count($sorted);
        if ($n === 0) {
            return array_fill_keys(['Min', 'SD', 'Avg', 'Median', ...array_keys(self::QUANTILES), 'Max'], 0.0);
        }
        $mean = array_sum($sorted) / $n;
        $squares = 0.0;
        foreach ($sorted as $value) {
            $squares += ($value - $mean) ** 2;
        }
        $latencies = [
            'Min' => (float) $sorted[0],
            'SD' => $n > 1 ? sqrt($squares / ($n - 1)) : 0.0,
            'Avg' => $mean,
            'Median' => (float) $sorted[intdiv($n, 2)],
        ];
        foreach (self::QUANTILES as $name => $divisor) {
            $latencies[$name] = (float) $sorted[$n - (int) ceil($n / $divisor)];
        }

        return $latencies + ['Max' => (float) $sorted[$n - 1]];
    }
}
