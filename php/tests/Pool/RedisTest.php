<?php

declare(strict_types=1);

namespace Tusk\Tests\Pool;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Pool\Options;
use Tusk\Pool\Pool;
use Tusk\Pool\PredisDriver;
use Tusk\Pool\RedisDriver;
use Tusk\Tests\Servers\Redis;

/** A real Redis by both of its clients. */
final class RedisTest extends TestCase
{
    public function testRedisInTheMiddleOfSomethingIsNotLentAgain(): void
    {
        $why = \extension_loaded('redis') ? Redis::missing() : 'PHP has no extension redis';
        if ($why !== null) {
            self::markTestSkipped($why);
        }
        $server = Redis::start();
        try {
            $pool = new Pool(new RedisDriver(static function () use ($server): \Redis {
                $redis = new \Redis();
                $redis->connect($server->path());
                return $redis;
            }), new Options(pingAfter: 0.0));
            $id = static fn (): mixed => $pool->connection()->rawCommand('CLIENT', 'ID');
            $first = $id();
            $pool->release();
            self::assertSame($first, $id());
            $pool->connection()->multi();
            $pool->connection()->set('x', '1');
            $pool->release();
            $second = $id();
            self::assertNotSame($first, $second);
            self::assertFalse($pool->connection()->get('x'));
            $pool->connection()->select(3);
            $pool->release();
            self::assertNotSame($second, $third = $id());
            $pool->connection()->setOption(\Redis::OPT_PREFIX, 'mine:');
            $pool->release();
            self::assertNotSame($third, $id());
            self::assertContains($pool->connection()->getOption(\Redis::OPT_PREFIX), [null, '']);
            $pool->release();
            $server->end();
            $server->run();
            self::assertTrue($pool->connection()->ping());
            self::assertSame(3, $pool->stats()['discarded']);
            $pool->release();
            $pool = new Pool(new RedisDriver(static function () use ($server): \Redis {
                $redis = new \Redis();
                $redis->connect($server->path());
                $redis->select(2);
                return $redis;
            }));
            self::assertSame($pool->use(static fn (\Redis $r): int => spl_object_id($r)), $pool->use(static fn (\Redis $r): int => spl_object_id($r)));
            self::assertSame([1, 0], [$pool->stats()['connected'], $pool->stats()['discarded']]);
        } finally {
            $server->stop();
        }
    }

    /** @return iterable<string, array{list<string>}> */
    public static function leftInRedis(): iterable
    {
        yield 'another database' => [['SELECT', '3']];
        yield 'a transaction' => [['MULTI']];
        yield 'another user' => [['AUTH', 'guest', 'x']];
        yield 'a name' => [['CLIENT', 'SETNAME', 'mine']];
        yield 'tracking' => [['CLIENT', 'TRACKING', 'on', 'bcast']];
        yield 'everybody\'s commands' => [['MONITOR']];
        yield 'a subscription' => [['SUBSCRIBE', 'news']];
    }

    /** @param list<string> $command */
    #[DataProvider('leftInRedis')]
    public function testWhatACommandLeftInRedisIsNotTheNextBorrowers(array $command): void
    {
        $why = \extension_loaded('redis') ? Redis::missing() : 'PHP has no extension redis';
        if ($why !== null) {
            self::markTestSkipped($why);
        }
        $server = Redis::start();
        try {
            $open = static function () use ($server): \Redis {
                $redis = new \Redis();
                $redis->connect($server->path(), 0, 5.0);
                return $redis;
            };
            $open()->rawCommand('ACL', 'SETUSER', 'guest', 'on', 'nopass', '+@all');
            if (str_contains((string) json_encode($open()->rawCommand('CLIENT', 'INFO')), 'user=') === false) {
                self::markTestSkipped('Redis before 6.2 does not tell');
            }
            $pools = [new Pool(new RedisDriver($open), new Options(pingAfter: 1e6))];
            if (class_exists(\Predis\Client::class) && $command[0] !== 'SELECT') { // it is put back
                $pools[] = new Pool(new PredisDriver(static fn () => new \Predis\Client(['scheme' => 'unix', 'path' => $server->path()])), new Options(pingAfter: 1e6));
            }
            foreach ($pools as $pool) {
                $pool->use(static fn (object $c): int => spl_object_id($c));
                $first = $pool->connection();
                $first instanceof \Redis ? $first->rawCommand(...$command) : $first->executeRaw($command);
                $pool->release();
                self::assertNotSame($first, $pool->connection());
                self::assertSame([1, 2], [$pool->stats()['discarded'], $pool->stats()['connected']]);
                $pool->release();
                $pool->close();
            }
        } finally {
            $server->stop();
        }
    }

