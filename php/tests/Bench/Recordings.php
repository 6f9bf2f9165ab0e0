<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use Tusk\Bench\Engine;
use Tusk\Bench\Engines;
use Tusk\Bench\Mode;

/** Gives out recordings, and remembers what was asked for. */
final class Recordings implements Engines
{
    /** @var list<array{mode: Mode, url: string, options: array<string, string|int|float|bool>}> */
    public array $asked = [];
    /** @var list<Engine> */
    private array $engines;

    public function __construct(Engine ...$engines)
    {
        $this->engines = array_values($engines);
    }

    public function options(Mode $mode): array
    {
        $option = static fn (string $type, string $default, string $unit, string $help): array
            => ['type' => $type, 'default' => $default, 'unit' => $unit, 'help' => $help];

        return [
            'connections' => $option('int', '10', '', 'connections'),
            'duration' => $option('time', '10', 's', 'length of the measuring window'),
            'warmup' => $option('time', '1', 's', 'before it, not counted'),
            'rate' => $option('rate', '0', '/s', 'operations per second; 0: as fast as answers come'),
            'size' => $option('size', '64', 'bytes', 'payload'),
            'header' => $option('list', '', '', 'a header of the request'),
            'verify' => $option('bool', '0', '', 'compare every byte'),
            'allow-remote' => $option('bool', '0', '', 'let the target be another machine'),
        ];
    }

    public function create(Mode $mode, string $url, array $options): Engine
    {
        if (str_contains($url, 'remote.example') && ($options['allow-remote'] ?? false) === false) {
            throw new \ValueError("the target $url is no loopback address: give --allow-remote when it is yours to load");
        }
        $this->asked[] = ['mode' => $mode, 'url' => $url, 'options' => $options];

        return array_shift($this->engines) ?? new Recording();
    }
}
