<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The ceiling: what the same load reaches against the tool's own minimal server on this machine. */
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
        $kind = self::kind($plan->mode);
        $server = new EchoServer($kind);
        try {
            $scheme = match ($kind) {
                'ws' => 'ws',
                'tcp' => 'tcp',
                default => 'http',
            };
            $keep = array_flip(['connections', 'size', 'pipeline', 'workers', 'binary', 'verify', 'fragment', 'chop', 'sources', 'pin', 'keep-alive', 'direction']);
            $options = [...array_intersect_key($plan->options, $keep), 'duration' => self::WINDOW, 'warmup' => self::WARMUP];
            $small = new Plan($plan->mode, "$scheme://127.0.0.1:{$server->port()}/", $options);
            $engine = $this->engines->create($small->mode, $small->url, $small->options);
            $result = (new Run($small, $engine, new Console\Silence()))->measure();
        } finally {
            $server->stop();
        }
        $histogram = $result->headline()->histogram;

        return ['rate' => round($result->rate(), 1), 'p50' => $histogram->percentile(50), 'p99' => $histogram->percentile(99)];
    }

    private static function kind(Mode $mode): string
    {
        return match ($mode) {
            Mode::WsEcho, Mode::WsHandshake => 'ws',
            Mode::Http => 'http',
            Mode::TcpRr, Mode::TcpRate, Mode::TcpBulk, Mode::TcpHold => 'tcp',
            Mode::Fanout, Mode::Sse => throw new \ValueError("--calibrate: {$mode->value} needs a target that publishes, which the tool's own server does not"),
        };
    }
}
