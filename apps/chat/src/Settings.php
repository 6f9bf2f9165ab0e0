<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** How the chat was started: from the command line and the environment. */
final readonly class Settings
{
    /** Options with a value: name => [variable of the environment, what it is, default]. The order is that of the help. */
    private const OPTIONS = [
        'port' => ['PORT', 'port to listen on; 0: a free one', '8080'],
        'host' => ['CHAT_HOST', 'address to listen on', '127.0.0.1'],
        'var' => ['CHAT_VAR', 'folder of database and session key', 'apps/chat/var'],
        'cert' => ['CHAT_CERT', 'PEM file of the certificate: https and wss', 'none'],
        'key' => ['CHAT_KEY', 'PEM file of its key', 'none'],
        'trust' => ['CHAT_TRUST', 'proxies that tell the client: addresses or ranges', 'none'],
        'rate' => ['CHAT_RATE', 'messages per second of a user; 0: no limits', '5; open: 0'],
        'per-address' => ['CHAT_PER_ADDRESS', 'connections of one address; 0: no limit', '1000; rate 0: 0'],
        'grace' => ['CHAT_GRACE', 'seconds without a connection until one has left', '10'],
        'keep-days' => ['CHAT_KEEP_DAYS', 'days that messages are kept; 0: for ever', '365'],
        'keep-messages' => ['CHAT_KEEP_MESSAGES', 'so many of the latest are kept; 0: all', '1000000'],
    ];

    /**
     * @param string       $folder       where the database and the session key lie
     * @param float        $rate         messages per second of one user after a burst of 20; 0: no limit, nor one on log-ins and small requests
     * @param float        $grace        seconds after which somebody without a connection has left
     * @param string       $certificate  PEM file; empty: no TLS
     * @param string       $key          PEM file; empty: no TLS
     * @param list<string> $trusted      addresses or ranges of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed
     * @param int|null     $perAddress   connections of one address, 0: no limit; null: 1000, or no limit where $rate is 0
     * @param int          $keepDays     after which messages are removed; 0: never
     * @param int          $keepMessages of the latest that are kept; 0: all
     */
    public function __construct(
        public string $host = '127.0.0.1',
        public int $port = 8080,
        public bool $open = false,
        public string $folder = 'var',
        public float $rate = 5.0,
        public float $grace = 10.0,
        public string $certificate = '',
        public string $key = '',
        public array $trusted = [],
        public ?int $perAddress = null,
        public int $keepDays = 365,
        public int $keepMessages = 1_000_000,
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
        if ($keepDays < 0 || $keepDays > 36_500) {
            throw new \ValueError("Messages cannot be kept for $keepDays days: 1 to 36500, or 0 for ever.");
        }
        if ($keepMessages < 0) {
            throw new \ValueError("$keepMessages messages cannot be kept: 1 or more, or 0 for all.");
        }
        if (($certificate === '') !== ($key === '')) {
            throw new \ValueError('TLS needs both files: --cert=' . ($certificate ?: 'FILE') . ' and --key=' . ($key ?: 'FILE') . '.');
        }
        foreach ($trusted as $address) {
            if (!self::isAddressOrRange($address)) {
                throw new \ValueError("\"$address\" is no address of a proxy, nor a range of them: --trust=127.0.0.1,10.0.0.0/8");
            }
        }
        if ($open && !self::isLoopback($host)) {
            throw new \ValueError("Open mode lets anybody speak as anybody: it listens on a loopback address only, not on $host.");
        }
    }

    /**
     * From the environment and from arguments, which win.
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
            if (preg_match('/^--([a-z-]+)=(.*)$/sD', $argument, $m) === 1 && isset(self::OPTIONS[$m[1]])) {
                $values[self::OPTIONS[$m[1]][0]] = $m[2];
            } elseif ($argument === '--open') {
                $values['OPEN'] = '1';
            } elseif (preg_match('/^\d+$/D', $argument) === 1) {
                $values['PORT'] = $argument;
            } elseif (preg_match('/^--([a-z-]+)$/D', $argument, $m) === 1 && isset(self::OPTIONS[$m[1]])) {
                throw new \ValueError("$argument needs a value: $argument=" . strtoupper(self::OPTIONS[$m[1]][2]));
            } else {
                throw new \ValueError("\"$argument\" is not understood; server.php --help lists what is.");
            }
        }
        $get = static fn (string $name, string $default): string => (string) ($values[$name] ?? $default);
        $open = !in_array(strtolower($get('OPEN', '')), ['', '0', 'no', 'false'], true);
        return new self(
            $get('CHAT_HOST', '127.0.0.1'),
            (int) self::number('port', $get('PORT', '8080'), whole: true),
            $open,
            $get('CHAT_VAR', $folder),
            // Load tools use the open mode; whoever wants a limit there sets it.
            self::number('rate', $get('CHAT_RATE', $open ? '0' : '5')),
            self::number('grace', $get('CHAT_GRACE', '10')),
            $get('CHAT_CERT', ''),
            $get('CHAT_KEY', ''),
            array_values(array_filter(array_map(trim(...), explode(',', $get('CHAT_TRUST', ''))), static fn (string $one): bool => $one !== '')),
            isset($values['CHAT_PER_ADDRESS']) ? (int) self::number('per-address', (string) $values['CHAT_PER_ADDRESS'], whole: true) : null,
            (int) self::number('keep-days', $get('CHAT_KEEP_DAYS', '365'), whole: true),
            (int) self::number('keep-messages', $get('CHAT_KEEP_MESSAGES', '1000000'), whole: true),
        );
    }

    public static function help(): string
    {
        $lines = '';
        foreach (self::OPTIONS as $name => [$variable, $what, $default]) {
            $lines .= sprintf("  %-17s %-19s %s (%s)\n", "--$name=", $variable, $what, $default);
        }
        return <<<TEXT
            usage: server.php [PORT] [--open] [--OPTION=VALUE...]
            The chat: page, event streams, WebSocket and scripts, on one port. Ctrl-C drains and stops it.

              --open            OPEN                names need no log-in; loopback only, for trying things out
            $lines  --help, -h                            this

            An argument wins over the variable of the environment beside it.
            Example: server.php 8443 --host=0.0.0.0 --cert=cert.pem --key=key.pem --var=/srv/chat

            TEXT;
    }

    public function isSecure(): bool
    {
        return $this->certificate !== '';
    }

    /** Connections of one address; 0: no limit. */
    public function connectionsPerAddress(): int
    {
        return $this->perAddress ?? ($this->rate > 0.0 ? 1000 : 0);
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

    /** The server is stricter: bits behind the length are refused there. */
    private static function isAddressOrRange(string $text): bool
    {
        [$address, $bits] = explode('/', $text, 2) + [1 => '0'];
        $bytes = @inet_pton($address);
        return $bytes !== false && preg_match('/^\d{1,3}$/D', $bits) === 1 && (int) $bits <= 8 * strlen($bytes);
    }

    /** @param key-of<self::OPTIONS> $option */
    private static function number(string $option, string $value, bool $whole = false): float
    {
        if (preg_match($whole ? '/^\d{1,9}$/D' : '/^\d{1,9}(\.\d{1,6})?$/D', $value) !== 1) {
            throw new \ValueError("--$option (" . self::OPTIONS[$option][0] . ') must be a ' . ($whole ? 'whole ' : '') . "number of 0 or more, not \"$value\"");
        }
        return (float) $value;
    }
}
