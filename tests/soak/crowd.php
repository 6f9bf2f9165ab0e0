<?php

declare(strict_types=1);

// One process of the soak's crowd: makes and drops connections in every manner until it is killed or has made its number.
// crowd.php PORT CONNECTIONS MESSAGES-EACH SEED; writes "connections messages faults" lines to stdout.

namespace Tusk\Conformance;

require dirname(__DIR__) . '/conformance/lib/bootstrap.php';

final class Crowd
{
    private int $connections = 0;
    private int $messages = 0;
    private int $faults = 0;
    private string $batch;

    public function __construct(private readonly int $port, private readonly int $each)
    {
        $this->batch = str_repeat(text('0123456789abcdef')->key("\x01\x02\x03\x04")->encode(true), $each);
    }

    public function run(int $number): void
    {
        while ($this->connections < $number) {
            $this->connections++;
            match (mt_rand(0, 15)) {
                0 => $this->leave(''),
                1 => $this->leave(substr(Upgrade::request(), 0, mt_rand(1, 150))),
                2 => $this->leave(Upgrade::request()),
                3 => $this->drop(substr(binary(str_repeat('x', 5000))->encode(true), 0, mt_rand(1, 5000)), true),
                4 => $this->drop(text('half')->more()->encode(true), false),
                5 => $this->drop(str_repeat(binary(str_repeat('y', 100000))->encode(true), 5), true),
                6 => $this->halfClose(),
                7 => $this->drop(random_bytes(200), false),
                8 => $this->compressed(),
                default => $this->talk(),
            };
            if ($this->connections % 100 === 0 || $this->connections === $number) {
                echo "$this->connections $this->messages $this->faults\n";
            }
        }
    }

    /** @return resource|null */
    private function connect()
    {
        $stream = @stream_socket_client("tcp://127.0.0.1:$this->port", $code, $text, 5.0);
        if ($stream === false) {
            $this->faults++;
            usleep(10000);

            return null;
        }
        stream_set_timeout($stream, 10);

        return $stream;
    }

    /** @return resource|null */
    private function open(string $offer = '')
    {
        $stream = $this->connect();
        if ($stream === null) {
            return null;
        }
        fwrite($stream, Upgrade::request($offer === '' ? [] : ['Sec-WebSocket-Extensions' => $offer]));
        $head = '';
        while (!str_ends_with($head, "\r\n\r\n")) {
            $line = fgets($stream);
            if ($line === false) {
                $this->faults++;

                return null;
            }
            $head .= $line;
        }
        $this->faults += str_starts_with($head, 'HTTP/1.1 101 ') ? 0 : 1;

        return $stream;
    }

    private function leave(string $bytes): void
    {
        $stream = $this->connect();
        if ($stream !== null) {
            @fwrite($stream, $bytes);
            mt_rand(0, 1) === 0 ? $this->reset($stream) : fclose($stream);
        }
    }

    private function drop(string $bytes, bool $reset): void
    {
        $stream = $this->open();
        if ($stream !== null) {
            stream_set_blocking($stream, false);
            @fwrite($stream, $bytes);
            $reset ? $this->reset($stream) : fclose($stream);
        }
    }

    private function halfClose(): void
    {
        $stream = $this->open();
        if ($stream !== null) {
            fwrite($stream, text('last')->encode(true));
            stream_socket_shutdown($stream, STREAM_SHUT_WR);
            stream_get_contents($stream);
            $this->faults += feof($stream) ? 0 : 1;
            fclose($stream);
        }
    }

    private function compressed(): void
    {
        $stream = $this->open('permessage-deflate; client_no_context_takeover');
        if ($stream !== null) {
            $packed = (new Deflate(15, false))->compress(prose(2000));
            fwrite($stream, text($packed)->rsv1()->encode(true) . close(1000)->encode(true));
            stream_get_contents($stream);
            $this->messages++;
            fclose($stream);
        }
    }

    private function talk(): void
    {
        $stream = $this->open();
        if ($stream === null) {
            return;
        }
        fwrite($stream, $this->batch . close(1000)->encode(true));
        $answer = stream_get_contents($stream);
        $wanted = str_repeat("\x81\x100123456789abcdef", $this->each) . "\x88\x02\x03\xe8";
        $this->faults += $answer === $wanted ? 0 : 1;
        $this->messages += $this->each;
        fclose($stream);
    }

    /** @param resource $stream */
    private function reset($stream): void
    {
        $socket = function_exists('socket_import_stream') ? socket_import_stream($stream) : null;
        if ($socket instanceof \Socket) {
            socket_set_option($socket, SOL_SOCKET, SO_LINGER, ['l_onoff' => 1, 'l_linger' => 0]);
        }
        fclose($stream);
    }
}

mt_srand((int) $argv[4]);
(new Crowd((int) $argv[1], (int) $argv[3]))->run((int) $argv[2]);
