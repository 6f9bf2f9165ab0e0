<?php

declare(strict_types=1);

namespace Tusk\Tests\Proxy;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Tusk\Proxy\BadSetting;
use Tusk\Proxy\Http;
use Tusk\Proxy\Kind;
use Tusk\Proxy\Settings;
use Tusk\Proxy\LimitWords;
use Tusk\Proxy\ListenerWords;
use Tusk\Proxy\Tcp;
use Tusk\Proxy\Weighted;
use Tusk\Timer;

#[RequiresPhpExtension('tusk')]
#[CoversClass(Settings::class)]
#[CoversClass(BadSetting::class)]
#[CoversClass(LimitWords::class)]
#[CoversClass(ListenerWords::class)]
#[CoversClass(Weighted::class)]
final class SettingsTest extends TestCase
{
    public function testTheCommandLineComesBeforeTheEnvironment(): void
    {
        $environment = ['TCP_LISTEN' => '127.0.0.1:0', 'TCP_BACKEND_ENDPOINT' => '127.0.0.1:7002', 'HTTP_LISTEN' => 'not mine', 'TCP_ENGINE' => 'copy'];

        self::assertGreaterThan(0, $this->port($environment));
        $this->expectExceptionMessage('"given"');
        $this->port($environment, ['listen' => 'given', 'to' => '']);
    }

    public function testEveryVariableIsTaken(): void
    {
        $proxy = Settings::of(Kind::Tcp, [], [
            'TCP_LISTEN' => '127.0.0.1:0, [::1]:0', 'TCP_BACKEND_ENDPOINT' => '10.0.0.7:5432,[fd00::7]:5432', 'TCP_ENGINE' => 'splice', 'TCP_FIRST' => 'wait',
            'TCP_PROTOCOL' => 'postgres', 'TCP_SOCKMAP_ENABLED' => 'true', 'TCP_SOCKMAP_BPF_OBJECT' => __FILE__, 'TCP_WORKERS' => '1',
            'TCP_ALLOW' => '10.0.0.0/8 fd00::/8', 'TCP_SKIP_VALIDATION' => 'false', 'TCP_TRUSTED_PROXIES' => '127.0.0.1', 'TCP_PROXY_PROTOCOL' => '1',
            'TCP_SEND_PROXY' => '2', 'TCP_ADMIN' => '127.0.0.1:0', 'TCP_ACCESS_LOG' => 'php://stderr', 'TCP_CONNECTIONS' => '20k', 'TCP_PER_SOURCE' => '5', 'TCP_PER_TARGET' => '100', 'TCP_QUEUE' => '5s', 'TCP_WAIT' => '1s',
            'TCP_CONNECT_TIMEOUT' => '500ms', 'TCP_IDLE_TIMEOUT' => '10m', 'TCP_RESOLVE_TIMEOUT' => '2', 'TCP_DRAIN' => '1.5s', 'TCP_TLS' => 'allow',
            'TCP_LIMITS' => 'checkMs=2s,keepIdleS=1m backlog=1k pendingBytes=64KiB', 'TCP_UPSTREAM_TLS' => 'prefer', 'TCP_RUN_USER' => 'root', 'TCP_RUN_GROUP' => '0',
        ])->proxy();

        self::assertInstanceOf(Tcp::class, $proxy);
        self::assertNotSame('', $proxy->engine());
    }

    public function testLimitsOfTargetsAndTimesAreReadAsTheyAreWritten(): void
    {
        $given = ['listen' => '127.0.0.1:0', 'to' => '10.0.0.7:1'];
        foreach (['per-target' => 'many', 'queue' => '5 apples', 'wait' => '-1s'] as $name => $value) {
            try {
                Settings::of(Kind::Tcp, [$name => $value] + $given, [])->proxy();
                self::fail("--$name $value is taken");
            } catch (BadSetting $fault) {
                self::assertStringContainsString("--$name (TCP_", $fault->getMessage());
                self::assertStringContainsString("\"$value\"", $fault->getMessage());
            }
        }
    }

