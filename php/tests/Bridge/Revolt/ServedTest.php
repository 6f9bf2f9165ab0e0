<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Revolt;

use Amp\ByteStream;
use Amp\DeferredFuture;
use Amp\Socket;
use Amp\TimeoutCancellation;
use Amp\TimeoutException;
use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Revolt\EventLoop;
use Revolt\EventLoop\UncaughtThrowable;
use Tusk\Bridge\Revolt\Driver;
use Tusk\Bridge\Revolt\Suspension;
use Tusk\Bridge\Revolt\Turns;
use Tusk\Http\Client;
use Tusk\Http\Response;
use Tusk\Limits;
use Tusk\Parallel;
use Tusk\Server;
use Tusk\Timer;

use function Amp\async;
use function Amp\delay;
use function Amp\Future\await;

/** amphp's libraries in the handlers of a server. */
#[CoversClass(Driver::class)]
#[CoversClass(Suspension::class)]
#[CoversClass(Turns::class)]
final class ServedTest extends TestCase
{
    private Server $server;

    /** @var list<string> */
    private array $faults = [];

    protected function setUp(): void
    {
        if (!extension_loaded('tusk') || !class_exists(EventLoop::class) || !function_exists('Amp\Socket\connect')) {
            self::markTestSkipped('the extension or amphp/socket is not here');
        }
        EventLoop::setDriver(new Driver());
        $this->server = new Server(listen: '127.0.0.1:0', limits: new Limits(drainMs: 1000));
        $this->server->onError(function (\Throwable $fault): void {
            $this->faults[] = $fault::class . ': ' . $fault->getMessage();
        });
        $this->server->get('/fast', static fn (): Response => Response::text('fast'));
    }

    public function testAHandlerAwaitsSeveralAtOnceAndOthersAreAnsweredMeanwhile(): void
    {
        $open = 0;
        $gate = new DeferredFuture();
        $this->server->get('/three', static function () use (&$open, $gate): Response {
            $open++;
            $three = await([
                async(static function () use ($gate): string {
                    delay(0.001);
                    $gate->getFuture()->await();

                    return 'delay';
                }),
                async(static function (): string {
                    Timer::sleep(0.001); // Tusk's own waits may be among them

                    return 'sleep';
                }),
                async(static fn (): mixed => async(static fn (): string => 'nested')->await()),
            ]);
            sort($three);

            return Response::json($three);
        });
        $this->serve(static function (string $base) use (&$open, $gate): void {
            $slow = [];
            for ($i = 0; $i < 200; $i++) {
                $slow[] = static fn (): string => (new Client())->get("$base/three")->body;
            }
            $fast = static function () use ($base, &$open, $gate): int {
                for ($end = hrtime(true) + 20e9; $open < 200 && hrtime(true) < $end;) {
                    Timer::sleep(0.001);
                }
                self::assertSame('fast', (new Client())->get("$base/fast")->body);

                $gate->complete();

                return $open;
            };
            $answers = Parallel::async([...$slow, $fast]);
            self::assertSame(200, array_pop($answers));
            self::assertSame(array_fill(0, 200, '["delay","nested","sleep"]'), array_values($answers));
        });
        self::assertSame([], $this->faults);
    }

    public function testSocketsOfAmphpTalkToTheSameServer(): void
    {
        $this->server->get('/relayed', function (): Response {
            $socket = Socket\connect("tcp://127.0.0.1:{$this->server->port}");
            $socket->write("GET /fast HTTP/1.0\r\n\r\n");

            return Response::text(substr(ByteStream\buffer($socket), -4));
        });
        $this->serve(static function (string $base): void {
            self::assertSame(array_fill(0, 20, 'fast'), Parallel::async(array_fill(0, 20, static fn (): string => (new Client())->get("$base/relayed")->body)));
        });
        self::assertSame([], $this->faults);
        self::assertSame([], array_filter(EventLoop::getIdentifiers(), EventLoop::isReferenced(...)));
    }

