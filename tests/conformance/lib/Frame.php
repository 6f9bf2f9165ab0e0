<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/**
 * One frame of RFC 6455, section 5.2, with every field free to be wrong.
 */
final readonly class Frame
{
    public const CONTINUATION = 0;
    public const TEXT = 1;
    public const BINARY = 2;
    public const CLOSE = 8;
    public const PING = 9;
    public const PONG = 10;

    /**
     * @param ?bool   $masked   null: as the role demands
     * @param ?int    $form     7, 16 or 64 bits of length; null: the shortest
     * @param ?string $declared eight bytes to declare instead of the true length (form 64)
     */
    public function __construct(
        public int $opcode,
        public string $payload = '',
        public bool $final = true,
        public int $rsv = 0,
        public ?bool $masked = null,
        public ?int $form = null,
        public ?string $declared = null,
        public ?string $key = null,
    ) {}

    public function more(): self
    {
        return $this->with(['final' => false]);
    }

    public function rsv(int $bits): self
    {
        return $this->with(['rsv' => $bits]);
    }

    /** Marks the first frame of a compressed message (RFC 7692, section 7.2.3.1). */
    public function rsv1(): self
    {
        return $this->rsv(4);
    }

    public function masked(bool $masked): self
    {
        return $this->with(['masked' => $masked]);
    }

    public function key(string $key): self
    {
        return $this->with(['key' => $key]);
    }

    public function form(int $bits): self
    {
        return $this->with(['form' => $bits]);
    }

    /** Declares another length than it carries. */
    public function declares(string $eightBytes): self
    {
        return $this->with(['declared' => $eightBytes, 'form' => 64]);
    }

    /** @param array<string, mixed> $changes */
    private function with(array $changes): self
    {
        /** @phpstan-ignore argument.type */
        return new self(...array_merge(get_object_vars($this), $changes));
    }

    public function encode(bool $maskByRole): string
    {
        $masked = $this->masked ?? $maskByRole;
        $length = strlen($this->payload);
        $form = $this->form ?? ($length < 126 ? 7 : ($length < 65536 ? 16 : 64));
        $bit = $masked ? 0x80 : 0;
        $head = chr(($this->final ? 0x80 : 0) | ($this->rsv << 4) | $this->opcode) . match ($form) {
            7 => chr($bit | $length),
            16 => chr($bit | 126) . pack('n', $length),
            default => chr($bit | 127) . ($this->declared ?? pack('J', $length)),
        };
        if (!$masked) {
            return $head . $this->payload;
        }
        $key = $this->key ?? pack("N", crc32($this->payload) ^ 0x5ac3f017);

        return $head . $key . ($this->payload ^ substr(str_repeat($key, intdiv($length, 4) + 1), 0, $length));
    }

    public function describe(): string
    {
        $names = [0 => 'continuation', 1 => 'text', 2 => 'binary', 8 => 'close', 9 => 'ping', 10 => 'pong'];
        $name = $names[$this->opcode] ?? "opcode $this->opcode";
        if ($this->opcode === self::CLOSE && strlen($this->payload) >= 2) {
            return sprintf('close %d "%s"', $this->closeCode(), substr($this->payload, 2));
        }

        return sprintf(
            '%s%s%s of %d bytes (%s)',
            $name,
            $this->final ? '' : ' (not final)',
            $this->rsv === 0 ? '' : " rsv=$this->rsv",
            strlen($this->payload),
            bin2hex(substr($this->payload, 0, 24)),
        );
    }

    public function closeCode(): int
    {
        if ($this->payload === '') {
            return 1005;
        }
        if (strlen($this->payload) === 1) {
            throw new Failed('a Close frame with a payload of one byte came');
        }

        return (ord($this->payload[0]) << 8) | ord($this->payload[1]);
    }
}