    public function testEveryLimitHasAWord(): void
    {
        $words = LimitWords::of(['checkMs=2s', 'firstMs=1500', 'ageMs=1h', 'keepIdleS=2m', 'keepCount=4', 'pendingBytes=64KiB', 'firstBytes=16k', 'routes=70k', 'idleMs=1.5s'], '--limit', Kind::Tcp);
        self::assertSame(
            ['checkMs' => 2000, 'firstMs' => 1500, 'ageMs' => 3_600_000, 'keepIdleS' => 120, 'keepCount' => 4, 'pendingBytes' => 65_536,
                'firstBytes' => 16_384, 'routes' => 70_000, 'idleMs' => 1500],
            $words->limits,
        );
        $words = LimitWords::of(['idleMs=1s', 'http.idleMs=3s', 'http.poolSize=9'], '--limit', Kind::Http);
        self::assertSame([['idleMs' => 1000], ['idleMs' => 3000, 'poolSize' => 9]], [$words->limits, $words->http]);
        self::assertInstanceOf(Http::class, Settings::of(Kind::Http, ['listen' => '127.0.0.1:0', 'to' => '10.0.0.7:80*3,10.0.0.8:80', 'limit' => 'http.poolSize=9,checkMs=1s'], [])->proxy());
    }

    /** Its probes are seen, so what the word says is what the proxy does. */
    public function testALimitGivenAsAWordIsTheProxys(): void
    {
        $backend = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($backend);
        $to = (string) stream_socket_get_name($backend, false);
        $proxy = Settings::of(Kind::Tcp, ['listen' => '127.0.0.1:0', 'to' => $to, 'limit' => 'checkMs=20'], [])->proxy();
        $proxy->onStart(static function () use ($proxy): void {
            $client = stream_socket_client("tcp://127.0.0.1:{$proxy->port}");
            for ($tries = 0; $tries < 2000 && $proxy->stats()['probes'] < 3; $tries++) {
                Timer::sleep(0.01);
            }
            self::assertIsResource($client);
            fclose($client);
            $proxy->stop();
            $proxy->stop();
        });

        self::assertSame(0, $proxy->run());
        self::assertGreaterThanOrEqual(3, $proxy->stats()['probes']);
    }

    /** The second listener's place is free while the first one's only one is taken. */
    public function testAListenerHasWordsOfItsOwn(): void
    {
        $backend = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($backend);
        $other = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($other);
        $second = (string) stream_socket_get_name($other, false);
        fclose($other);
        $environment = ['TCP_LISTEN' => "127.0.0.1:0?connections=1&first=client&waitMs=2s $second", 'TCP_BACKEND_ENDPOINT' => (string) stream_socket_get_name($backend, false)];
        $proxy = Settings::of(Kind::Tcp, [], $environment)->proxy();
        $proxy->onStart(static function () use ($proxy, $second): void {
            $active = static function (int $count) use ($proxy): void {
                for ($tries = 0; $tries < 2000 && $proxy->stats()['active'] !== $count; $tries++) {
                    Timer::sleep(0.01);
                }
                self::assertSame($count, $proxy->stats()['active']);
            };
            $clients = [stream_socket_client("tcp://127.0.0.1:{$proxy->port}"), stream_socket_client("tcp://127.0.0.1:{$proxy->port}")];
            $active(1);
            $clients[] = stream_socket_client("tcp://$second");
            $active(2);
            self::assertSame(1, $proxy->stats()['dials'], 'who has to speak first has not'); // the plain listener's alone: --to routes at accept
            self::assertNotContains(false, $clients);
            $proxy->stop();
            $proxy->stop();
        });

        self::assertSame(0, $proxy->run());
    }

    public function testUpgradesThroughAnHttpProxyHaveItsEngine(): void
    {
        $common = ['HTTP_LISTEN' => '127.0.0.1:0', 'HTTP_BACKEND_ENDPOINT' => '10.0.0.7:80'];
        self::assertSame('enabled (splice)', Settings::of(Kind::Http, [], $common)->proxy()->engine());
        self::assertSame('enabled (copy)', Settings::of(Kind::Http, [], ['HTTP_ENGINE' => 'copy'] + $common)->proxy()->engine());
        self::assertStringNotContainsString('only', Settings::of(Kind::Http, [], ['HTTP_SOCKMAP_ENABLED' => '1'] + $common)->proxy()->engine());
        $this->expectException(BadSetting::class);
        Settings::of(Kind::Http, [], ['HTTP_ENGINE' => 'magic'] + $common)->proxy();
    }