    public function testWhatTakesTooLongIsCancelled(): void
    {
        $this->server->get('/', static function (): Response {
            try {
                (new DeferredFuture())->getFuture()->await(new TimeoutCancellation(0.01));
            } catch (\Amp\CancelledException $end) {
                return Response::text((string) get_debug_type($end->getPrevious()));
            }

            return Response::text('it came');
        });
        $this->serve(static function (string $base): void {
            self::assertSame(TimeoutException::class, (new Client())->get($base)->body);
        });
    }

    public function testExceptionsCostTheirOwnHandlerAndAreToldToOnError(): void
    {
        $this->server->get('/awaited', static function (): Response {
            async(static function (): void {
                delay(0.001);
                throw new \DomainException('awaited');
            })->await();

            return Response::text('no');
        });
        $this->server->get('/nobodys', static function (): Response {
            EventLoop::queue(static fn () => throw new \DomainException('nobody awaits it'));
            delay(0.001);

            return Response::text('unharmed');
        });
        $this->server->get('/run', static function (): Response {
            EventLoop::run();

            return Response::text('no');
        });
        $this->serve(static function (string $base): void {
            self::assertSame(500, (new Client())->get("$base/awaited")->status);
            self::assertSame('unharmed', (new Client())->get("$base/nobodys")->body);
            self::assertSame(500, (new Client())->get("$base/run")->status);
            self::assertSame('fast', (new Client())->get("$base/fast")->body);
        });
        self::assertSame('DomainException: awaited', $this->faults[0]);
        self::assertStringStartsWith(UncaughtThrowable::class, $this->faults[1]);
        self::assertStringEndsWith('nobody awaits it', $this->faults[1]);
        self::assertSame('Error: The event loop is already running', $this->faults[2]);
    }

    public function testAHandlerWhoseClientLeftGoesOnAndAStopEndsWhoWaitsTooLong(): void
    {
        $ends = [];
        $late = new DeferredFuture();
        $this->server->get('/left', static function () use (&$ends): Response {
            delay(0.05);
            $ends[] = 'the client had left';

            return Response::text('nobody');
        });
        $this->server->get('/long', static function () use (&$ends, $late): Response {
            try {
                $late->getFuture()->await();
            } finally {
                $ends[] = 'the server stops';
            }

            return Response::text('no');
        });
        $this->server->get('/short', static function (): Response {
            delay(0.05);

            return Response::text('in time');
        });
        $answers = [];
        $this->serve(function (string $base) use (&$answers): void {
            $client = stream_socket_client("tcp://127.0.0.1:{$this->server->port}");
            self::assertIsResource($client);
            fwrite($client, "GET /left HTTP/1.1\r\nHost: x\r\n\r\n");
            Timer::sleep(0.01);
            fclose($client);
            foreach (['/short', '/long'] as $path) {
                Timer::defer(static function () use (&$answers, $base, $path): void {
                    try {
                        $answer = (new Client())->get($base . $path);
                        $answers[$path] = "$answer->status $answer->body";
                    } catch (\Tusk\Exception) {
                        $answers[$path] = 'none'; // its wait may be ended first
                    }
                });
            }
            Timer::sleep(0.02);
            $this->server->stop();
        }, stops: false);

        self::assertSame(['the client had left', 'the server stops'], $ends);
        self::assertSame('200 in time', $answers['/short'] ?? null);
        $late->complete(); // which resumes somebody who has gone, and is nobody's fault
        delay(0.001);
        self::assertCount(1, $this->faults);
        self::assertStringContainsString('The server stops', $this->faults[0]);
    }

    /** @param \Closure(string): void $client waits in a timer of the same server */
    private function serve(\Closure $client, bool $stops = true): void
    {
        $fault = null;
        $this->server->onStart(static function (Server $server) use ($client, $stops, &$fault): void {
            Timer::defer(static function () use ($server, $client, $stops, &$fault): void {
                try {
                    $client("http://127.0.0.1:$server->port");
                } catch (\Throwable $thrown) {
                    $fault = $thrown;
                } finally {
                    if ($stops || $fault !== null) {
                        $server->stop();
                    }
                }
            });
        });
        $this->server->run();
        if ($fault !== null) {
            throw $fault;
        }
    }
}
