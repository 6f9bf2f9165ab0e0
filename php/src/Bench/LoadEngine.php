<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The extension's engine. */
final readonly class LoadEngine implements Engine
{
    private const PAGE = 10_000;

    /** @param int $connections that the plan holds at once */
    public function __construct(private Load $load, private string $url, private int $connections) {}

    /** @throws \RuntimeException when this machine, or the server on it, cannot carry the plan: one sentence */
    public function start(): void
    {
        ServerRoom::check($this->url, $this->connections);
        $this->load->start();
    }

    public function poll(float $seconds = 0.25): bool
    {
        return $this->load->poll($seconds);
    }

    public function stop(): void
    {
        $this->load->stop();
    }

    public function partial(): bool
    {
        return $this->load->partial();
    }

    public function phase(): string
    {
        return $this->load->phase();
    }

    public function counters(bool $measured = false): array
    {
        return $this->load->counters($measured);
    }

    public function histogram(string $name): Histogram
    {
        return $this->load->histogram($name);
    }

    public function intervals(): array
    {
        return $this->load->intervals();
    }

    public function workers(): array
    {
        return $this->load->workers();
    }

    public function facts(): array
    {
        return $this->load->facts();
    }

    public function samples(): iterable
    {
        for ($offset = 0; ($some = $this->load->samples($offset, self::PAGE)) !== []; $offset += count($some)) {
            yield from $some;
        }
    }
}
