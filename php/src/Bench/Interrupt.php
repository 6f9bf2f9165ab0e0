<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Ctrl-C during a run: the first ends it with what there is, the second ends the process. */
final class Interrupt
{
    private bool $happened = false;

    /**
     * Runs $body; SIGINT and SIGTERM call $stop meanwhile.
     *
     * @template T
     *
     * @param \Closure(): void $stop
     * @param \Closure(): T    $body
     *
     * @return T
     */
    public function during(\Closure $stop, \Closure $body): mixed
    {
        if (!self::possible()) {
            return $body();
        }
        $async = pcntl_async_signals(true);
        $before = [];
        foreach ([SIGINT, SIGTERM] as $signal) {
            $before[$signal] = pcntl_signal_get_handler($signal);
            pcntl_signal($signal, function (int $signal) use ($stop): void {
                $this->happened = true;
                pcntl_signal($signal, SIG_DFL);
                $stop();
            });
        }
        try {
            return $body();
        } finally {
            foreach ($before as $signal => $handler) {
                pcntl_signal($signal, $handler);
            }
            pcntl_async_signals($async);
        }
    }

    /** Without pcntl, or where its functions are disabled, signals do what they do to any script. */
    private static function possible(): bool
    {
        return function_exists('pcntl_signal') && function_exists('pcntl_signal_get_handler') && function_exists('pcntl_async_signals');
    }

    public function happened(): bool
    {
        return $this->happened;
    }
}
