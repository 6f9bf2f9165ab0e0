<?php

declare(strict_types=1);

namespace Tusk\Proxy;

use Tusk\Tls;
use Tusk\Terminal\Units;

/**
 * What an operator says about a proxy outside of PHP: words of the command line over environment variables over defaults. `listen` of a TCP
 * proxy is TCP_LISTEN, of an HTTP proxy HTTP_LISTEN, and so on; a few have the names that operators know from elsewhere.
 */
final readonly class Settings
{
    /** Names of settings, and how their variables end. */
    public const VARIABLES = [
        'listen' => 'LISTEN',
        'to' => 'BACKEND_ENDPOINT',
        'engine' => 'ENGINE',
        'first' => 'FIRST',
        'wait' => 'WAIT',
        'protocol' => 'PROTOCOL',
        'mysql-version' => 'MYSQL_VERSION',
        'sockmap' => 'SOCKMAP_ENABLED',
        'bpf-object' => 'SOCKMAP_BPF_OBJECT',
        'workers' => 'WORKERS',
        'user' => 'RUN_USER',
        'group' => 'RUN_GROUP',
        'allow' => 'ALLOW',
        'any-address' => 'SKIP_VALIDATION',
        'certificate' => 'TLS_CERTIFICATE',
        'key' => 'TLS_KEY',
        'client-ca' => 'TLS_CLIENT_CA',
        'client-optional' => 'TLS_CLIENT_OPTIONAL',
        'client-crl' => 'TLS_CLIENT_CRL',
        'downstream-tls' => 'TLS',
        'upstream-tls' => 'UPSTREAM_TLS',
        'upstream-ca' => 'UPSTREAM_CA',
        'trust' => 'TRUSTED_PROXIES',
        'proxy-protocol' => 'PROXY_PROTOCOL',
        'send-proxy' => 'SEND_PROXY',
        'admin' => 'ADMIN',
        'access-log' => 'ACCESS_LOG',
        'forwarding' => 'FORWARDING',
        'connections' => 'CONNECTIONS',
        'per-source' => 'PER_SOURCE',
        'per-target' => 'PER_TARGET',
        'queue' => 'QUEUE',
        'connect-timeout' => 'CONNECT_TIMEOUT',
        'idle-timeout' => 'IDLE_TIMEOUT',
        'resolve-timeout' => 'RESOLVE_TIMEOUT',
        'drain' => 'DRAIN',
        'limit' => 'LIMITS',
    ];

    /** Limits that have an option of their own. */
    private const OPTIONS = [
        'connections' => 'connections',
        'perSource' => 'per-source',
        'perTarget' => 'per-target',
        'waitMs' => 'wait',
        'connectMs' => 'connect-timeout',
        'idleMs' => 'idle-timeout',
        'resolveMs' => 'resolve-timeout',
        'drainMs' => 'drain',
        'queueMs' => 'queue',
    ];

    /** @param array<string, string> $values by the names of VARIABLES; empty ones are as if they were not given */
    private function __construct(public Kind $kind, private array $values) {}

    /**
     * @param array<string, string>      $given       by the names of VARIABLES
     * @param array<string, string>|null $environment null: the process's
     */
    public static function of(Kind $kind, array $given = [], ?array $environment = null): self
    {
        $environment ??= getenv();
        $values = array_filter($given, static fn (string $value): bool => $value !== '');
        foreach (self::VARIABLES as $name => $end) {
            $value = $environment[strtoupper($kind->value) . "_$end"] ?? '';
            if ($value !== '' && !isset($values[$name])) {
                $values[$name] = $value;
            }
        }

        return new self($kind, $values);
    }

    /**
     * A proxy that is ready to run.
     *
     * @param Resolver|null $resolver null: a fixed one to `to`
     *
     * @throws BadSetting
     */
    public function proxy(?Resolver $resolver = null): Tcp|Http|Smtp
    {
        $listeners = array_map(fn (string $text): ListenerWords => ListenerWords::of($text, $this->name('listen'), $this->kind), $this->list('listen'));
        if ($listeners === []) {
            throw BadSetting::missing($this->name('listen'), 'an address such as 127.0.0.1:8080');
        }
        $plain = array_filter($listeners, static fn (ListenerWords $one): bool => $one->options !== []) === [];
        $fixed = $resolver === null;
        $resolver ??= $this->fixed();
        $words = LimitWords::of($this->list('limit'), $this->name('limit'), $this->kind);
        $common = [
            'resolver' => $resolver,
            'listen' => $plain ? array_map(static fn (ListenerWords $one): string => $one->address, $listeners) : [],
            'validation' => $this->validation($fixed),
            'tls' => $this->tls(),
            'upstream' => $this->upstream(),
            'trustedProxies' => $this->list('trust'),
            'proxyProtocol' => $this->header(),
            'limits' => $this->limits($words->limits),
            'workers' => strtolower($this->values['workers'] ?? '') === 'auto' ? 'auto' : $this->number('workers', 1),
            'user' => $this->values['user'] ?? null,
            'group' => $this->values['group'] ?? null,
        ];
        $relay = fn (): array => [
            'engine' => $this->one('engine', ['copy' => Engine::Copy, 'splice' => Engine::Splice, 'uring' => Engine::Uring, 'sockmap' => Engine::Splice], Engine::Splice),
            'sockmap' => $this->sockmap(),
            'bpfObject' => $this->values['bpf-object'] ?? null,
        ];
        $proxy = match ($this->kind) {
            Kind::Tcp => new Tcp(
                ...[...$common, ...$relay()],
                first: $this->one('first', ListenerWords::FIRST, $fixed ? First::Server : First::Wait),
                protocol: $this->one('protocol', ListenerWords::PROTOCOL, $fixed ? Protocol::Raw : Protocol::Auto),
                downstream: $this->downstream(),
                mysqlVersion: $this->mysqlVersion(),
            ),
            Kind::Http => new Http(...[...$common, ...$relay()], forwarding: $this->forwarding(), http: $this->limited(HttpLimits::class, $words->http)),
            Kind::Smtp => new Smtp(...$common, downstream: $this->downstream()),
        };
        foreach ($plain ? [] : $listeners as $one) {
            $this->listen($proxy, $one);
        }
        foreach ($this->list('admin') as $address) {
            $proxy->admin($address);
        }
        if (isset($this->values['access-log'])) {
            $proxy->onAccess($this->accessLog($this->values['access-log']));
        }

        return $proxy;
    }

    /** One that has something of its own, or stands beside such. */
    private function listen(Tcp|Http|Smtp $proxy, ListenerWords $one): void
    {
        try {
            if ($proxy instanceof Tcp) {
                $proxy->listen($one->address, ...$one->options);
            } else {
                $proxy->listen($one->address, connections: $one->options['connections'] ?? null);
            }
        } catch (\ValueError $fault) {
            if (!str_contains($fault->getMessage(), '::listen()')) {
                throw $fault; // about the address, in words of its own
            }
            throw BadSetting::outOfRange($this->name('listen'), (string) preg_replace('~^.*\(\$(\w+)\)~', '$1', $fault->getMessage()));
        }
    }

    /** Whether trusted balancers must send a PROXY header. */
    private function header(): bool
    {
        $demanded = $this->switch('proxy-protocol');
        if ($demanded && $this->list('trust') === []) {
            throw BadSetting::missing($this->name('trust'), "the addresses of the balancers that {$this->name('proxy-protocol')} is about, such as 10.0.0.0/8");
        }

        return $demanded;
    }

    private function fixed(): Fixed
    {
        $to = $this->list('to');
        if ($to === []) {
            throw BadSetting::missing($this->name('to'), 'where clients are sent to, such as 10.0.0.7:5432');
        }
        $version = $this->one('send-proxy', ['0' => 0, '1' => 1, '2' => 2], 0);
        try {
            $targets = array_map(Weighted::target(...), $to);
        } catch (\ValueError) {
            throw BadSetting::of($this->name('to'), implode(',', $to), 'host:port, [IPv6]:port or unix:/path, with a weight host:port*3');
        }
        try {
            return new Fixed($targets, proxyProtocol: $version);
        } catch (\ValueError $fault) { // there are too many of them
            throw BadSetting::outOfRange($this->name('to'), (string) preg_replace('~^.* must be ~', '', $fault->getMessage()));
        }
    }

    /** Whether targets of a resolver must be public addresses. */
    public function publicOnly(): bool
    {
        return !$this->switch('any-address') && $this->list('allow') === [];
    }

    /** Targets that the operator named may be anywhere; those of a resolver are public unless allowed. */
    private function validation(bool $fixed): Validation
    {
        $allowed = $this->list('allow');
        if ($this->switch('any-address') || ($fixed && $allowed === [])) {
            return Validation::none();
        }
        try {
            return Validation::publicOnly()->allow(...$allowed);
        } catch (\ValueError) {
            throw BadSetting::of($this->name('allow'), implode(',', $allowed), 'ranges such as 10.0.0.0/8');
        }
    }

    private function sockmap(): Sockmap
    {
        $object = $this->values['bpf-object'] ?? '';
        if ($object !== '' && !is_readable($object)) {
            throw BadSetting::of($this->name('bpf-object'), $object, 'a readable file (Tusk brings its own program along: leave it out)');
        }

        return $this->switch('sockmap') || ($this->values['engine'] ?? '') === 'sockmap' ? Sockmap::On : Sockmap::Off;
    }

    private function mysqlVersion(): ?string
    {
        $version = $this->values['mysql-version'] ?? null;
        if ($version !== null && strlen($version) > 63) {
            throw BadSetting::of($this->name('mysql-version'), $version, 'at most 63 bytes such as 8.0.36');
        }

        return $version;
    }

    private function tls(): ?Tls
    {
        $certificate = $this->values['certificate'] ?? null;
        $key = $this->values['key'] ?? null;
        $optional = $this->switch('client-optional');
        if ($optional && !isset($this->values['client-ca'])) {
            $this->demands('client-optional', 'client-ca', 'nobody is asked for a certificate without one');
        }
        if (!isset($this->values['client-ca'])) {
            $this->demands('client-crl', 'client-ca', 'nobody is asked for a certificate without one');
        }
        if ($certificate === null && $key === null) {
            $this->demands('client-ca', 'certificate', 'clients show their certificates to one');
            if ($this->downstream() === TlsMode::Require) {
                $this->demands('downstream-tls', 'certificate', 'clients cannot be made to use TLS without one');
            }

            return null;
        }
        if ($certificate === null || $key === null) {
            throw BadSetting::missing($this->name($key === null ? 'key' : 'certificate'), 'certificate and key go together');
        }

        return new Tls($certificate, $key, clientCa: $this->values['client-ca'] ?? null, clientOptional: $optional, clientCrl: $this->values['client-crl'] ?? null);
    }

    /** What is asked for here would be left undone without another setting: safety that is not there. */
    private function demands(string $name, string $other, string $why): void
    {
        if (isset($this->values[$name])) {
            throw BadSetting::missing($this->name($other), "{$this->name($name)} needs it, $why");
        }
    }

    private function downstream(): TlsMode
    {
        return $this->one('downstream-tls', ListenerWords::DOWNSTREAM, TlsMode::Allow);
    }

    private function upstream(): ?UpstreamTls
    {
        $mode = $this->one('upstream-tls', ['disable' => null, 'prefer' => false, 'require' => true], null);
        if ($mode === null) {
            $this->demands('upstream-ca', 'upstream-tls', 'nothing is checked where no TLS is spoken; require or prefer');
        }

        return $mode === null ? null : new UpstreamTls(require: $mode, verify: isset($this->values['upstream-ca']), ca: $this->values['upstream-ca'] ?? null);
    }

    /** @return \Closure(Access): void */
    private function accessLog(string $path): \Closure
    {
        try {
            return AccessLog::to($path === '-' ? 'php://stdout' : $path);
        } catch (\RuntimeException) {
            throw BadSetting::of($this->name('access-log'), $path, 'a file that can be written, or - for standard output');
        }
    }

    private function forwarding(): Forwarding
    {
        $mode = $this->one('forwarding', ['off' => Forward::Off, 'append' => Forward::Append, 'set' => Forward::Set], Forward::Append);

        return new Forwarding($mode, $mode, $mode);
    }

    /** @param array<string, int> $words what --limit says, which goes before the options of their own */
    private function limits(array $words): Limits
    {
        return $this->limited(Limits::class, $words + [
            'connections' => $this->number('connections', 100_000),
            'perSource' => $this->number('per-source', 0),
            'perTarget' => $this->number('per-target', 0),
            'waitMs' => $this->milliseconds('wait', 200),
            'connectMs' => $this->milliseconds('connect-timeout', 5000),
            'idleMs' => $this->milliseconds('idle-timeout', 0),
            'resolveMs' => $this->milliseconds('resolve-timeout', 5000),
            'drainMs' => $this->milliseconds('drain', 30_000),
            'queueMs' => $this->milliseconds('queue', 0),
        ], array_diff_key(self::OPTIONS, $words));
    }

    /**
     * @template T of Limits|HttpLimits
     *
     * @param class-string<T>    $class
     * @param array<string, int>    $values
     * @param array<string, string> $options by the limit, of those that were not given as a word
     *
     * @return T
     */
    private function limited(string $class, array $values, array $options = []): Limits|HttpLimits
    {
        try {
            return new $class(...$values);
        } catch (\ValueError $fault) {
            $name = preg_match('~\(\$(\w+)\)~', $fault->getMessage(), $found) === 1 ? $found[1] : '';
            $what = (string) preg_replace('~^.*\(\$(\w+)\)~', '$1', $fault->getMessage());
            throw BadSetting::outOfRange($this->name($options[$name] ?? 'limit'), $what);
        }
    }

    /** @return list<string> */
    private function list(string $name): array
    {
        return preg_split('~[\s,]+~', $this->values[$name] ?? '', -1, PREG_SPLIT_NO_EMPTY) ?: [];
    }

    private function switch(string $name): bool
    {
        return $this->one($name, ListenerWords::SWITCH, false);
    }

    private function number(string $name, int $otherwise): int
    {
        return $this->read($name, Units::count(...), 'a number such as 500 or 10k') ?? $otherwise;
    }

    private function milliseconds(string $name, int $otherwise): int
    {
        return $this->read($name, Units::milliseconds(...), 'a time such as 500ms, 5s or 10m') ?? $otherwise;
    }

    /** @param \Closure(string): int $as throws \ValueError for what is none */
    private function read(string $name, \Closure $as, string $what): ?int
    {
        $value = $this->values[$name] ?? null;
        try {
            return $value === null ? null : $as($value);
        } catch (\ValueError) {
            throw BadSetting::of($this->name($name), (string) $value, $what);
        }
    }

    /**
     * @template T
     *
     * @param array<array-key, T> $known
     * @param T                   $otherwise
     *
     * @return T
     */
    private function one(string $name, array $known, mixed $otherwise): mixed
    {
        $value = strtolower($this->values[$name] ?? '');
        if ($value === '') {
            return $otherwise;
        }
        if (!array_key_exists($value, $known)) {
            throw BadSetting::noneOf($this->name($name), $value, array_map(strval(...), array_keys($known)));
        }

        return $known[$value];
    }

    private function name(string $setting): string
    {
        return "--$setting (" . strtoupper($this->kind->value) . '_' . self::VARIABLES[$setting] . ')';
    }
}
