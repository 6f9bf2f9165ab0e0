<?php

declare(strict_types=1);

namespace Tusk\Conformance;

function text(string $payload = ''): Frame
{
    return new Frame(Frame::TEXT, $payload);
}

function binary(string $payload = ''): Frame
{
    return new Frame(Frame::BINARY, $payload);
}

function cont(string $payload = ''): Frame
{
    return new Frame(Frame::CONTINUATION, $payload);
}

function ping(string $payload = ''): Frame
{
    return new Frame(Frame::PING, $payload);
}

function pong(string $payload = ''): Frame
{
    return new Frame(Frame::PONG, $payload);
}

function close(?int $code = null, string $reason = ''): Frame
{
    return new Frame(Frame::CLOSE, $code === null ? '' : pack('n', $code) . $reason);
}

/**
 * A message cut into frames: the pieces in order, only the last one final.
 *
 * @param list<string> $pieces
 *
 * @return list<Frame>
 */
function fragments(int $opcode, array $pieces): array
{
    $frames = [];
    $last = count($pieces) - 1;
    foreach ($pieces as $index => $piece) {
        $frames[] = new Frame($index === 0 ? $opcode : Frame::CONTINUATION, $piece, $index === $last);
    }

    return $frames;
}

/** Bytes that do not compress and are the same in every run. */
function noise(int $length, int $seed = 1): string
{
    static $made = []; // many cases want the same, and each client that is started is a fork of all this memory
    if (isset($made["$length/$seed"])) {
        return $made["$length/$seed"];
    }
    $out = '';
    for ($block = 0; strlen($out) < $length; $block++) {
        $out .= hash('sha512', "$seed/$block", true);
    }

    return $made["$length/$seed"] = substr($out, 0, $length);
}

/** Text of exactly that many bytes that compresses about as well as prose. */
function prose(int $length, int $seed = 1): string
{
    $words = ['Sonne', 'vent', 'kärlek', 'hello', 'wörld', '日本', 'message', 'of', 'the', 'day', 'ночь', 'x'];
    $out = '';
    $state = $seed;
    while (strlen($out) < min($length, 1 << 16)) {
        $state = ($state * 1103515245 + 12345) & 0x7fffffff;
        $out .= $words[($state >> 8) % 12] . ' ';
    }
    $out = str_repeat($out, intdiv($length, max(1, strlen($out))) + 1);

    $out = substr($out, 0, $length);
    $out = (string) preg_replace('/[\xc0-\xff][\x80-\xbf]{0,2}\z/', '', $out);

    return str_pad($out, $length, '.');
}
