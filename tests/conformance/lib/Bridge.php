<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** tests/conformance/tls/bridge.c, between a player without TLS and a peer that speaks nothing else; `make` builds it. */
final class Bridge
{
    public readonly int $port;
    /** @var resource|null */
    private $process;

    /** @param 'seal'|'open' $way towards the peer's TLS, or from it */
    public function __construct(string $way, int $to, string $options, string $log)
    {
        $this->port = \Tusk\Tests\free_port();
        $this->process = Process::start(self::program() . " $options $way $this->port $to", $log);
        for ($until = microtime(true) + 20; microtime(true) < $until; Loop::pause(0.005)) {
            $probe = @stream_socket_client("tcp://127.0.0.1:$this->port", $code, $text, 1.0);
            if ($probe !== false) {
                fclose($probe);

                return;
            }
        }

        throw new \RuntimeException("the bridge does not listen, see $log");
    }

    public static function program(): string
    {
        return dirname(__DIR__, 3) . '/build/conformance/tls-bridge';
    }

    /** Without OpenSSL's headers there is none. */
    public static function isBuilt(): bool
    {
        return is_file(self::program());
    }

    /** A folder with cert.pem and key.pem, for localhost and 127.0.0.1. */
    public static function certificate(): string
    {
        $folder = dirname(self::program());
        if (!is_file("$folder/cert.pem")) {
            $part = "$folder/" . getmypid();
            exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=localhost"
                . " -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout $part.key -out $part.pem 2>&1", $said, $status);
            if ($status !== 0) {
                throw new \RuntimeException('openssl req: ' . implode("\n", $said));
            }
            rename("$part.key", "$folder/key.pem"); // another player may do the same
            rename("$part.pem", "$folder/cert.pem");
        }

        return $folder;
    }

    public function stop(): void
    {
        if ($this->process !== null) {
            proc_terminate($this->process, 9);
            proc_close($this->process);
            $this->process = null;
        }
    }
}
