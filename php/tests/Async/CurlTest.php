<?php

declare(strict_types=1);

namespace Tusk\Tests\Async;

use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Tusk\Async\Curl;
use Tusk\Async\TimedOut;
use Tusk\Parallel;
use Tusk\Parallel\Async;
use Tusk\Timer;
use Tusk\Wait;

/** Against a server of plain sockets in tasks of the same process: a transfer that blocked would wait for ever. */
#[RequiresPhpExtension('curl')]
final class CurlTest extends TestCase
{
    /** @var resource */
    private $listener;
    private string $url;
    private int $connections = 0;
    private Async $engine;

    protected function setUp(): void
    {
        $this->listener = stream_socket_server('tcp://127.0.0.1:0') ?: self::fail('no port');
        $this->url = 'http://' . stream_socket_get_name($this->listener, false);
        $this->engine = new Async();
        $this->engine->submit([$this->serve(...)]);
    }

    protected function tearDown(): void
    {
        $this->engine->close();
        fclose($this->listener);
    }

    private function serve(): void
    {
        while (Wait::readable($this->listener)) {
            $socket = stream_socket_accept($this->listener);
            self::assertNotFalse($socket);
            $this->connections++;
            $this->engine->submit([function () use ($socket): void {
                $this->answer($socket);
            }]);
        }
    }

