<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\ExitCode;
use Tusk\Terminal\MissingExtension;
use Tusk\Terminal\Screen;
use Tusk\Terminal\Topics;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Proxy\BadRoutes;
use Tusk\Proxy\BadSetting;
use Tusk\Proxy\Dns;
use Tusk\Proxy\Field;
use Tusk\Proxy\Kind;
use Tusk\Proxy\Map;
use Tusk\Proxy\Resolver;
use Tusk\Proxy\Settings;

/** `tusk proxy tcp`, `tusk proxy http`, `tusk proxy smtp`: a proxy made of options and environment variables. */
final class ProxyKindCommand extends Command implements Topics
{
    /** Options that other kinds than these have no use for. */
    private const TCP_ONLY = ['first', 'wait', 'protocol', 'mysql-version'];
    private const HTTP_ONLY = ['forwarding'];
    private const NOT_SMTP = ['engine', 'sockmap', 'bpf-object'];
    private const LISTS = ['listen', 'to', 'allow', 'trust', 'admin', 'limit'];
    private const SWITCHES = ['sockmap', 'any-address', 'proxy-protocol', 'client-optional'];

    /** On the first screen. */
    private const DAILY = ['listen', 'to', 'map', 'by', 'dns', 'allow', 'certificate', 'key', 'protocol', 'workers', 'admin', 'access-log', 'connections', 'drain'];
    private const TOPICS = [
        'routes' => ['listen', 'to', 'map', 'by', 'dns', 'allow', 'any-address'],
        'tls' => ['certificate', 'key', 'client-ca', 'client-optional', 'client-crl', 'downstream-tls', 'upstream-tls', 'upstream-ca'],
        'protocol' => ['first', 'wait', 'protocol', 'mysql-version', 'forwarding', 'trust', 'proxy-protocol', 'send-proxy'],
        'process' => ['engine', 'sockmap', 'bpf-object', 'workers', 'user', 'group', 'admin', 'access-log'],
        'limits' => ['connections', 'per-source', 'per-target', 'queue', 'connect-timeout', 'idle-timeout', 'resolve-timeout', 'drain', 'limit'],
    ];

    private const HELP = [
        'listen' => 'ADDRESS  127.0.0.1:5432, [::]:5432?connections=100, localhost:5432 or unix:/run/p.sock; may be given again',
        'to' => 'TARGET  where clients go, 10.0.0.7:5432*3 with a weight; may be given again',
        'map' => 'FILE  a line is a key and its targets; read again when it changes',
        'by' => 'FIELD  what is looked up in the map: serverName, host, user, database, domain, peer, …',
        'dns' => 'PATTERN  a name made of fields: db-{database}.internal:5432',
        'engine' => 'copy, splice, uring or sockmap (splice)',
        'first' => 'who speaks first: server, client or wait (server with --to, else wait)',
        'wait' => 'TIME  for the first byte, with --first wait (200ms)',
        'protocol' => 'auto, raw, tls, postgres or mysql (raw with --to, else auto)',
        'mysql-version' => 'TEXT  what MySQL clients take for the server\'s version (8.0.11-tusk)',
        'sockmap' => 'let the kernel relay, where it can',
        'bpf-object' => 'FILE  a BPF object instead of the one built in (--sockmap)',
        'workers' => 'N  processes that share the port, or auto: one for each processor (1)',
        'user' => 'NAME  whom they run as; who starts this binds',
        'group' => 'NAME  the same (the user\'s)',
        'allow' => 'RANGE  addresses that targets may have beside public ones; may be given again',
        'any-address' => 'targets may have any address',
        'certificate' => 'FILE  PEM; TLS ends here',
        'key' => 'FILE  PEM',
        'client-ca' => 'FILE  clients must show a certificate of it',
        'client-optional' => 'those that show none are served as well; the certificate is a field of routes (--by)',
        'client-crl' => 'FILE  certificates that were revoked are refused',
        'downstream-tls' => 'disable, allow or require (allow)',
        'upstream-tls' => 'disable, prefer or require (disable)',
        'upstream-ca' => 'FILE  checks backends; without it they are not checked',
        'trust' => 'RANGE  whose PROXY header is believed; may be given again',
        'proxy-protocol' => 'those of --trust must send one',
        'send-proxy' => '1 or 2: a PROXY header is sent to targets of --to (0)',
        'admin' => 'ADDRESS  GET /metrics and /health',
        'access-log' => 'FILE  a line of JSON for each session; --access-log=- is standard output',
        'forwarding' => 'off, append or set: X-Forwarded-*, Forwarded and Via towards targets (append)',
        'connections' => 'N  clients at once (100k)',
        'per-source' => 'N  of one address (0: no limit)',
        'per-target' => 'N  connections to one target (0: no limit)',
        'queue' => 'TIME  for a place where all targets are full (0: refused at once)',
        'connect-timeout' => 'TIME  (5s)',
        'idle-timeout' => 'TIME  (0: none)',
        'resolve-timeout' => 'TIME  (5s)',
        'drain' => 'TIME  after SIGTERM (30s)',
        'limit' => 'NAME=VALUE  any other of Limits: checkMs=2s, ageMs=1h; may be given again',
    ];

