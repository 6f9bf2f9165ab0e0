<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Revolt;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Revolt\EventLoop\CallbackType;
use Revolt\EventLoop\FiberLocal;
use Revolt\EventLoop\InvalidCallbackError;
use Revolt\EventLoop\UncaughtThrowable;
use Revolt\EventLoop\UnsupportedFeatureException;
use Tusk\Bridge\Revolt\Callback;
use Tusk\Bridge\Revolt\Callbacks;
use Tusk\Bridge\Revolt\Driver;
use Tusk\Bridge\Revolt\Suspension;
use Tusk\Bridge\Revolt\Suspensions;
use Tusk\Bridge\Revolt\Turns;
use Tusk\Parallel\Async;
use Tusk\Timer;

/** In a script, which has no other loop. Revolt's own suite for drivers passes as well; it is not ours to copy. */
#[CoversClass(Callback::class)]
#[CoversClass(Callbacks::class)]
#[CoversClass(Driver::class)]
#[CoversClass(Suspension::class)]
#[CoversClass(Suspensions::class)]
#[CoversClass(Turns::class)]
final class DriverTest extends TestCase
{
    private Driver $loop;

    /** @var list<string> */
    private array $log = [];

    protected function setUp(): void
    {
        if (!extension_loaded('tusk') || !interface_exists(\Revolt\EventLoop\Driver::class)) {
            self::markTestSkipped('the extension or revolt/event-loop is not here');
        }
        $this->loop = new Driver();
    }

    public function testMicrotasksComeBeforeWhatIsDeferredAndThatBeforeTimersAndStreams(): void
    {
        [$reads, $writes] = self::pair();
        $this->loop->onReadable($reads, $this->saysOnce('readable'));
        $this->loop->delay(0, $this->says('timer'));
        $this->loop->defer(function (): void {
            $this->log[] = 'deferred';
            $this->loop->queue($this->says('microtask of it'));
            $this->loop->defer($this->says('deferred by it'));
        });
        $this->loop->queue($this->says('microtask'));
        fwrite($writes, 'x');
        $this->loop->run();

        self::assertSame(['microtask', 'deferred', 'microtask of it'], array_slice($this->log, 0, 3));
        self::assertSame(['deferred by it', 'readable', 'timer'], self::sorted(array_slice($this->log, 3)));
        self::assertSame([], $this->loop->getIdentifiers());
    }

    public function testASuspensionOfTheScriptTurnsTheLoopUntilItIsResumed(): void
    {
        $suspension = $this->loop->getSuspension();
        self::assertSame($suspension, $this->loop->getSuspension());
        $this->loop->delay(0.001, fn () => $suspension->resume('a value'));
        $this->loop->delay(0.25, $this->says('later'));
        self::assertSame('a value', $suspension->suspend());
        self::assertSame([], $this->log);
        $this->loop->queue(fn () => $suspension->throw(new \DomainException('thrown')));
        try {
            $suspension->suspend();
            self::fail('it was to throw');
        } catch (\DomainException $thrown) {
            self::assertSame('thrown', $thrown->getMessage());
        }
        $this->loop->run();
        self::assertSame(['later'], $this->log);
    }

    public function testFibersOfTheLoopAndOfOnesOwnAreSuspendedAlone(): void
    {
        $wait = function (string $name, float $seconds): void {
            $suspension = $this->loop->getSuspension();
            $this->loop->delay($seconds, static fn () => $suspension->resume());
            $suspension->suspend();
            $this->log[] = $name;
        };
        $this->loop->queue($wait, 'late', 0.02);
        $this->loop->queue($wait, 'early', 0.001);
        (new \Fiber($wait))->start('own', 0.01);
        $this->loop->run();

        self::assertSame(['early', 'own', 'late'], $this->log);
    }

    public function testACallbackThatWaitsThroughTuskHoldsUpNobody(): void
    {
        $this->loop->queue(function (): void {
            Timer::sleep(0.02);
            $this->log[] = 'slept';
        });
        $this->loop->queue($this->says('next in the queue'));
        $this->loop->delay(0.001, $this->says('meanwhile'));
        $this->loop->run(); // it is not over before the sleeper is

        self::assertSame(['next in the queue', 'meanwhile', 'slept'], $this->log);
    }

