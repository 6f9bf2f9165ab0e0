<?php
// SPDX-License-Identifier: MIT
// C1: operations per second of a WebSocket codec in a PHP loop. php [-d extension=...] codec.php tusk|native|workerman [DIR]
declare(strict_types=1);

const PASSES = 9;
const PASS_S = 0.05;

$which = $argv[1] ?? 'tusk';
$dir = $argv[2] ?? '';

/** A masked client frame, made here so that no codec under test is trusted. */
function frame(int $size): string
{
    $key = "\x12\x9a\x7f\xe1";
    $payload = str_repeat('m', $size);
    $head = $size < 126 ? chr(0x80 | $size) : chr(0xfe) . pack('n', $size);

    return "\x81" . $head . $key . ($payload ^ substr(str_repeat($key, intdiv($size, 4) + 1), 0, $size));
}

/** @return array{Closure(string): mixed, Closure(string): mixed, Closure(mixed): string} encode, decode, payload of what was decoded */
function codec(string $which, string $dir): array
{
    if ($which === 'workerman') {
        spl_autoload_register(static function (string $class) use ($dir): void {
            require "$dir/src/" . strtr(substr($class, strlen('Workerman\\')), '\\', '/') . '.php';
        });
        $connection = (new ReflectionClass(Workerman\Connection\TcpConnection::class))->newInstanceWithoutConstructor();
        $connection->context = (object) ['websocketHandshake' => true, 'websocketDataBuffer' => '', 'websocketCurrentFrameLength' => 0];
        $connection->websocketType = "\x81";

        return [
            static fn (string $s): mixed => Workerman\Protocols\Websocket::encode($s, $connection),
            static fn (string $s): mixed => Workerman\Protocols\Websocket::decode($s, $connection),
            static fn (mixed $s): string => $s,
        ];
    }
    $protocol = $which === 'tusk' ? Tusk\WebSocket\Protocol::class : 'WebSocket\\Protocol';

    return [$protocol::encode(...), $protocol::decode(...), static fn (mixed $frame): string => $frame->payload];
}

/** Best of several passes, as what disturbs a pass only slows it. */
function rate(Closure $work): float
{
    $best = 0.0;
    for ($pass = 0; $pass < PASSES; $pass++) {
        $n = 0;
        $start = hrtime(true);
        do {
            $work();
            $n += 1000;
            $took = (hrtime(true) - $start) / 1e9;
        } while ($took < PASS_S);
        $best = max($best, $n / $took);
    }

    return $best;
}

[$encode, $decode, $payload] = codec($which, $dir);
$results = ['codec' => $which];
foreach ([64, 1024] as $size) {
    $text = str_repeat('m', $size);
    $masked = frame($size);
    if ($payload($decode($masked)) !== $text) {
        fwrite(STDERR, "$which decodes wrongly\n");
        exit(1);
    }
    if ($which !== 'workerman') {
        // Called as users write it, a static call by name.
        $class = $which === 'tusk' ? 'Tusk\\WebSocket\\Protocol' : 'WebSocket\\Protocol';
        $loop = "return static function () use (\$text, \$masked): void { for (\$i = 0; \$i < 1000; \$i++) { %s; } };";
        $results["encode_$size"] = rate(eval(sprintf($loop, "$class::encode(\$text)")));
        $results["decode_$size"] = rate(eval(sprintf($loop, "$class::decode(\$masked)")));
        continue;
    }
    $results["encode_$size"] = rate(static function () use ($encode, $text): void {
        for ($i = 0; $i < 1000; $i++) {
            $encode($text);
        }
    });
    $results["decode_$size"] = rate(static function () use ($decode, $masked): void {
        for ($i = 0; $i < 1000; $i++) {
            $decode($masked);
        }
    });
}
echo json_encode($results), "\n";
