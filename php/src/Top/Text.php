<?php

declare(strict_types=1);

namespace Tusk\Top;

use Tusk\Terminal\Spark;
use Tusk\Terminal\Table;
use Tusk\Terminal\Units;

/** A view as lines of a terminal. */
final readonly class Text
{
    private const LIMITS = 4;
    private const TROUBLES = 8;
    private const NEAR = 0.8;

    /**
     * @param int  $width   columns; longer lines are cut
     * @param int  $height  lines; lists are cut to it, 0: they are whole
     * @param bool $colours what needs somebody is red or yellow
     */
    public function __construct(private int $width = 100, private int $height = 0, private bool $colours = false) {}

    /** @return list<string> */
    public function lines(View $view, string $from, ?string $fault = null): array
    {
        $lines = [$this->head($view, $from)];
        if ($fault !== null) {
            $lines[] = $this->style('31', "no answer, this is how it was: $fault");
        }
        $lines = [...$lines, '', ...($view->now->kind === 'proxy' ? $this->proxy($view) : $this->server($view)), ...$this->limits($view), ...$this->trouble($view)];
        $lists = array_values(array_filter([$this->targets($view), $this->routes($view)]));
        foreach ($lists as $i => $list) {
            $room = $this->height === 0 ? PHP_INT_MAX : intdiv(max(0, $this->height - count($lines)), count($lists) - $i);
            $lines = [...$lines, ...$this->cut($list, $room)];
        }

        return array_map($this->clip(...), $this->height === 0 ? $lines : array_slice($lines, 0, $this->height));
    }

    private function head(View $view, string $from): string
    {
        $state = $view->now->value('draining') > 0 ? $this->style('33', 'draining') : '';
        $crew = isset($view->now->values['crew_workers'])
            ? sprintf('%s workers%s', Units::short($view->now->value('crew_workers')), $view->now->value('crew_draining') > 0 ? ', ' . Units::short($view->now->value('crew_draining')) . ' drain' : '')
            : '';

        return implode('   ', array_filter([$this->style('1', "{$view->now->kind} $from"), $crew, $state, date('H:i:s', (int) $view->now->at)]));
    }

    /** @return list<string> */
    private function proxy(View $view): array
    {
        $now = $view->now;
        $rows = [
            ['clients', Units::short($now->value('active')) . ' now', $this->rate($view, 'accepted') . ' new', Units::short($now->value('accepted')) . ' in all'],
            ['bytes', $this->bytes($view, 'bytes_up') . ' up', $this->bytes($view, 'bytes_down') . ' down', Units::size($now->value('bytes_up') + $now->value('bytes_down')) . ' in all'],
        ];
        if (isset($now->values['http_requests'])) {
            $rows[] = ['requests', $this->rate($view, 'http_requests'), $this->rate($view, 'http_answers_5xx') . ' 5xx', Units::short($now->value('http_requests')) . ' in all'];
            $rows[] = ['backends', Units::short($now->value('http_kept')) . ' kept', Units::short($now->value('http_lines')) . ' connections', Units::short($now->value('http_tunnels')) . ' tunnels'];
        }
        $asked = $now->value('cache_hits') + $now->value('cache_misses');
        $rows[] = ['routing', $this->rate($view, 'lookups') . ' lookups', Units::percent($asked > 0 ? $now->value('cache_hits') / $asked : 0.0) . ' remembered', $this->down($view)];

        return $this->figures($rows);
    }

    private function down(View $view): string
    {
        $targets = $view->rows('target'); // the gauges count a target once in each worker

        return sprintf('%d of %d targets down', count(array_filter($targets, static fn (Row $row): bool => !$row->up())), count($targets));
    }

    /** @return list<string> */
    private function server(View $view): array
    {
        $now = $view->now;

        return $this->figures([
            ['connections', Units::short($now->value('connections_open')) . ' now', $this->rate($view, 'connections') . ' new', Units::short($now->value('connections')) . ' in all'],
            ['sessions', Units::short($now->value('websockets_open')) . ' WebSockets', Units::short($now->value('streams_open')) . ' event streams', Units::short($now->value('handshakes_pending')) . ' handshakes'],
            ['bytes', $this->bytes($view, 'bytes_in') . ' in', $this->bytes($view, 'bytes_out') . ' out', Units::size($now->value('queued_bytes')) . ' queued'],
            ['requests', $this->rate($view, 'requests'), $this->rate($view, 'responses_5xx') . ' 5xx', Units::short($now->value('requests')) . ' in all'],
            ['messages', $this->rate($view, 'messages_in') . ' in', $this->rate($view, 'messages_out') . ' sent', Units::short($now->value('messages_in')) . ' in all'],
            ['topics', $this->rate($view, 'published') . ' published', $this->rate($view, 'delivered') . ' delivered', Units::short($now->value('subscriptions')) . ' subscriptions'],
            ['handlers', Units::short($now->value('parked_handlers')) . ' wait', $this->rate($view, 'slow_handlers') . ' slow', Units::short($now->value('topics')) . ' topics'],
        ]);
    }

    /**
     * @param list<list<string>> $rows
     *
     * @return list<string>
     */
    private function figures(array $rows): array
    {
        return explode("\n", rtrim(Table::text($rows), "\n"));
    }

    /** @return list<string> */
    private function limits(View $view): array
    {
        $lines = [];
        foreach (array_slice($view->limits(), 0, self::LIMITS) as $limit) {
            $size = str_contains(strtolower($limit['name']), 'bytes') ? Units::size(...) : Units::short(...);
            $line = sprintf('  %-18s %s %6s  %s of %s', $this->printable($limit['name']), Spark::bar($limit['share'], 20), Units::percent($limit['share']), $size($limit['used']), $size($limit['limit']));
            $lines[] = $this->style($limit['share'] >= 1 ? '31' : ($limit['share'] >= self::NEAR ? '33' : ''), $line);
        }

        return $lines === [] ? [] : ['', $this->style('1', 'limits'), ...$lines];
    }

    /** @return list<string> */
    private function trouble(View $view): array
    {
        $all = $view->trouble();
        if ($all === []) {
            return [];
        }
        $lines = ['', $this->style('1', 'refused, cut, failed')];
        foreach (array_slice($all, 0, self::TROUBLES) as $one) {
            $line = sprintf('  %-30s %8s  %s', $one['name'], Units::short($one['total']), $one['rate'] === null ? '' : Units::short($one['rate']) . '/s');
            $lines[] = $this->style(($one['rate'] ?? 0.0) > 0 ? '31' : '', rtrim($line));
        }
        $more = count($all) - self::TROUBLES;

        return $more > 0 ? [...$lines, sprintf('  and %d more (--json has all)', $more)] : $lines;
    }

    /** @return list<string> */
    private function targets(View $view): array
    {
        $rows = [['target', 'state', 'active', 'sessions', 'up', 'down', 'failed', 'p50', 'p99']];
        $styles = [''];
        foreach ($view->rows('target') as $row) {
            $failed = $row->rateOf('dial_failures', 'dial_timeouts', 'answer_timeouts', 'resets', 'responses_5xx');
            $first = $row->quantiles['first_byte_seconds'] ?? null;
            $rows[] = [
                $this->printable($row->name), $row->up() ? 'up' : 'DOWN', Units::short($row->value('active')), $this->perSecond($row->rate('sessions')),
                $this->bytesPerSecond($row->rate('bytes_up')), $this->bytesPerSecond($row->rate('bytes_down')), $this->perSecond($failed),
                ...$first === null ? ['-', '-'] : [$this->time($first['p50']), $this->time($first['p99'])],
            ];
            $styles[] = $row->up() ? (($failed ?? 0.0) > 0 ? '33' : '') : '31';
        }

        return $this->table($rows, $styles);
    }

    /** @return list<string> */
    private function routes(View $view): array
    {
        $rows = [['route', 'active', 'sessions', 'up', 'down', '5xx', 'p50', 'p99']];
        $styles = [''];
        foreach ($view->rows('route') as $row) {
            $first = $row->quantiles['first_byte_seconds'] ?? null;
            $rows[] = [
                $this->printable($row->name), Units::short($row->value('active')), $this->perSecond($row->rate('sessions')),
                $this->bytesPerSecond($row->rate('bytes_up')), $this->bytesPerSecond($row->rate('bytes_down')), $this->perSecond($row->rate('responses_5xx')),
                ...$first === null ? ['-', '-'] : [$this->time($first['p50']), $this->time($first['p99'])],
            ];
            $styles[] = ($row->rate('responses_5xx') ?? 0.0) > 0 ? '33' : '';
        }

        return $this->table($rows, $styles);
    }

    /**
     * @param list<list<string>> $rows
     * @param list<string>       $styles
     *
     * @return list<string>
     */
    private function table(array $rows, array $styles): array
    {
        if (count($rows) === 1) {
            return [];
        }
        $lines = explode("\n", rtrim(Table::text($rows, left: $rows[0][1] === 'state' ? [0, 1] : [0]), "\n"));

        return ['', ...array_map(fn (string $line, string $style): string => $this->style($style, $line), $lines, [...['1'], ...array_slice($styles, 1)])];
    }

    /**
     * @param list<string> $lines
     *
     * @return list<string>
     */
    private function cut(array $lines, int $room): array
    {
        if (count($lines) <= $room) {
            return $lines;
        }

        return [...array_slice($lines, 0, max(0, $room - 1)), sprintf('  and %d more (--json has all)', count($lines) - max(0, $room - 1))];
    }

    private function rate(View $view, string $name): string
    {
        return $this->perSecond($view->rate($name));
    }

    private function bytes(View $view, string $name): string
    {
        return $this->bytesPerSecond($view->rate($name));
    }

    private function perSecond(?float $rate): string
    {
        return $rate === null ? '-' : Units::short($rate) . '/s';
    }

    private function bytesPerSecond(?float $rate): string
    {
        return $rate === null ? '-' : Units::size($rate) . '/s';
    }

    /** Of a histogram only the upper bound is known. */
    private function time(float $seconds): string
    {
        return is_infinite($seconds) ? 'over 10 s' : '≤ ' . Units::duration($seconds * 1e9);
    }

    /** Names come from resolvers, and all of it from whoever answers there: nothing of them is told to the terminal. */
    private function printable(string $name): string
    {
        return preg_replace('~[\p{C}]~u', '?', mb_strimwidth(mb_scrub($name), 0, 48, '…')) ?? '?';
    }

    private function style(string $code, string $text): string
    {
        return $code === '' || !$this->colours ? $text : "\e[{$code}m$text\e[0m";
    }

    private function clip(string $line): string
    {
        if (!str_contains($line, "\e")) {
            return mb_strimwidth($line, 0, $this->width);
        }
        $plain = preg_replace('~\e\[\d+m~', '', $line) ?? '';
        if (mb_strwidth($plain) <= $this->width) {
            return $line;
        }
        $start = preg_match('~^\e\[\d+m~', $line, $m) === 1 ? $m[0] : '';

        return $start . mb_strimwidth($plain, 0, $this->width) . "\e[0m";
    }
}
