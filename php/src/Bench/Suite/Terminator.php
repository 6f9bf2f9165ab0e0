<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** The TLS terminator in front of a peer: our own TCP proxy, beside the generator, so that no peer's core pays for it. */
final class Terminator
{
    private const PROGRAM = <<<'PHP'
        use Tusk\Proxy\{First, Lookup, Protocol, Resolver, Route, Target, Tcp, TlsMode, Validation};
        [, $port, $backend, $certificate, $key] = $argv;
        $resolver = new class ("127.0.0.1:$backend") implements Resolver {
            public function __construct(private readonly string $backend) {}
            public function resolve(Lookup $lookup): Route
            {
                return Route::to(new Target($this->backend), ttl: 3600.0);
            }
        };
        exit((new Tcp($resolver, "127.0.0.1:$port", validation: Validation::publicOnly()->allow('127.0.0.0/8'), first: First::Server,
            protocol: Protocol::Raw, tls: new Tusk\Tls($certificate, $key), downstream: TlsMode::Require))->run());
        PHP;

    public readonly int $port;
    private readonly ServerProcess $process;

    /**
     * @param int $backend port of the server behind it
     *
     * @throws \RuntimeException when it does not listen in time, with what it said
     */
    public function __construct(Certificate $certificate, int $backend, string $log)
    {
        $this->port = Ports::free();
        $this->process = new ServerProcess(
            [...(new Peer\Tusk())->runtime(), '-r', self::PROGRAM, '--', (string) $this->port, (string) $backend, $certificate->certificate, $certificate->key],
            $this->port,
            $log,
            Cores::beside(),
        );
    }

    public function end(): void
    {
        $this->process->end();
    }
}
