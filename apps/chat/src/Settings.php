<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** How the chat was started: from the command line and the environment. */
final readonly class Settings
{
    /**
     * @param string $folder where the database and the session key lie
     * @param float  $rate   messages per second of one user after a burst of 20; 0: no limit, nor one on log-ins and small requests
     * @param float  $grace  seconds after which somebody without a connection has left
     */
    public function __construct(
        public string $host = '127.0.0.1',
        public int $port = 8080,
        public bool $open = false,
        public string $folder = 'var',
        public float $rate = 5.0,
        public float $grace = 10.0,
    ) {
        if ($port < 0 || $port > 65535) {
            throw new \ValueError("The port $port does not exist: choose one from 0 (any free one) to 65535.");
        }
        if ($rate < 0.0) {
            throw new \ValueError("A rate of $rate messages per second cannot be: 0 (no limit) or more.");
        }
        if ($grace < 0.0 || $grace > 3600.0) {
            throw new \ValueError("A grace period of $grace seconds cannot be: 0 to 3600.");
        }
        if ($open && !self::isLoopback($host)) {
            throw new \ValueError("Open mode lets anybody speak as anybody: it listens on a loopback address only, not on $host.");
        }
    }

    /**
     * PORT, HOST, OPEN, CHAT_VAR, CHAT_RATE and CHAT_GRACE of the environment; arguments win: [PORT] [--open] [--host=…].
     *
     * @param list<string>                $arguments without the script's name
     * @param array<string, string|false> $environment
     *
     * @throws \ValueError with a sentence that names the value and what is possible
     */
    public static function from(array $arguments, array $environment, string $folder): self
    {
        $values = array_filter($environment, static fn (string|false $value): bool => $value !== false && $value !== '');
        foreach ($arguments as $argument) {
            if (preg_match('/^--(port|host|rate|grace|var)=(.*)$/D', $argument, $m) === 1) {
                $values[['port' => 'PORT', 'host' => 'HOST', 'rate' => 'CHAT_RATE', 'grace' => 'CHAT_GRACE', 'var' => 'CHAT_VAR'][$m[1]]] = $m[2];
            } elseif ($argument === '--open') {
                $values['OPEN'] = '1';
            } elseif (preg_match('/^\d+$/D', $argument) === 1) {
                $values['PORT'] = $argument;
            } else {
                throw new \ValueError("\"$argument\" is not understood: server.php [PORT] [--open] [--host=H] [--rate=R] [--grace=S] [--var=FOLDER]");
            }
        }
        $open = !in_array(strtolower((string) ($values['OPEN'] ?? '')), ['', '0', 'no', 'false'], true);
        return new self(
            (string) ($values['HOST'] ?? '127.0.0.1'),
            (int) self::number('PORT', (string) ($values['PORT'] ?? '8080'), '/^\d{1,9}$/D'),
            $open,
            (string) ($values['CHAT_VAR'] ?? $folder),
            // Load tools use the open mode; whoever wants a limit there sets it.
            self::number('CHAT_RATE', (string) ($values['CHAT_RATE'] ?? ($open ? '0' : '5'))),
            self::number('CHAT_GRACE', (string) ($values['CHAT_GRACE'] ?? '10')),
        );
    }

    public function address(): string
    {
        return (str_contains($this->host, ':') ? "[{$this->host}]" : $this->host) . ":{$this->port}";
    }

    public static function isLoopback(string $host): bool
    {
        return $host === 'localhost' || $host === '::1' || $host === '[::1]'
            || preg_match('/^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/D', $host) === 1;
    }

    private static function number(string $name, string $value, string $pattern = '/^\d{1,9}(\.\d{1,6})?$/D'): float
    {
        if (preg_match($pattern, $value) !== 1) {
            throw new \ValueError("$name=\"$value\" is not a number that is possible here.");
        }
        return (float) $value;
    }
}
