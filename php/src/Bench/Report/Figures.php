<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Bench\Latency;
use Tusk\Bench\Mode;
use Tusk\Bench\Percentiles;
use Tusk\Bench\Result;
use Tusk\Terminal\Units;

/** The sentences and tables that text, Markdown and HTML reports have in common. */
final readonly class Figures
{
    /** What each histogram holds, in the order in which they are shown. */
    public const HISTOGRAMS = [
        'response' => 'response: from the planned start',
        'service' => 'service: from the actual start',
        'delivery' => 'delivery: publish to receipt',
        'spread' => 'spread: first to last receiver',
        'blocked' => 'blocked: waited for a free connection',
        'late' => 'late: the generator itself',
        'tcp' => 'TCP',
        'tls' => 'TLS',
        'upgrade' => 'upgrade',
        'first' => 'first message',
        'close_frame' => 'close frame',
        'close_end' => 'TCP end',
        'reconnect' => 'reconnect',
        'hiccup' => 'hiccup: the machine itself',
    ];

    public function __construct(public Result $result) {}

    public function verdict(): string
    {
        return $this->result->validity->valid() ? 'VALID' : 'NOT VALID';
    }

    public function title(): string
    {
        return rtrim("{$this->result->mode->value} {$this->result->url}");
    }

    /** The conditions in one line. */
    public function conditions(): string
    {
        $r = $this->result;
        $connections = $r->options['connections'] ?? null;
        $parts = [
            ...($r->targetRate() !== null ? [sprintf('open model, %s planned/s', Units::short($r->targetRate()))] : []),
            ...($r->targetRate() === null && $r->mode->timed() ? ['closed model: latencies are service times'] : []),
            ...(is_scalar($connections) ? ["$connections connections"] : []),
            $r->seconds > 0 ? sprintf('window %s', Units::duration($r->seconds * 1e9)) : 'no measuring window',
            gmdate('Y-m-d H:i:s', (int) $r->started) . ' UTC',
        ];

        return implode(' · ', $parts);
    }

    public function rate(): string
    {
        $r = $this->result;
        if ($r->mode === Mode::TcpHold) {
            return sprintf('%s connections held', number_format($r->totals['opened'] ?? 0));
        }
        $storm = $r->storm();
        if ($storm !== null) {
            return self::back($storm, $r->headline());
        }
        $text = $r->mode->rate($r->rate());
        $target = $r->targetRate();
        $sent = $r->per('sent');
        if ($r->mode->publishes()) {
            if ($sent <= 0) {
                return $text;
            }

            return $text . sprintf(' from %s messages/s', Units::short($sent)) . ($target === null ? '' : ', ' . Units::percent($sent / $target) . ' of the plan');
        }

        return $target === null ? $text : $text . sprintf(', %s of the plan', Units::percent($r->rate() / $target));
    }

    /** @param array{int, int} $storm */
    private static function back(array $storm, \Tusk\Bench\Latency $times): string
    {
        [$back, $all] = $storm;
        if ($back === 0) {
            return sprintf('0 of %s connections back', number_format($all));
        }
        $after = static fn (float $nanoseconds): string => Units::duration($nanoseconds);

        return sprintf(
            '%s of %s connections back: half after %s, 95 %% after %s, the last after %s',
            number_format($back),
            number_format($all),
            $after($times->histogram->percentile(50)),
            $after($times->histogram->percentile(95)),
            $after($times->max),
        );
    }

    /**
     * What there is to say beside the latencies, by name.
     *
     * @return array<string, string>
     */
    public function facts(): array
    {
        $r = $this->result;
        $little = $r->little();
        $ratio = $little->ratio();
        $reach = $r->reach();
        $facts = [
            'rate' => $this->rate(),
            'traffic' => ($r->counters['bytes_received'] ?? 0) + ($r->counters['bytes_sent'] ?? 0) === 0 ? '' : sprintf('%s/s in, %s/s out', Units::size($r->per('bytes_received')), Units::size($r->per('bytes_sent'))),
            'connections' => sprintf('%s opened, %s reconnects', number_format($r->totals['opened'] ?? 0), number_format($r->totals['reconnects'] ?? 0)),
            'reach' => $reach === null ? '' : sprintf('%s of %s deliveries', Units::percent($reach), number_format($r->counters['expected'] ?? 0)),
            'in flight' => $ratio === null ? '' : sprintf('%s on average; rate × time is %s of it', Units::short($little->inFlight), Units::percent($ratio)),
            'errors' => $this->result->whatFailed(),
            'unfinished' => $r->unfinished() === 0 ? '' : number_format($r->unfinished())
                . ($r->unfinishedBefore() === 0 ? '' : sprintf(', %s of them began before the window', number_format($r->unfinishedBefore()))),
            'noise floor' => $this->noise(),
            'generator' => $this->generator(),
            'ceiling' => $this->ceiling(),
            'server' => $this->server(),
            'tls' => $this->tls(),
        ];

        return array_filter($facts, static fn (string $text): bool => $text !== '');
    }

    private function noise(): string
    {
        $hiccup = $this->result->latency['hiccup'] ?? null;

        return $hiccup === null ? '' : sprintf('this machine wakes a sleeper %s late (p50), %s (p99), %s at most', $hiccup->text(50), $hiccup->text(99), Units::duration($hiccup->max));
    }

    private function generator(): string
    {
        $generator = $this->result->generator;
        $n = count($generator->workers);

        return $n === 0 ? '' : sprintf('%d worker%s, %s cores, the busiest %s', $n, $n === 1 ? '' : 's', Units::short($generator->cpu()), Units::percent($generator->busiest()))
            . ($generator->waited >= 0.01 ? ', waiting for a processor ' . Units::percent($generator->waited) . ' of the time' : '');
    }

    private function ceiling(): string
    {
        $calibration = $this->result->generator->calibration;
        if ($calibration === null) {
            return '';
        }
        $rate = (float) ($calibration['rate'] ?? 0);

        return sprintf(
            '%s/s with p50 %s against the tool\'s own server; this run is %s of it',
            Units::short($rate),
            Units::duration((float) ($calibration['p50'] ?? 0)),
            $rate > 0 ? Units::percent($this->result->rate() / $rate) : '-',
        );
    }

    private function server(): string
    {
        $server = $this->result->server;
        if ($server === null) {
            return '';
        }
        $text = sprintf(
            'pid %d: %s cores, %s resident (%s before), %d process%s, %d thread%s',
            $server->pid,
            Units::short($server->cpu),
            Units::size($server->rss),
            Units::size($server->rssBefore),
            $server->processes,
            $server->processes === 1 ? '' : 'es',
            $server->threads,
            $server->threads === 1 ? '' : 's',
        );
        if ($server->bytesPerConnection !== null) {
            $text .= sprintf('; %s of user memory a connection', Units::size($server->bytesPerConnection));
        }

        return $server->operationsPerSecond === null || $this->result->mode === Mode::TcpHold ? $text
            : $text . '; ' . substr($this->result->mode->rate($server->operationsPerSecond), 0, -2) . ' per CPU second';
    }

    private function tls(): string
    {
        $version = $this->result->facts['tls_version'] ?? '';
        if ($version === '' || ($this->result->latency['tls'] ?? null) === null) {
            return '';
        }
        $resumed = $this->result->totals['resumed_tls'] ?? 0;

        return sprintf('%s %s, %s of %s handshakes resumed', $version, $this->result->facts['tls_cipher'] ?? '', number_format($resumed), number_format($this->result->totals['connected'] ?? 0));
    }

    /** @return array<string, Latency> in the order in which they are shown */
    public function latencies(): array
    {
        $latencies = [];
        foreach (array_keys(self::HISTOGRAMS) as $name) {
            $latency = $this->result->latency[$name] ?? null;
            if ($latency !== null && $latency->count() > 0) {
                $latencies[$name] = $latency;
            }
        }

        return $latencies;
    }

    /** @return list<list<string>> with a head */
    public function latencyRows(): array
    {
        $rows = [['', 'count', 'min', ...array_keys(Percentiles::SHOWN), 'max', 'mean']];
        foreach ($this->latencies() as $name => $latency) {
            $rows[] = [
                str_replace('_', ' ', $name),
                number_format($latency->count()),
                Units::duration($latency->min),
                ...array_map(static fn (float $percentile): string => $latency->text($percentile), array_values(Percentiles::SHOWN)),
                Units::duration($latency->max),
                Units::duration($latency->mean),
            ];
        }

        return $rows;
    }

    /** The command line as a shell takes it. */
    public function command(): string
    {
        $quoted = static fn (string $argument): string => preg_match('~^[\w./:=@%+,-]+$~', $argument) === 1 ? $argument : escapeshellarg($argument);

        return implode(' ', ['tusk', ...array_map($quoted, $this->result->arguments)]);
    }

    /** @return array<string, string> what it was measured on, by what people call it */
    public function machine(): array
    {
        $m = array_map(static fn (int|float|string|bool|null $value): string => is_bool($value) ? ($value ? 'yes' : 'no') : (string) $value, $this->result->machine);
        $of = static fn (string $name): string => $m[$name] ?? '';

        return array_filter([
            'system' => trim("{$of('system')} {$of('kernel')} {$of('architecture')}"),
            'processors' => trim("{$of('cpus')} × {$of('cpu_model')}", ' ×'),
            'memory' => (float) $of('memory_bytes') > 0 ? Units::size((float) $of('memory_bytes')) : '',
            'descriptors' => $of('files_hard') === '' ? '' : "{$of('files_soft')} (at most {$of('files_hard')})",
            'ports' => $of('ports'),
            'backlog' => $of('backlog'),
            'PHP' => $of('php'),
        ], static fn (string $text): bool => $text !== '');
    }
}