    /** @param resource $socket */
    private function answer($socket): void
    {
        while (Wait::readable($socket) && ($line = fgets($socket)) !== false) {
            while (rtrim((string) fgets($socket)) !== '') {
            }
            $path = explode(' ', $line)[1];
            if ($path === '/never') {
                Timer::sleep(1000);
            } elseif ($path === '/later') {
                Timer::sleep(0.03);
            } elseif ($path === '/cut') {
                fwrite($socket, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
                break;
            }
            Timer::sleep(0.002);
            fwrite($socket, 'HTTP/1.1 200 OK' . "\r\nContent-Length: " . \strlen($path) . "\r\n\r\n$path");
        }
        fclose($socket);
    }

    private function handle(string $path): \CurlHandle
    {
        $handle = curl_init($this->url . $path);
        self::assertNotFalse($handle);
        curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_PROXY => '']);
        return $handle;
    }

    /** @param \Closure(): mixed ...$jobs */
    private function all(\Closure ...$jobs): mixed
    {
        return Parallel::all($jobs, engine: $this->engine);
    }

    public function testManyTransfersRunSideBySide(): void
    {
        $jobs = array_map(fn (int $n): \Closure => fn (): string|bool => Curl::exec($this->handle("/$n")), range(0, 19));
        self::assertSame(array_map(static fn (int $n): string => "/$n", range(0, 19)), $this->all(...$jobs));
        self::assertSame(20, $this->connections);
    }

    public function testAHandleKeepsItsConnectionAndTellsWhatHappened(): void
    {
        $this->all(function (): void {
            $handle = $this->handle('/a');
            self::assertSame('/a', Curl::exec($handle));
            curl_setopt($handle, CURLOPT_URL, "$this->url/b");
            self::assertSame('/b', Curl::exec($handle));
            self::assertSame([200, 0, 1], [curl_getinfo($handle, CURLINFO_RESPONSE_CODE), curl_errno($handle), $this->connections]);
            $cut = $this->handle('/cut');
            self::assertFalse(Curl::exec($cut));
            self::assertSame(CURLE_PARTIAL_FILE, curl_errno($cut));
        });
    }

    public function testFunctionsOfTheHandleRunWhereItWaitsAndMayWaitAndThrow(): void
    {
        $this->all(function (): void {
            $handle = $this->handle('/body');
            $got = '';
            curl_setopt($handle, CURLOPT_WRITEFUNCTION, static function (\CurlHandle $h, string $bytes) use (&$got): int {
                Timer::sleep(0.001);
                $got .= $bytes;
                return \strlen($bytes);
            });
            self::assertTrue(Curl::exec($handle));
            self::assertSame('/body', $got);
            curl_setopt($handle, CURLOPT_WRITEFUNCTION, static fn (): never => throw new \DomainException('mine'));
            $this->expectExceptionMessage('mine');
            Curl::exec($handle);
        });
    }

    public function testTimeAndCancellingEndATransfer(): void
    {
        [$late] = $this->engine->submit([fn () => Curl::exec($this->handle('/never'), 0.02)]);
        self::assertInstanceOf(TimedOut::class, $late->error());
        $handle = $this->handle('/never');
        [$held] = $this->engine->submit([static fn () => Curl::exec($handle)]);
        $this->engine->wait([$held], 0.02);
        $held->cancel();
        self::assertInstanceOf(Parallel\Cancelled::class, $held->error());
        curl_setopt($handle, CURLOPT_URL, "$this->url/again");
        self::assertSame(['/again'], $this->all(static fn (): string|bool => Curl::exec($handle)));
        $timed = $this->handle('/never');
        curl_setopt($timed, CURLOPT_TIMEOUT_MS, 20);
        self::assertSame([false], $this->all(static fn (): string|bool => Curl::exec($timed)));
        self::assertSame(CURLE_OPERATION_TIMEDOUT, curl_errno($timed));
    }

    public function testASecondTransferOfAHandleIsRefusedAndCostsTheFirstNothing(): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0') ?: self::fail('no server');
        $handle = curl_init('http://' . stream_socket_get_name($server, false) . '/') ?: self::fail('no handle');
        $came = '';
        curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_NOPROGRESS => false, CURLOPT_XFERINFOFUNCTION => static function ($h, int $all, int $got) use (&$came): int {
            $came = $got > 0 ? "$got of $all" : $came;
            return 0;
        }]);
        $answers = static function () use ($server, $handle, &$came): string {
            Wait::readable($server);
            $client = stream_socket_accept($server) ?: self::fail('nobody');
            Wait::readable($client);
            fread($client, 8192);
            fwrite($client, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhal");
            while ($came === '') {
                Timer::sleep(0.001);
            }
            try {
                Curl::exec($handle);
                return 'it was begun';
            } catch (\LogicException $e) {
                return "$came: {$e->getMessage()}";
            } finally {
                fwrite($client, 'ves');
            }
        };
        self::assertSame(['3 of 6: This handle is in the middle of another transfer', 'halves'], Parallel::async([$answers, static fn () => Curl::exec($handle, 30.0)]));
    }

    public function testAMultiHandleWhoseTimeIsOverGoesOnWithTheNextCall(): void
    {
        $this->all(function (): void {
            foreach ([false, true] as $byCurl) {
                $multi = curl_multi_init();
                $handle = $this->handle('/later');
                curl_multi_add_handle($multi, $handle);
                if ($byCurl) { // begun by somebody else
                    for ($i = 0; $i < 10; $i++) {
                        curl_multi_exec($multi, $running);
                        Timer::sleep(0.001);
                    }
                } else {
                    self::assertFalse(Wait::curl($multi, 0.005));
                }
                self::assertTrue(Wait::curl($multi, 30.0));
                self::assertSame('/later', curl_multi_getcontent($handle));
                curl_multi_remove_handle($multi, $handle);
            }
        });
    }

    public function testHandlesMayComeAndGoMeanwhileAndOneTaskDrivesThem(): void
    {
        $multi = curl_multi_init();
        $never = $this->handle('/never');
        $added = $this->handle('/added');
        curl_multi_add_handle($multi, $never);
        $ended = $this->all(
            static fn (): bool => Wait::curl($multi, 30.0),
            static function () use ($multi, $never, $added): string {
                Timer::sleep(0.01);
                curl_multi_add_handle($multi, $added);
                curl_multi_remove_handle($multi, $never);
                try {
                    Wait::curl($multi);
                } catch (\LogicException $e) {
                    return $e->getMessage();
                }
                return 'driven twice';
            },
        );
        self::assertSame([true, 'Another task waits for this CurlMultiHandle'], $ended);
        self::assertSame('/added', curl_multi_getcontent($added));
    }

    public function testOutsideOfATaskItBlocks(): void
    {
        $refused = $this->handle('/');
        curl_setopt($refused, CURLOPT_URL, 'http://127.0.0.1:1/');
        self::assertFalse(Curl::exec($refused));
        self::assertSame(CURLE_COULDNT_CONNECT, curl_errno($refused));
        $multi = curl_multi_init();
        self::assertTrue(Wait::curl($multi, 0.0));
        $this->expectException(\TypeError::class);
        Wait::curl(new \stdClass());
    }
}