    public function testTasksOfTuskAndCallbacksResumeEachOther(): void
    {
        $suspended = null;
        $tasks = (new Async())->submit([
            function () use (&$suspended): mixed {
                $suspended = $this->loop->getSuspension();

                return $suspended->suspend();
            },
            function () use (&$suspended): mixed {
                $own = $this->loop->getSuspension();
                self::assertNotSame($suspended, $own);
                $this->loop->delay(0.001, static fn () => $own->resume('mine'));
                $mine = $own->suspend();
                $suspended?->resume('yours');

                return $mine;
            },
        ]);

        self::assertSame(['yours', 'mine'], [$tasks[0]->await(), $tasks[1]->await()]);
    }

    public function testAnEmptyLoopEndsTheScriptsSuspensionForGood(): void
    {
        $suspension = $this->loop->getSuspension();
        $unreferenced = $this->loop->unreference($this->loop->repeat(0.001, $this->says('never')));
        $message = self::fault(static fn () => $suspension->suspend());
        self::assertStringContainsString('terminated without resuming', $message);
        $suspension->resume(); // too late, and nobody's fault
        self::assertStringContainsString('cannot be suspended', self::fault(static fn () => $suspension->suspend()));
        self::assertNotSame($suspension, $this->loop->getSuspension());
        $this->loop->cancel($unreferenced);
    }

    public function testWhatNobodyCatchesLeavesRunOrGoesToTheErrorHandler(): void
    {
        $this->loop->defer(static fn () => throw new \DomainException('of a callback'));
        $this->loop->delay(0.001, $this->says('after it'));
        try {
            $this->loop->run();
            self::fail('it was to throw');
        } catch (UncaughtThrowable $thrown) {
            self::assertInstanceOf(\DomainException::class, $thrown->getPrevious());
        }
        $this->loop->setErrorHandler(function (\Throwable $thrown): void {
            $this->log[] = $thrown::class;
        });
        self::assertNotNull($this->loop->getErrorHandler());
        $this->loop->defer(static fn () => throw new \DomainException());
        $this->loop->queue(static fn () => throw new \RangeException());
        $this->loop->defer(static fn (): int => 1); // @phpstan-ignore argument.type
        $this->loop->run();
        self::assertSame(['RangeException', 'DomainException', InvalidCallbackError::class, 'after it'], $this->log);

        $this->loop->setErrorHandler(static fn () => throw new \LogicException('of the handler'));
        $this->loop->defer(static fn () => throw new \DomainException());
        $this->expectException(UncaughtThrowable::class);
        $this->expectExceptionMessage('of the handler');
        $this->loop->run();
    }

    public function testStopEndsTheTurnAndRunGoesOnWithTheRest(): void
    {
        $this->loop->defer(function (): void {
            self::assertTrue($this->loop->isRunning());
            $this->loop->stop();
            $this->loop->queue($this->says('same turn'));
        });
        $this->loop->delay(0.001, $this->says('later'));
        $this->loop->run();
        self::assertFalse($this->loop->isRunning());
        self::assertSame(['same turn'], $this->log);
        $this->loop->run();
        self::assertSame(['same turn', 'later'], $this->log);
    }

    public function testRunIsForTheScriptAlone(): void
    {
        $said = [];
        $this->loop->queue(function () use (&$said): void {
            $said[] = self::fault($this->loop->run(...));
        });
        $this->loop->run();
        (new \Fiber(function () use (&$said): void {
            $said[] = self::fault($this->loop->run(...));
        }))->start();
        $said[] = (new Async())->submit([fn (): string => self::fault($this->loop->run(...))])[0]->await();

        self::assertSame('The event loop is already running', $said[0]);
        self::assertIsString($said[1]);
        self::assertStringContainsString('within a fiber', $said[1]);
        self::assertSame('The event loop is already running', $said[2]);
    }

