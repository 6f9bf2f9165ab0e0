<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Psr;

use Nyholm\Psr7\Response;
use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Tusk\Bridge\Psr\Answers;
use Tusk\Bridge\Psr\Handler;
use Tusk\Bridge\Psr\Requests;
use Tusk\Certificate;
use Tusk\Limits;
use Tusk\Server;
use Tusk\Timer;
use Tusk\Tls;
use Tusk\TlsInfo;
use Tusk\Wait;

/** Over sockets: what connections in memory have not. */
#[CoversClass(Answers::class)]
#[CoversClass(Handler::class)]
#[CoversClass(Requests::class)]
final class ServedTest extends TestCase
{
    private const PATIENCE = 20.0;

    protected function setUp(): void
    {
        if (!extension_loaded('tusk') || !class_exists(Response::class)) {
            self::markTestSkipped('the extension or nyholm/psr7 is not here');
        }
    }

    public function testOfAClientThatDoesNotReadTheBodyIsNotAskedForMore(): void
    {
        $bytes = 32 << 20;
        $body = new Slow($bytes);
        $got = 0;
        $this->serve(
            new Server(listen: '127.0.0.1:0', limits: new Limits(queuedBytes: 1 << 20)),
            static fn (): ResponseInterface => (new Response())->withBody($body),
            function (int $port) use ($body, &$got, $bytes): void {
                $client = self::connect($port);
                $before = -1;
                while ($body->read !== $before || $body->read === 0) { // until it goes no further
                    $before = $body->read;
                    Timer::sleep(0.2);
                }
                self::assertLessThan($bytes / 2, $body->read, 'all was read ahead of a client that takes nothing');
                self::assertFalse($body->closed);
                while (!feof($client) && Wait::readable($client, self::PATIENCE)) {
                    $got += strlen((string) fread($client, 1 << 20));
                }
            },
        );

        self::assertSame($bytes, $body->read);
        self::assertGreaterThan($bytes, $got);
        self::assertTrue($body->closed);
    }

    public function testAClientThatGoesAwayLetsGoOfTheBody(): void
    {
        $body = new Slow(1 << 30);
        $this->serve(
            new Server(listen: '127.0.0.1:0', limits: new Limits(queuedBytes: 1 << 20)),
            static fn (): ResponseInterface => (new Response())->withBody($body),
            function (int $port) use ($body): void {
                $client = self::connect($port);
                Wait::readable($client, self::PATIENCE);
                fclose($client);
                for ($end = hrtime(true) + self::PATIENCE * 1e9; !$body->closed && hrtime(true) < $end;) {
                    Timer::sleep(0.005);
                }
            },
        );

        self::assertTrue($body->closed);
        self::assertLessThan(1 << 30, $body->read);
    }

    public function testTheClientsCertificateIsAnAttribute(): void
    {
        exec('command -v openssl && command -v curl', result_code: $missing);
        if ($missing !== 0) {
            self::markTestSkipped('no openssl or curl');
        }
        $folder = sys_get_temp_dir() . '/tusk-psr-' . bin2hex(random_bytes(6));
        mkdir($folder);
        $said = [];
        try {
            foreach (['localhost', 'mara'] as $name) {
                exec("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=$name -keyout $folder/$name.key -out $folder/$name.pem 2>/dev/null", result_code: $status);
                self::assertSame(0, $status);
            }
            $this->serve(
                new Server(listen: '127.0.0.1:0', tls: new Tls("$folder/localhost.pem", "$folder/localhost.key", clientCa: "$folder/mara.pem", clientOptional: true)),
                static function (ServerRequestInterface $request): ResponseInterface {
                    $tls = $request->getAttribute(TlsInfo::class);
                    $certificate = $request->getAttribute(Certificate::class);

                    return new Response(200, [], implode(' ', [
                        $request->getUri()->getScheme(), json_encode($request->getServerParams()['HTTPS'] ?? null), $tls instanceof TlsInfo ? $tls->version : 'no TLS',
                        $certificate instanceof Certificate ? $certificate->subject : 'nobody',
                    ]));
                },
                static function (int $port) use ($folder, &$said): void {
                    foreach (['', "--cert $folder/mara.pem --key $folder/mara.key"] as $options) {
                        $curl = proc_open("exec curl -sk $options https://127.0.0.1:$port/", [1 => ['pipe', 'w']], $pipes);
                        self::assertIsResource($curl);
                        Wait::readable($pipes[1], self::PATIENCE);
                        $said[] = stream_get_contents($pipes[1]);
                        proc_close($curl);
                    }
                },
            );
        } finally {
            array_map(unlink(...), glob("$folder/*") ?: []);
            rmdir($folder);
        }

        self::assertSame(['https "on" 1.3 nobody', 'https "on" 1.3 CN=mara'], $said);
    }

    /**
     * @param \Closure(ServerRequestInterface): ResponseInterface $answer
     * @param \Closure(int): void                                 $client waits in a fiber of the same server
     */
    private function serve(Server $server, \Closure $answer, \Closure $client): void
    {
        (new Handler(new App($answer)))->on($server);
        $fault = null;
        $server->onStart(static function (Server $server) use ($client, &$fault): void {
            Timer::defer(static function () use ($server, $client, &$fault): void {
                try {
                    $client($server->port);
                } catch (\Throwable $thrown) {
                    $fault = $thrown;
                } finally {
                    $server->stop();
                }
            });
        });
        $server->run();
        if ($fault !== null) {
            throw $fault;
        }
    }

    /** @return resource that asked for / */
    private static function connect(int $port)
    {
        $client = stream_socket_client("tcp://127.0.0.1:$port");
        self::assertIsResource($client);
        stream_set_blocking($client, false);
        fwrite($client, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

        return $client;
    }
}