    /** @return iterable<string, array{Kind, string, string, string}> */
    public static function crews(): iterable
    {
        yield 'TCP workers' => [Kind::Tcp, 'TCP_WORKERS', '65', 'between 1 and 64, 65 given'];
        yield 'HTTP workers' => [Kind::Http, 'HTTP_WORKERS', '0', 'between 1 and 64, 0 given'];
        yield 'SMTP workers' => [Kind::Smtp, 'SMTP_WORKERS', '65', 'between 1 and 64, 65 given'];
        yield 'user' => [Kind::Http, 'HTTP_RUN_USER', 'nobody-is-called-so', '"nobody-is-called-so" given'];
        yield 'group' => [Kind::Smtp, 'SMTP_RUN_GROUP', 'nobody-is-called-so', '"nobody-is-called-so" given'];
    }

    #[DataProvider('crews')]
    public function testWorkersAndWhoTheyAreReachTheProxy(Kind $kind, string $variable, string $value, string $message): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage($message);
        Settings::of($kind, ['listen' => '127.0.0.1:0', 'to' => '10.0.0.7:1'], [$variable => $value])->proxy();
    }

    public function testWorkersMayBeAutomatic(): void
    {
        foreach (Kind::cases() as $kind) {
            $given = ['listen' => '127.0.0.1:0', 'to' => '10.0.0.7:1'];
            $proxy = Settings::of($kind, $given, [strtoupper($kind->value) . '_WORKERS' => 'Auto'])->proxy();
            self::assertNull($proxy->worker());
        }
        $this->expectException(BadSetting::class);
        Settings::of(Kind::Tcp, $given, ['TCP_WORKERS' => 'automatic'])->proxy();
    }

    public function testForwardingIsOfHttpProxies(): void
    {
        $given = ['listen' => '127.0.0.1:0', 'to' => '10.0.0.7:1'];

        self::assertInstanceOf(Http::class, Settings::of(Kind::Http, $given, ['HTTP_FORWARDING' => 'set'])->proxy());
        self::assertInstanceOf(Tcp::class, Settings::of(Kind::Tcp, $given, ['TCP_FORWARDING' => 'sideways'])->proxy());
        $this->expectExceptionMessage('off, append, set');
        Settings::of(Kind::Http, $given, ['HTTP_FORWARDING' => 'sideways'])->proxy();
    }

    /** @return iterable<string, array{array<string, string>, string}> */
    public static function faults(): iterable
    {
        yield 'no listener' => [['listen' => ''], 'TCP_LISTEN'];
        yield 'no target' => [['to' => ''], 'TCP_BACKEND_ENDPOINT'];
        yield 'more targets than a route has' => [['to' => implode(',', array_fill(0, 65, '10.0.0.7:1'))], '(TCP_BACKEND_ENDPOINT): 64 targets at most, 65 given'];
        yield 'a target that is none' => [['to' => 'nonsense'], 'not "nonsense"'];
        yield 'an engine that is none' => [['engine' => 'magic'], 'copy, splice, uring, sockmap'];
        yield 'a switch that is none' => [['any-address' => 'maybe'], 'TCP_SKIP_VALIDATION'];
        yield 'a range that is none' => [['allow' => '10.0.0.7/8'], 'TCP_ALLOW'];
        yield 'a number that is none' => [['connections' => 'many'], 'TCP_CONNECTIONS'];
        yield 'a time that is none' => [['drain' => 'soon'], '500ms, 5s or 10m'];
        yield 'a key without a certificate' => [['key' => 'key.pem'], 'TCP_TLS_CERTIFICATE'];
        yield 'a certificate without a key' => [['certificate' => 'cert.pem'], 'TCP_TLS_KEY'];
        yield 'who signs clients, and no certificate to show them' => [['client-ca' => 'ca.pem'], 'TCP_TLS_CERTIFICATE'];
        yield 'clients may show a certificate, and nobody signs them' => [['client-optional' => 'true'], 'TCP_TLS_CLIENT_CA'];
        yield 'certificates of clients are taken back, and nobody signs them' => [['client-crl' => 'crl.pem'], 'TCP_TLS_CLIENT_CA'];
        yield 'clients must use TLS, and there is no certificate' => [['downstream-tls' => 'require'], 'TCP_TLS_CERTIFICATE'];
        yield 'who signs backends, and no TLS towards them' => [['upstream-ca' => 'ca.pem'], 'TCP_UPSTREAM_TLS'];
        yield 'the same, and TLS is off' => [['upstream-ca' => 'ca.pem', 'upstream-tls' => 'disable'], 'TCP_UPSTREAM_TLS'];
        yield 'a limit without a value' => [['limit' => 'checkMs'], 'TCP_LIMITS'];
        yield 'a limit that is none' => [['limit' => 'chekMs=1'], 'not "chekMs"'];
        yield 'a limit of HTTP for TCP' => [['limit' => 'http.poolSize=1'], 'not "http.poolSize"'];
        yield 'a limit in a unit that is none' => [['limit' => 'checkMs=1KiB'], 'such as checkMs=500ms or checkMs=2s, not "checkMs=1KiB"'];
        yield 'a count in bytes' => [['limit' => 'routes=1KiB'], 'such as routes=500 or routes=10k, not "routes=1KiB"'];
        yield 'a limit that is no whole number of its unit' => [['limit' => 'keepIdleS=400ms'], 'such as keepIdleS=30s or keepIdleS=2m, not "keepIdleS=400ms"'];
        yield 'a limit out of its range' => [['limit' => 'attempts=0'], 'attempts must'];
        yield 'an option out of its range' => [['connections' => '0'], '--connections (TCP_CONNECTIONS): connections must'];
        yield 'a time out of its range' => [['connect-timeout' => '0'], '--connect-timeout (TCP_CONNECT_TIMEOUT): connectMs must'];
        yield 'the limit of an option out of its range' => [['limit' => 'connectMs=0', 'connect-timeout' => '1s'], '--limit (TCP_LIMITS): connectMs must'];
        yield 'a version of PROXY that is none' => [['send-proxy' => '3'], '--send-proxy (TCP_SEND_PROXY) is one of 0, 1, 2, not "3"'];
        yield 'a limit that is no number' => [['limit' => 'checkMs=soon'], 'such as checkMs=500ms or checkMs=2s, not "checkMs=soon"'];
        yield 'a word of a listener that is none' => [['listen' => '127.0.0.1:0?speed=1'], 'TCP_LISTEN'];
        yield 'a word of a listener without its value' => [['listen' => '127.0.0.1:0?connections'], 'connections='];
        yield 'a listener who speaks first that is none' => [['listen' => '127.0.0.1:0?first=me'], 'server, client, wait'];
        yield 'a listener with a time that is none' => [['listen' => '127.0.0.1:0?waitMs=2KiB'], 'waitMs=2KiB'];
        yield 'a listener with a number out of its range' => [['listen' => '127.0.0.1:0?connections=0'], 'TCP_LISTEN'];
        yield 'a weight too large' => [['to' => '10.0.0.7:1*9999999'], 'TCP_BACKEND_ENDPOINT'];
        yield 'a log that cannot be written' => [['access-log' => '/no/such/folder/log'], 'TCP_ACCESS_LOG'];
        yield 'a version too long to greet with' => [['mysql-version' => str_repeat('8', 64)], 'TCP_MYSQL_VERSION'];
        yield 'a BPF object that is not there' => [['bpf-object' => '/no/such/object.o'], 'TCP_SOCKMAP_BPF_OBJECT'];
    }

    /** @param array<string, string> $given */
    #[DataProvider('faults')]
    public function testAFaultNamesTheOptionAndTheVariable(array $given, string $named): void
    {
        $this->expectException(BadSetting::class);
        $this->expectExceptionMessage($named);
        Settings::of(Kind::Tcp, [...['listen' => '127.0.0.1:0', 'to' => '10.0.0.7:1'], ...$given], [])->proxy();
    }

    /**
     * @param array<string, string> $environment
     * @param array<string, string> $given
     */
    private function port(array $environment, array $given = []): int
    {
        $proxy = Settings::of(Kind::Tcp, $given, $environment)->proxy();
        $proxy->onStart(static fn () => $proxy->stop());
        self::assertSame(0, $proxy->run());

        return $proxy->port;
    }
}
