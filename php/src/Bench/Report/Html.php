<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Bench\Counters;
use Tusk\Bench\Interval;
use Tusk\Bench\Mode;
use Tusk\Bench\Result;
use Tusk\Bench\Report\Svg\Canvas;
use Tusk\Bench\Report\Svg\HeatMap;
use Tusk\Bench\Report\Svg\Ridges;
use Tusk\Bench\Report\Svg\Spectrum;
use Tusk\Bench\Report\Svg\Timeline;
use Tusk\Terminal\Units;

/** The report as one page that needs nothing else: no script, no font, no picture from anywhere. */
final readonly class Html
{
    private const WIDE = 1060.0;
    private const HALF = 520.0;
    private const SLIM = 340.0;
    private const COLOURS = [
        'response' => 'blue', 'service' => 'teal', 'delivery' => 'blue', 'spread' => 'violet', 'blocked' => 'amber', 'late' => 'red',
        'hiccup' => 'gray', 'tcp' => 'gray', 'tls' => 'violet', 'upgrade' => 'blue', 'first' => 'teal', 'close_frame' => 'amber',
        'close_end' => 'amber', 'reconnect' => 'red',
    ];
    private const PLACES = ['response', 'service', 'delivery', 'spread', 'blocked', 'late', 'hiccup'];
    private const PHASES = ['tcp', 'tls', 'upgrade', 'first', 'close_frame', 'close_end', 'reconnect'];

    private Figures $figures;

    private function __construct(private Result $result)
    {
        $this->figures = new Figures($result);
    }

    public static function write(Result $result): string
    {
        $page = new self($result);
        $body = $page->header() . $page->tiles() . $page->heatMap()
            . self::pair($page->spectrum(...), $page->rate(...))
            . self::pair(
                static fn (float $width): string => $page->ridges('Where the time goes', 'Whole distributions on one scale; the stem is the median.', self::PLACES, $width),
                static fn (float $width): string => $page->ridges('Phases of a connection', 'From the first packet to the end; each phase by itself.', self::PHASES, $width),
            )
            . self::pair($page->cpu(...), $page->memory(...)) . $page->latencies() . $page->thresholds() . $page->conditions();

        return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            . '<title>' . self::e("{$page->figures->verdict()}: {$page->figures->title()}") . "</title>\n<style>\n"
            . file_get_contents(__DIR__ . '/report.css') . "</style>\n</head>\n<body>\n<main>\n$body</main>\n</body>\n</html>\n";
    }

    /** @return list<Interval> those that are long enough to be seen; where a phase begins or ends there are scraps */
    private function intervals(): array
    {
        return array_values(array_filter($this->result->intervals, static fn (Interval $interval): bool => $interval->length >= 0.05));
    }

    private function header(): string
    {
        $validity = $this->result->validity;
        $list = static fn (array $lines, string $class): string => $lines === [] ? ''
            : "<ul class=\"$class\">" . implode('', array_map(static fn (mixed $line): string => '<li>' . self::e(is_string($line) ? $line : '') . '</li>', $lines)) . "</ul>\n";

        return "<header>\n<span class=\"badge " . ($validity->valid() ? 'good' : 'poor') . "\">{$this->figures->verdict()}</span>\n<h1>"
            . self::e($this->result->mode->value) . ' <small>' . self::e($this->result->url) . '</small></h1>'
            . '<p class="soft">' . self::e(($this->result->scenario === null ? '' : "scenario {$this->result->scenario} · ") . $this->figures->conditions()) . "</p>\n"
            . $list($validity->reasons, 'reasons') . $list($validity->notes, 'reasons notes') . "</header>\n";
    }

    private function tiles(): string
    {
        $r = $this->result;
        $headline = $r->headline();
        $errors = $r->errors() + ($r->totals['dropped'] ?? 0) + $r->unfinished();
        $tiles = [
            match ($r->mode) {
                Mode::TcpHold => ['connections', number_format($r->totals['opened'] ?? 0), 'held'],
                Mode::TcpBulk => ['per second', Units::size($r->rate()), 'both ways'],
                default => [$r->mode->operations() . '/s', Units::short($r->rate()), match (true) {
                    $r->mode->publishes() => 'of ' . Units::short($r->per('sent')) . ' messages/s',
                    $r->targetRate() === null => 'closed model',
                    default => Units::short($r->targetRate()) . ' planned',
                }],
            },
            ...($r->mode->timed() ? [
                ['median', $headline->count() > 0 ? Units::duration($headline->histogram->percentile(50)) : '-', $r->mode->headline() . ' time'],
                ['p99', $headline->text(99), number_format($headline->count()) . ' samples'],
                ['slowest', $headline->count() > 0 ? Units::duration($headline->max) : '-', 'p99.9 ' . $headline->text(99.9)],
            ] : []),
            ['errors', number_format($errors), $errors === 0 ? 'nothing lost' : 'see below'],
        ];
        if ($r->server !== null) {
            $tiles[] = ['server, cores', Units::short($r->server->cpu), Units::size($r->server->rss)];
        }
        $html = '';
        foreach ($tiles as [$name, $value, $more]) {
            $html .= '<div class="tile"><span>' . self::e($name) . '</span><b>' . self::e($value) . '</b><i>' . self::e($more) . "</i></div>\n";
        }

        return "<div class=\"tiles\">\n$html</div>\n";
    }

    private function heatMap(): string
    {
        $intervals = $this->intervals();
        if ($intervals === [] || $this->result->headline()->count() === 0) {
            return '';
        }

        return self::section(
            'Latency over time',
            'Every answer, by when it came and how long it took; what is shaded lies outside the measuring window.',
            '<span>few <em class="ramp"></em> many</span><span><em class="over"></em>median</span><span><em class="dots over"></em>p99</span>',
            self::both('Latency over time', static fn (bool $slim): Canvas => HeatMap::draw($intervals, $slim ? self::SLIM : self::WIDE, $slim ? 240 : 320)),
        );
    }

    private function spectrum(float $width): string
    {
        $lines = [];
        foreach (['response', 'service', 'delivery'] as $name) {
            $latency = $this->result->latency[$name] ?? null;
            if ($latency !== null && $latency->count() > 1 && ($name !== 'service' || $this->result->model() === 'open')) {
                $lines[$name] = [$latency, self::COLOURS[$name]];
            }
        }
        if ($lines === []) {
            return '';
        }

        return self::section(
            'Percentiles',
            'How long the slowest took. Dashed: fewer than ten samples lie beyond.',
            self::legend(array_map(static fn (array $line): string => $line[1], $lines)),
            self::both('Latency by percentile', static fn (bool $slim): Canvas => Spectrum::draw($lines, $slim ? self::SLIM : $width, $slim ? 230 : 290)),
        );
    }

    private function rate(float $width): string
    {
        $intervals = $this->intervals();
        if ($intervals === [] || $this->result->mode === Mode::TcpHold) {
            return '';
        }
        $mode = $this->result->mode;
        $lines = [$mode->operations() => [static fn (Interval $interval): float => $interval->rate($mode), 'blue']];
        $label = $mode === Mode::TcpBulk ? static fn (float $bytes): string => Units::size($bytes)
            : static fn (float $rate): string => (string) preg_replace('~\.0+(?=[kMG]$)~', '', Units::short($rate));
        $target = $mode->publishes() ? null : $this->result->targetRate();
        $legend = self::legend([$mode->operations() => 'blue']) . ($target === null ? '' : '<span><em class="plan"></em>planned</span>')
            . ($this->result->errors() > 0 ? '<span><em class="red"></em>seconds with errors</span>' : '');

        return self::section('Throughput', 'Per second.', $legend, self::both('Throughput over time', static function (bool $slim) use ($intervals, $lines, $label, $target, $width): Canvas {
            $canvas = Timeline::draw($intervals, $lines, $label, $slim ? self::SLIM : $width, $slim ? 210 : 290, $target);
            Timeline::errors($canvas, $intervals, static fn (Interval $interval): int => Counters::errors($interval->counters));

            return $canvas;
        }));
    }

    /** @param list<string> $names */
    private function ridges(string $title, string $text, array $names, float $width): string
    {
        $rows = [];
        foreach ($names as $name) {
            $latency = $this->result->latency[$name] ?? null;
            if ($latency !== null && $latency->count() > 1 && ($name !== 'response' || $this->result->mode->headline() === 'response')) {
                $rows[self::short($name)] = [$latency, self::COLOURS[$name]];
            }
        }
        if ($rows === []) {
            return '';
        }
        $meanings = array_intersect_key(['late' => 'late: the generator itself was behind its schedule', 'blocked' => 'blocked: no connection was free',
            'hiccup' => 'hiccup: how late this machine wakes a sleeper'], $rows);

        return self::section($title, $text . ($meanings === [] ? '' : ' ' . ucfirst(implode('; ', $meanings)) . '.'), '', self::both(
            $title,
            static fn (bool $slim): Canvas => Ridges::draw($rows, $slim ? self::SLIM : $width),
        ));
    }

    private static function short(string $name): string
    {
        return ['tcp' => 'TCP', 'tls' => 'TLS', 'first' => 'first data', 'close_end' => 'TCP end'][$name] ?? str_replace('_', ' ', $name);
    }

    private function cpu(float $width): string
    {
        $intervals = array_values(array_filter($this->intervals(), static fn (Interval $interval): bool => $interval->generatorCpu !== null));
        if (count($intervals) < 2) {
            return '';
        }
        $lines = ['generator' => [static fn (Interval $interval): ?float => $interval->generatorCpu, 'violet']];
        if ($this->result->server !== null) {
            $lines = ['server' => [static fn (Interval $interval): ?float => $interval->serverCpu, 'blue'], ...$lines];
        }
        $workers = count($this->result->generator->workers);

        return self::section(
            'CPU',
            sprintf('Cores in use. The generator has %d worker%s; over 80 %% of a core each it is the limit.', $workers, $workers === 1 ? '' : 's'),
            self::legend(array_map(static fn (array $line): string => $line[1], $lines)),
            self::both('Cores in use over time', static fn (bool $slim): Canvas => Timeline::draw(
                $intervals,
                $lines,
                static fn (float $cores): string => rtrim(rtrim(sprintf('%.2f', $cores), '0'), '.'),
                $slim ? self::SLIM : $width,
                $slim ? 190 : 220,
            )),
        );
    }

    private function memory(float $width): string
    {
        $intervals = array_values(array_filter($this->intervals(), static fn (Interval $interval): bool => $interval->serverRss !== null));
        if ($this->result->server === null || count($intervals) < 2) {
            return '';
        }
        $lines = ['resident' => [static fn (Interval $interval): float => (float) $interval->serverRss / (1 << 20), 'teal']];

        return self::section("Server's memory", 'Resident bytes of all its processes.', '', self::both('Memory of the server over time', static fn (bool $slim): Canvas => Timeline::draw(
            $intervals,
            $lines,
            static fn (float $mebibytes): string => $mebibytes === 0.0 ? '0' : rtrim(rtrim(number_format($mebibytes, 1), '0'), '.') . ' MiB',
            $slim ? self::SLIM : $width,
            $slim ? 190 : 220,
        )));
    }

    private function latencies(): string
    {
        $rows = $this->figures->latencyRows();
        if (count($rows) < 2) {
            return '';
        }
        $html = '';
        foreach ($rows as $i => $row) {
            $tag = $i === 0 ? 'th' : 'td';
            $class = $i > 0 && $row[0] === $this->result->mode->headline() ? ' class="head"' : '';
            $html .= "<tr$class>" . implode('', array_map(static fn (string $cell): string => "<$tag>" . self::e($cell) . "</$tag>", $row)) . "</tr>\n";
        }

        return self::section('Latencies', 'A dash stands where too few samples stand behind a percentile.', '', "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Latencies\"><table>\n$html</table></div>");
    }

    private function thresholds(): string
    {
        $html = '';
        foreach ($this->result->thresholds as $outcome) {
            $html .= '<dt><span class="badge ' . ($outcome->holds ? 'good">holds' : 'poor">broken') . '</span></dt><dd>' . self::e($outcome->text) . "</dd>\n";
        }

        return $html === '' ? '' : self::section('Thresholds', '', '', "<dl>\n$html</dl>");
    }

    private function conditions(): string
    {
        $list = static function (array $pairs, string $class = ''): string {
            $html = '';
            foreach ($pairs as $name => $value) {
                $html .= '<dt>' . self::e((string) $name) . '</dt><dd>' . self::e(is_scalar($value) ? (string) $value : '') . "</dd>\n";
            }

            return "<dl$class>\n$html</dl>";
        };
        $options = (new PlanWords($this->result->mode))->of($this->result->options);
        $command = $this->result->arguments === [] ? '' : '<pre><code>' . self::e($this->figures->command()) . '</code></pre>';

        return self::section('In words', '', '', $list($this->figures->facts(), ' class="long"') . $command)
            . self::pair(
                static fn (): string => self::section('Plan', '', '', $list($options)),
                fn (): string => self::section('Machine', '', '', $list($this->figures->machine())),
            )
            . '<footer>tusk bench ' . self::e($this->result->version) . ", HDR histograms of three digits; the JSON holds them whole.</footer>\n";
    }

    private static function section(string $title, string $text, string $legend, string $body): string
    {
        return '<section><h2>' . self::e($title) . '</h2>' . ($text === '' ? '' : '<p class="soft">' . self::e($text) . '</p>')
            . ($legend === '' ? '' : "<div class=\"legend\">$legend</div>") . "$body</section>\n";
    }

    /**
     * Two sections side by side; one alone takes the whole width.
     *
     * @param \Closure(float): string $a draws a section of that width, empty where there is nothing to show
     * @param \Closure(float): string $b
     */
    private static function pair(\Closure $a, \Closure $b): string
    {
        [$left, $right] = [$a(self::HALF), $b(self::HALF)];
        if ($left === '' || $right === '') {
            return $left === '' ? ($right === '' ? '' : $b(self::WIDE)) : $a(self::WIDE);
        }

        return "<div class=\"pair\">\n$left$right</div>\n";
    }

    /** @param array<string, string> $colours by name */
    private static function legend(array $colours): string
    {
        $html = '';
        foreach ($colours as $name => $colour) {
            $html .= '<span><em class="' . $colour . '"></em>' . self::e($name) . '</span>';
        }

        return $html;
    }

    /**
     * The same drawing for a wide and for a narrow page; the style shows one of them.
     *
     * @param \Closure(bool): Canvas $draw
     */
    private static function both(string $label, \Closure $draw): string
    {
        return $draw(false)->svg('wide', $label) . $draw(true)->svg('slim', $label);
    }

    private static function e(string $text): string
    {
        return Canvas::escape($text);
    }
}
