<?php

declare(strict_types=1);

namespace Tusk\Bench;

use Tusk\Terminal\Units;

/** Engines of the extension. */
final class LoadEngines implements Engines
{
    public function options(Mode $mode): array
    {
        if (!extension_loaded('tusk')) {
            return [];      // commands have a help without it, too
        }

        return Load::options($mode->value);
    }

    public function create(Mode $mode, string $url, array $options): Engine
    {
        try {
            $load = new Load($mode->value, $url, $options);
        } catch (\ValueError $fault) {
            // Whoever types a command has not called a constructor.
            throw new \ValueError((string) preg_replace('~^\S+::__construct\(\): Argument #\d+ \(\$(\w+)\) is of no use: ~', '$1: ', $fault->getMessage()), 0, $fault);
        }
        $connections = 0;
        foreach (['connections', 'publishers', 'idle'] as $name) {
            $connections += (int) Units::number((string) ($options[$name] ?? 0));
        }

        return new LoadEngine($load, $url, $connections);
    }
}