    public function testCallbacksAreDisabledEnabledAndToldApart(): void
    {
        [$stream] = self::pair();
        $ids = [
            $this->loop->defer($this->says('no')), $this->loop->delay(9, $this->says('no')), $this->loop->repeat(9, $this->says('no')),
            $this->loop->onReadable($stream, $this->says('no')), $this->loop->onWritable($stream, $this->says('no')), $this->loop->onSignal(\SIGUSR1, $this->says('no')),
        ];
        self::assertSame($ids, $this->loop->getIdentifiers());
        self::assertSame(CallbackType::cases(), self::inOrder(array_map($this->loop->getType(...), $ids)));
        foreach ($ids as $id) {
            $this->loop->unreference($id);
            self::assertFalse($this->loop->isReferenced($id));
            $this->loop->disable($this->loop->reference($id));
            self::assertFalse($this->loop->isEnabled($id));
        }
        $this->loop->run(); // there is nothing to wait for
        self::assertCount(6, $this->loop->__debugInfo());
        self::assertSame(['type' => CallbackType::Defer, 'enabled' => false, 'referenced' => true], $this->loop->__debugInfo()[$ids[0]]);
        array_map($this->loop->cancel(...), [...$ids, ...$ids]);
        $this->loop->disable($ids[0]);
        $this->expectException(InvalidCallbackError::class);
        $this->loop->enable($ids[0]);
    }

    public function testSignalsCallEverybodyWhoWatches(): void
    {
        foreach (['one', 'two'] as $name) {
            $this->loop->onSignal(\SIGUSR1, function (string $id, int $signal) use ($name): void {
                $this->log[] = "$name $signal";
                $this->loop->cancel($id);
            });
        }
        $this->loop->delay(0.001, static function (): void {
            posix_kill((int) getmypid(), \SIGUSR1);
        });
        $this->loop->run();
        self::assertSame(['one 10', 'two 10'], self::sorted($this->log));

        $this->loop->onSignal(\SIGKILL, $this->says('no'));
        $this->expectException(UnsupportedFeatureException::class);
        $this->loop->run();
    }

    public function testAStreamThatIsClosedIsSaid(): void
    {
        [$stream] = self::pair();
        fclose($stream);
        $this->loop->onReadable($stream, $this->says('no'));
        self::assertStringContainsString('cancel callbacks of streams that are closed', self::fault($this->loop->run(...)));
        $this->loop->run();
        self::assertSame([], $this->log);
    }

    public function testFiberLocalsEndWithTheCallback(): void
    {
        $made = 0;
        $local = new FiberLocal(static function () use (&$made): int {
            return ++$made;
        });
        for ($i = 0; $i < 3; $i++) {
            $this->loop->queue(static function () use ($local): void {
                self::assertSame($local->get(), $local->get());
            });
        }
        $this->loop->run();
        self::assertSame(3, $made);
    }

    public function testADriverThatIsLetGoOfCallsNobody(): void
    {
        $loop = new Driver();
        $loop->repeat(0.001, $this->says('no'));
        $gone = \WeakReference::create($loop);
        unset($loop);
        self::assertNull($gone->get());
        $this->loop->delay(0.01, $this->says('end'));
        $this->loop->run();
        self::assertSame(['end'], $this->log);
    }

    private function says(string $what): \Closure
    {
        return function () use ($what): void {
            $this->log[] = $what;
        };
    }

    private function saysOnce(string $what): \Closure
    {
        return function (string $id) use ($what): void {
            $this->log[] = $what;
            $this->loop->cancel($id);
        };
    }

    private static function fault(\Closure $of): string
    {
        try {
            $of();
        } catch (\Error $fault) {
            return $fault->getMessage();
        }
        self::fail('it was to throw');
    }

    /** @return array{resource, resource} */
    private static function pair(): array
    {
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        self::assertIsArray($pair);

        return [$pair[0], $pair[1]];
    }

    /**
     * @param list<string> $words
     *
     * @return list<string>
     */
    private static function sorted(array $words): array
    {
        sort($words);

        return $words;
    }

    /**
     * @param list<CallbackType> $types
     *
     * @return list<CallbackType>
     */
    private static function inOrder(array $types): array
    {
        return array_values(array_filter(CallbackType::cases(), static fn (CallbackType $type): bool => in_array($type, $types, true)));
    }
}