    public function testPredisInTheMiddleOfSomethingIsNotLentAgain(): void
    {
        $why = class_exists(\Predis\Client::class) ? Redis::missing() : 'Composer has not installed predis/predis';
        if ($why !== null) {
            self::markTestSkipped($why);
        }
        $server = Redis::start();
        try {
            $pool = new Pool(new PredisDriver(static fn () => new \Predis\Client(['scheme' => 'unix', 'path' => $server->path(), 'database' => 2])), new Options(pingAfter: 0.0));
            $id = static fn (): mixed => $pool->connection()->executeRaw(['CLIENT', 'ID']);
            $first = $id();
            $pool->connection()->set('mine', 'in 2');
            $pool->connection()->watch('mine');
            $pool->connection()->select(3);
            $pool->release(); // watched keys are let go, and it is back in its database
            self::assertSame($first, $id());
            self::assertSame('in 2', $pool->connection()->get('mine'));
            $pool->connection()->multi();
            $pool->connection()->set('x', '1');
            $pool->release();
            $second = $id();
            self::assertNotSame($first, $second);
            self::assertNull($pool->connection()->get('x'));
            $pool->connection()->getConnection()->writeRequest(new \Predis\Command\RawCommand('PING'));
            $pool->release(); // somebody did not wait for an answer
            self::assertNotSame($second, $id());
            $pool->release();
            self::assertSame(2, $pool->stats()['discarded']);
            $server->end();
            $server->run();
            self::assertTrue((new PredisDriver(static fn () => throw new \LogicException()))->ping($pool->connection()));
            self::assertSame([2, 1], [$pool->stats()['discarded'], $pool->stats()['stale']]);
            $pool->release();
        } finally {
            $server->stop();
        }
        $cluster = new Pool(new PredisDriver(static fn () => new \Predis\Client(['tcp://127.0.0.1:1', 'tcp://127.0.0.1:2'], ['cluster' => 'predis'])));
        $this->expectException(\LogicException::class);
        $this->expectExceptionMessage('connections to one server');
        $cluster->connection();
    }

    public function testOneThatPredisConnectedAnewIsNotAskedByTheSocketOfAnother(): void
    {
        $why = class_exists(\Predis\Client::class) ? Redis::missing() : 'Composer has not installed predis/predis';
        if ($why !== null || !is_dir('/proc/self/fd')) {
            self::markTestSkipped($why ?? 'no /proc');
        }
        $server = Redis::start();
        try {
            $driver = new PredisDriver(static fn () => new \Predis\Client(['scheme' => 'unix', 'path' => $server->path()]), timeout: 0.1);
            $client = $driver->connect();
            $client->disconnect(); // as it does after an error
            $others = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0); // one of them has its number now
            self::assertSame('OK', (string) $client->set('a', 'b'));
            self::assertFalse($driver->reset($client));
            self::assertTrue($client->isConnected(), 'nobody waited for an answer that came elsewhere');
            self::assertTrue($driver->isStale($client));
            unset($others);
        } finally {
            $server->stop();
        }
    }

    #[DataProvider('persistent')]
    public function testAPersistentConnectionOfPredisIsRefusedAsTwoBorrowersWouldHaveTheSame(bool|string $persistent): void
    {
        if (!class_exists(\Predis\Client::class)) {
            self::markTestSkipped('Composer has not installed predis/predis');
        }
        $pool = new Pool(new PredisDriver(static fn () => new \Predis\Client(['port' => 1, 'persistent' => $persistent])));
        $this->expectException(\LogicException::class);
        $this->expectExceptionMessage('shared behind the pool\'s back');
        $pool->connection();
    }

    /** @return iterable<string, array{bool|string}> */
    public static function persistent(): iterable
    {
        yield 'one' => [true];
        yield 'by a word' => ['yes'];
        yield 'by a name' => ['mine'];
    }

    public function testAServerThatStandsStillHoldsUpAReturnForTheDriversTimeOnly(): void
    {
        $why = class_exists(\Predis\Client::class) ? Redis::missing() : 'Composer has not installed predis/predis';
        if ($why !== null) {
            self::markTestSkipped($why);
        }
        $server = Redis::start();
        try {
            $driver = new PredisDriver(static fn () => new \Predis\Client(['scheme' => 'unix', 'path' => $server->path(), 'read_write_timeout' => -1]), timeout: 0.1);
            $pool = new Pool($driver, new Options(pingAfter: 0.0));
            $first = $pool->connection();
            $server->signal(SIGSTOP);
            $pool->release();
            self::assertFalse($first->isConnected());
            self::assertSame([1, 0], [$pool->stats()['discarded'], $pool->stats()['idle']]);
            $server->signal(SIGCONT);
            $second = $pool->connection();
            self::assertSame('OK', (string) $second->set('a', 'b'));
            $server->signal(SIGSTOP);
            self::assertFalse($driver->ping($second));
            self::assertFalse($second->isConnected()); // the answer may still come, and is nobody's
        } finally {
            $server->signal(SIGCONT);
            $server->stop();
        }
    }
}
