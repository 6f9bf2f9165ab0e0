<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Psr;

use Psr\Http\Message\StreamInterface;

/** A body of unknown size that cannot be sought, has nothing at every other look, and counts what was read of it. */
final class Slow implements StreamInterface
{
    public int $read = 0;
    public bool $closed = false;
    private bool $nothing = false;

    public function __construct(private readonly int $bytes, private readonly ?\Throwable $fault = null) {}

    public function read($length): string
    {
        $this->nothing = !$this->nothing;
        if ($this->nothing) {
            return '';
        }
        if ($this->fault !== null && $this->read > 0) {
            throw $this->fault;
        }
        $length = min((int) $length, $this->bytes - $this->read);
        $this->read += $length;

        return str_repeat('x', $length);
    }

    public function eof(): bool
    {
        return $this->read >= $this->bytes;
    }

    public function close(): void
    {
        $this->closed = true;
    }

    public function __toString(): string
    {
        throw new \LogicException('asked for the whole');
    }

    public function detach()
    {
        return null;
    }

    public function getSize(): ?int
    {
        return null;
    }

    public function tell(): int
    {
        return $this->read;
    }

    public function isSeekable(): bool
    {
        return false;
    }

    public function seek($offset, $whence = SEEK_SET): void
    {
        throw new \RuntimeException('cannot be sought');
    }

    public function rewind(): void
    {
        throw new \RuntimeException('cannot be sought');
    }

    public function isWritable(): bool
    {
        return false;
    }

    public function write($string): int
    {
        throw new \RuntimeException('cannot be written');
    }

    public function isReadable(): bool
    {
        return true;
    }

    public function getContents(): string
    {
        throw new \LogicException('asked for the whole');
    }

    public function getMetadata($key = null)
    {
        return null;
    }
}