    public function __construct(private readonly Kind $kind)
    {
        parent::__construct("proxy:{$kind->value}");
    }

    protected function configure(): void
    {
        $this->setDescription('Run ' . ['tcp' => 'a TCP', 'http' => 'an HTTP', 'smtp' => 'an SMTP'][$this->kind->value] . ' proxy made of options');
        foreach ($this->help() as $name => $help) {
            $mode = match (true) {
                in_array($name, self::SWITCHES, true) => InputOption::VALUE_NONE,
                in_array($name, self::LISTS, true) => InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                default => InputOption::VALUE_REQUIRED,
            };
            $this->addOption($name, null, $mode, $help);
        }
    }

    public function screen(): string
    {
        return $this->usage() . $this->rows(self::DAILY)
            . "\nMore: --help=" . implode(', ', $this->topics()) . " or all.\n"
            . "Each option has a variable, {$this->variable('LISTEN')}, {$this->variable('BACKEND_ENDPOINT')}, …: --help=all.\n" . ExitCode::help([0 => 'drained']);
    }

    public function topics(): array
    {
        return array_values(array_filter(array_keys(self::TOPICS), fn (string $topic): bool => $this->rows(self::TOPICS[$topic]) !== ''));
    }

    public function topic(string $topic): string
    {
        if ($topic !== self::ALL) {
            return $this->usage() . $this->rows(self::TOPICS[$topic]);
        }
        $text = $this->usage();
        foreach ($this->topics() as $each) {
            $text .= $this->rows(self::TOPICS[$each]) . "\n";
        }

        return $text . "Each has a variable: --listen {$this->variable('LISTEN')}, --to {$this->variable('BACKEND_ENDPOINT')}, --any-address {$this->variable('SKIP_VALIDATION')}, "
            . ($this->kind === Kind::Smtp ? '' : "--sockmap {$this->variable('SOCKMAP_ENABLED')}, ") . "--certificate {$this->variable('TLS_CERTIFICATE')}, …; the command line comes first.\n\n"
            . ExitCode::help([0 => 'drained']);
    }

    private function usage(): string
    {
        $verb = "tusk proxy {$this->kind->value}";

        return "usage: $verb --listen ADDRESS --to TARGET [options]\n\n"
            . "  $verb --listen 127.0.0.1:" . ['tcp' => '5432', 'http' => '8080', 'smtp' => '2525'][$this->kind->value]
            . ' --to 10.0.0.7:' . ['tcp' => '5432', 'http' => '80', 'smtp' => '25'][$this->kind->value] . "\n\n";
    }

    private function variable(string $name): string
    {
        return strtoupper($this->kind->value) . "_$name";
    }

