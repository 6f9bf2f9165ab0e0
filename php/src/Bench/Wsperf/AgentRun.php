<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Bench\Fields;
use Tusk\Bench\Hdr;
use Tusk\Bench\Histogram;

/** One agent's share of a plan, and what it has told so far. */
final class AgentRun
{
    public string $phase = 'connect';
    /** @var array<string, int> */
    public array $totals = [];
    /** @var array<string, int> */
    public array $measured = [];
    /** @var array<string, Histogram> */
    public array $histograms = [];
    /** @var array<string, int|float|string> */
    public array $facts = [];
    /** @var list<array{start: int, tcp: int, tls: int, upgrade: int, close: int, failed: bool, exchanges: list<array{int, int}>}> */
    public array $samples = [];
    /** When its last message came, or the common start. */
    public float $heard = 0.0;
    public bool $lost = false;
    public bool $partial = false;
    private bool $complete = false;
    private bool $told = false;
    /** @var list<array{pid: int, phase: string, user: float, system: float, switches: int, error: ?string}> */
    private array $workers = [];
    private ?string $error = null;
    /** @var array<string, int> */
    private array $places = [];

    /** @param array<string, string|int|float|bool> $options */
    public function __construct(public readonly Link $link, public readonly string $token, public readonly array $options) {}

    public function running(): bool
    {
        return !$this->complete && !$this->lost && $this->error === null;
    }

    /** Another machine's words: no control characters reach the terminal. */
    public function fail(string $why): void
    {
        $this->error = (string) preg_replace('~[[:cntrl:]]+~', ' ', $why);
        $this->partial = true;
    }

    public function complete(): void
    {
        $this->complete = true;
        if (!$this->told) {
            $this->fail("the agent {$this->link->name()} ended without a result");
        }
    }

    /** @throws \Tusk\Bench\BadFile */
    public function finish(Fields $result): void
    {
        $this->measured = $result->ints('counters');
        $this->totals = $result->ints('totals');
        $this->partial = $result->bool('partial');
        $packed = $result->object('histograms');
        foreach ($packed->names() as $name) {
            $this->histograms[$name] = Hdr::unpack($packed->string($name));
        }
        foreach ($result->objects('workers') as $worker) {
            $this->workers[] = [
                'pid' => $worker->int('pid'), 'phase' => $worker->string('phase'), 'user' => $worker->float('user'), 'system' => $worker->float('system'),
                'switches' => $worker->int('switches'), 'error' => $worker->stringOrNull('error'),
            ];
        }
        foreach ($result->objects('samples') as $sample) {
            $this->samples[] = [
                'start' => $sample->int('start'), 'tcp' => $sample->int('tcp'), 'tls' => $sample->int('tls'), 'upgrade' => $sample->int('upgrade'),
                'close' => $sample->int('close'), 'failed' => $sample->bool('failed'), 'exchanges' => self::pairs($sample->objects('exchanges')),
            ];
        }
        $this->told = true;
        $this->facts = array_filter($result->scalars('facts'), static fn (mixed $fact): bool => is_int($fact) || is_float($fact) || is_string($fact));
    }

    /** How many intervals of that phase came before. */
    public function place(string $phase): int
    {
        return $this->places[$phase] = ($this->places[$phase] ?? -1) + 1;
    }

    /**
     * @param list<Fields> $rows
     *
     * @return list<array{int, int}>
     *
     * @throws \Tusk\Bench\BadFile
     */
    private static function pairs(array $rows): array
    {
        return array_map(static fn (Fields $row): array => [$row->int('0'), $row->int('1')], $rows);
    }

    /** @return list<array{pid: int, phase: string, user: float, system: float, switches: int, error: ?string}> */
    public function workers(): array
    {
        $why = $this->lost ? "the agent {$this->link->name()} was lost" : $this->error;
        if ($why === null) {
            return $this->workers;
        }

        return [['pid' => 0, 'phase' => 'done', 'user' => 0.0, 'system' => 0.0, 'switches' => 0, 'error' => $why]];
    }
}
