<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The ceiling: what the same load reaches against the tool's own server on this machine. */
final readonly class Calibration
{
    private const WINDOW = '1s';
    private const WARMUP = '0.2s';

    public function __construct(private Engines $engines) {}

    /**
     * Without a rate and without what only the real target understands, in the closed model.
     *
     * @return array<string, int|float> rate, p50, p99; times in nanoseconds
     */
    public function of(Plan $plan): array
    {
        $server = new EchoServer(self::kind($plan->mode));
        try {
            $small = self::alike($plan, $server->port());
            $engine = $this->engines->create($small->mode, $small->url, $small->options);
            $result = (new Run($small, $engine, new Silence()))->measure();
        } finally {
            $server->stop();
        }
        $histogram = $result->headline()->histogram;

        return ['rate' => round($result->rate(), 1), 'p50' => $histogram->percentile(50), 'p99' => $histogram->percentile(99)];
    }

    /** What the tool's own server understands of the plan. Streams are published to as fast as they take it. */
    private static function alike(Plan $plan, int $port): Plan
    {
        $keep = array_flip([
            'connections', 'size', 'pipeline', 'workers', 'binary', 'verify', 'fragment', 'chop', 'sources', 'pin', 'keep-alive', 'direction',
            'publishers', 'rooms', 'transport', 'publish', 'slow', 'slow-rate',
        ]);
        $options = [...array_intersect_key($plan->options, $keep), 'duration' => self::WINDOW, 'warmup' => self::WARMUP];
        $scheme = match (self::kind($plan->mode)) {
            'ws' => 'ws',
            'tcp' => 'tcp',
            default => 'http',
        };
        $path = isset($options['rooms']) ? '/{room}' : '/';
        if ($plan->mode === Mode::Sse) {
            $options = ['transport' => 'sse', 'publish' => 'http'] + $options;
        }
        if (($options['publishers'] ?? '1') === '0') {
            $options['publishers'] = '1';
        }

        return new Plan($plan->mode === Mode::Sse ? Mode::Fanout : $plan->mode, "$scheme://127.0.0.1:$port$path", $options);
    }

    private static function kind(Mode $mode): string
    {
        return match ($mode) {
            Mode::WsEcho, Mode::WsHandshake => 'ws',
            Mode::Http => 'http',
            Mode::TcpRr, Mode::TcpRate, Mode::TcpBulk, Mode::TcpHold => 'tcp',
            Mode::Fanout, Mode::Sse => 'fanout',
        };
    }
}
