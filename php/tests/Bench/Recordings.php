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
            'connections' => $option('count', '10', '', 'connections at once'),
            'duration' => $option('seconds', '10', 's', 'length of the measuring window'),
            'warmup' => $option('seconds', '1', 's', 'load before the window, kept out of every figure'),
            'rate' => $option('rate', '0', '/s', 'planned operations per second; 0: closed model'),
            'arrivals' => $option('uniform|poisson', 'uniform', '', 'how planned operations are spread'),
            'samples' => $option('count', '0', '', 'keep the times of so many connections'),
            'size' => $option('size', '64', 'bytes', 'of a message'),
            'header' => $option('text', '', '', 'further request fields, one a line: Name: value'),
            'tls-ca' => $option('text', '', 'file', 'PEM file of the authorities'),
            'verify' => $option('switch', 'no', '', 'compare every byte'),
            'hiccup' => $option('switch', 'yes', '', "measure the machine's own stalls"),
            'allow-remote' => $option('switch', 'no', '', 'allow a target that is not on this machine'),
        ];
    }

    public function create(Mode $mode, string $url, array $options): Engine
    {
        if (str_contains($url, 'remote.example') && ($options['allow-remote'] ?? false) === false) {
            throw new \ValueError("the target $url is no loopback address: give --allow-remote when it is yours to load");
        }
        usleep(1); // the system counts a process's time where it stops
        $this->asked[] = ['mode' => $mode, 'url' => $url, 'options' => $options];

        return array_shift($this->engines) ?? new Recording();
    }
}
