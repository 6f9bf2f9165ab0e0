<?php
// SPDX-License-Identifier: MIT
// Operations per second of a WebSocket codec in a PHP loop, a line of JSON. php codec.php CODEC ITERATIONS SIZE [FOLDER|AUTOLOADER]
declare(strict_types=1);

[, $codec, $iterations, $size] = $argv;
$where = $argv[4] ?? '';

/** A masked client frame, made here so that no codec under test is trusted. */
function masked(string $payload): string
{
    $key = "\x12\x9a\x7f\xe1";
    $size = strlen($payload);
    $head = $size < 126 ? chr(0x80 | $size) : ($size < 65536 ? chr(0xfe) . pack('n', $size) : chr(0xff) . pack('J', $size));

    return "\x81" . $head . $key . ($payload ^ substr(str_repeat($key, intdiv($size, 4) + 1), 0, $size));
}

/** What a codec's calls need besides $text and $frame. */
function context(string $codec, string $where): ?object
{
    if ($codec === 'workerman') {
        spl_autoload_register(static function (string $class) use ($where): void {
            $file = strtr(substr($class, strlen('Workerman\\')), '\\', '/') . '.php';
            require is_file("$where/src/$file") ? "$where/src/$file" : "$where/vendor/workerman/workerman/src/$file";
        });
        $connection = (new ReflectionClass(Workerman\Connection\TcpConnection::class))->newInstanceWithoutConstructor();
        $connection->context = (object) ['websocketHandshake' => true, 'websocketDataBuffer' => '', 'websocketCurrentFrameLength' => 0];
        $connection->websocketType = "\x81";

        return $connection;
    }
    if ($codec === 'rfc6455') {
        require $where;
        $context = new stdClass();
        $context->buffer = new Ratchet\RFC6455\Messaging\MessageBuffer(
            new Ratchet\RFC6455\Messaging\CloseFrameChecker(),
            static function (mixed $message) use ($context): void {
                $context->message = $message;
            },
            null,
            true,
        );

        return $context;
    }

    return null;
}

// The calls as their users write them: a closure around them would be most of the time.
$calls = [
    'tusk' => ['Tusk\WebSocket\Protocol::encode($text)', 'Tusk\WebSocket\Protocol::decode($frame)', '->payload'],
    'native' => ['WebSocket\Protocol::encode($text)', 'WebSocket\Protocol::decode($frame)', '->payload'],
    'swoole' => ['Swoole\WebSocket\Server::pack($text, WEBSOCKET_OPCODE_TEXT)', 'Swoole\WebSocket\Server::unpack($frame)', '->data'],
    'openswoole' => ['OpenSwoole\WebSocket\Server::pack($text, WEBSOCKET_OPCODE_TEXT)', 'OpenSwoole\WebSocket\Server::unpack($frame)', '->data'],
    'workerman' => ['Workerman\Protocols\Websocket::encode($text, $context)', 'Workerman\Protocols\Websocket::decode($frame, $context)', ''],
    'rfc6455' => ['(new Ratchet\RFC6455\Messaging\Frame($text))->getContents()', '[$context->buffer->onData($frame), $context->message][1]', '->getPayload()'],
];
[$encode, $decode, $payload] = $calls[$codec] ?? exit("codec.php: no codec $codec\n");
$context = context($codec, $where);
$text = str_repeat('m', (int) $size);
$frame = masked($text);
eval("\$encoded = (string) $encode; \$decoded = ($decode)$payload;");
if ($decoded !== $text || !str_ends_with($encoded, $text)) {
    fwrite(STDERR, "$codec encodes or decodes wrongly\n");
    exit(1);
}
$rates = [];
foreach (['encode' => $encode, 'decode' => $decode] as $name => $call) {
    $loop = eval("return static function (int \$n, string \$text, string \$frame, ?object \$context): void { while (\$n-- > 0) { $call; } };");
    $begin = hrtime(true);
    $loop((int) $iterations, $text, $frame, $context);
    $rates[$name] = (int) $iterations / (hrtime(true) - $begin) * 1e9;
}
echo json_encode($rates), "\n";
