<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Values between the server and its writer: a length of four bytes, then the value as PHP serializes it. Only the classes below come out. */
final class Pipe
{
    private const CLASSES = [
        Message::class, Name::class, Outcome::class, Room::class, Session::class, User::class,
        Work\Attend::class, Work\Deliver::class, Work\Enter::class, Work\Introduce::class, Work\Join::class, Work\Leave::class,
        Work\MarkRead::class, Work\Protect::class, Work\Prune::class, Work\Quit::class, Work\Say::class, Work\Wait::class,
    ];

    private const READ = 1 << 20;

    private string $out = '';

    private string $in = '';

    /**
     * @param resource $source
     * @param resource $target
     */
    public function __construct(private $source, private $target) {}

    public function put(mixed $value): void
    {
        $text = serialize($value);
        $this->out .= pack('N', strlen($text)) . $text;
    }

    /** Writes what the other end takes; false when it is gone. */
    public function push(): bool
    {
        while ($this->out !== '') {
            $written = @fwrite($this->target, $this->out);
            if ($written === false || feof($this->target)) {
                return false;
            }
            if ($written === 0) {
                break;
            }
            $this->out = substr($this->out, $written);
        }
        return true;
    }

    /**
     * Reads what is there; false when the other end is gone.
     *
     * @param float $patience seconds to wait for a first byte
     */
    public function pull(float $patience = 0.0): bool
    {
        if ($patience > 0.0) {
            [$readable, $writable, $urgent] = [[$this->source], [], []];
            @stream_select($readable, $writable, $urgent, 0, (int) ($patience * 1e6));
        }
        do {
            $read = @fread($this->source, self::READ);
            $this->in .= (string) $read;
        } while ($read !== false && $read !== '' && !$this->isWhole());
        return $this->isWhole() || !feof($this->source);
    }

    public function isWhole(): bool
    {
        return strlen($this->in) >= 4 && strlen($this->in) >= 4 + $this->length();
    }

    /** The value that has come whole. */
    public function take(): mixed
    {
        $length = $this->length();
        $text = substr($this->in, 4, $length);
        $this->in = substr($this->in, 4 + $length);
        return unserialize($text, ['allowed_classes' => self::CLASSES]);
    }

    private function length(): int
    {
        $words = unpack('N', $this->in);
        return $words !== false && is_int($words[1]) ? $words[1] : 0;
    }
}
