<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

use Tusk\Bench\Engines;

/** Codecs in a PHP loop: encode text, decode masked text. */
final readonly class ProtocolSuite implements Suite
{
    /** Iterations at a size, as these comparisons are known for; a given number scales them all. */
    private const SIZES = [64 => 100_000, 1024 => 20_000];
    private const ROUNDS = 5;

    /** @param int $iterations at 64 B; a fifth of it at 1,024 B */
    public function __construct(private int $iterations = self::SIZES[64]) {}

    public static function arguments(): array
    {
        return ['iterations' => (string) self::SIZES[64]];
    }

    public static function summary(): string
    {
        return 'WebSocket codecs in a PHP loop: encode text, decode masked text';
    }

    public static function of(Engines $engines, Arguments $arguments): self
    {
        return new self($arguments->count('iterations'));
    }

    public function run(array $peers, \Closure $progress): Table
    {
        $table = new Table('protocol');
        $here = array_filter($peers, $table->peer(...));
        $done = 0;
        $all = self::ROUNDS * count(self::SIZES) * max(1, count($here));
        for ($round = 0; $round < self::ROUNDS; $round++) {
            foreach (self::SIZES as $size => $times) {
                foreach ($round % 2 === 0 ? $here : array_reverse($here) as $peer) {
                    $progress("{$peer->name()}, $size B", $done++ / $all);
                    $this->measure($table, $peer, $size, max(1, (int) round($times * $this->iterations / self::SIZES[64])));
                }
            }
        }

        return $table;
    }

    private function measure(Table $table, Peer $peer, int $size, int $iterations): void
    {
        $command = $peer->codec($iterations, $size);
        if ($command === null) {
            return;
        }
        $text = static fn (string $what): string => "$what, " . number_format($size) . ' B';
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $lines, $status);
        $rates = json_decode((string) end($lines), true);
        if ($status !== 0 || !is_array($rates)) {
            $table->fail($text('encode text'), $peer, (string) end($lines));

            return;
        }
        foreach (['encode' => 'encode text', 'decode' => 'decode masked text'] as $key => $what) {
            $rate = $rates[$key] ?? null;
            $table->add($text($what), 'ops/s', $peer, is_int($rate) || is_float($rate) ? (float) $rate : NAN);
        }
    }
}