    /** @param list<string> $names those that this kind has are told */
    private function rows(array $names): string
    {
        $rows = [];
        foreach (array_intersect($names, array_keys($this->help())) as $name) {
            preg_match('~^(?:([A-Z][A-Z=]*)  )?(.*)$~s', self::HELP[$name], $m);
            $rows[] = [rtrim("--$name " . ($m[1] ?? '')), $m[2] ?? ''];
        }

        return Screen::rows($rows, 24);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        if (!extension_loaded('tusk')) {
            throw MissingExtension::forCommand("proxy {$this->kind->value}");
        }
        try {
            $settings = Settings::of($this->kind, $this->given($input));
            $resolver = $this->resolver($input);
            $proxy = $settings->proxy($resolver);
        } catch (BadSetting | BadRoutes | \ValueError $fault) {
            throw new InvalidOptionException(self::said($fault), previous: $fault);
        }
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        $private = $resolver instanceof Map && $settings->publicOnly() ? $resolver->privateTargets() : [];
        if ($private !== []) {
            $errors->writeln('warning: the map leads to addresses that are not public (' . implode(', ', array_slice($private, 0, 3)) . (count($private) > 3 ? ', …' : '')
                . '): clients are refused there unless they are allowed, by --allow 10.0.0.0/8 for instance');
        }
        $proxy->onError(self::log(...));
        $proxy->onListen(static fn () => $errors->writeln("listening, the first port is {$proxy->port}"));
        $proxy->onStart(static function () use ($proxy, $errors): void {
            if ($proxy->worker() === null) { // of several each has its own
                $errors->writeln("engine: {$proxy->engine()}");
            }
        });

        return $proxy->run();
    }

    /** A file of routes is the operator's: its fault has a place there and none in our code. */
    private static function log(\Throwable $fault): void
    {
        error_log('Tusk: ' . ($fault instanceof BadRoutes ? "{$fault->getMessage()}; the routes of before stay" : "uncaught $fault"));
    }

    /** Of an argument of the class it is the option's name that somebody typed. */
    private static function said(\Throwable $fault): string
    {
        $said = (string) preg_replace(
            ['~^Tusk\\\\Proxy\\\\\w+::admin\(\): Argument #1 \(\$address\)~', '~^Tusk\\\\Proxy\\\\\w+: (?=no address or range of a trusted proxy)~'],
            ['--admin', '--trust: '],
            $fault->getMessage(),
        );

        return (string) preg_replace_callback(
            '~^Tusk\\\\Proxy\\\\\w+::__construct\(\): Argument #\d+ \(\$(\w+)\)~',
            static fn (array $m): string => '--' . strtolower((string) preg_replace('~[A-Z]~', '-$0', $m[1])),
            $said,
        );
    }

    /** @return array<string, string> by the names of Settings */
    private function given(InputInterface $input): array
    {
        $given = [];
        foreach (array_keys(Settings::VARIABLES) as $name) {
            $value = $input->hasOption($name) ? $input->getOption($name) : null;
            $given[$name] = match (true) {
                is_array($value) => implode(',', array_filter($value, is_string(...))),
                is_string($value) => $value,
                default => $value === true ? 'true' : '',
            };
        }

        return $given;
    }

    private function resolver(InputInterface $input): ?Resolver
    {
        $map = $input->getOption('map');
        $by = $input->getOption('by');
        $dns = $input->getOption('dns');
        if (is_string($dns) && ($map !== null || $by !== null)) {
            throw new InvalidOptionException('--dns and --map are two ways: give one');
        }
        if (is_string($dns)) {
            return new Dns($dns);
        }
        if (!is_string($map) && !is_string($by)) {
            return null;
        }
        if (!is_string($map) || !is_string($by)) {
            throw new InvalidOptionException('--map and --by go together');
        }
        $field = Field::tryFrom($by);
        if ($field === null) {
            throw new InvalidOptionException("--by is one of " . implode(', ', array_column(Field::cases(), 'value')) . ", not \"$by\"");
        }

        return new Map($map, $field);
    }

    /** @return array<string, string> */
    private function help(): array
    {
        $left = [...$this->kind === Kind::Tcp ? [] : self::TCP_ONLY, ...$this->kind === Kind::Http ? [] : self::HTTP_ONLY,
            ...$this->kind === Kind::Smtp ? self::NOT_SMTP : []];
        if ($this->kind === Kind::Http) {
            $left[] = 'downstream-tls';
        }

        return array_diff_key(self::HELP, array_flip($left));
    }
}
