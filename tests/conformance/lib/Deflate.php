<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/**
 * permessage-deflate (RFC 7692, section 7.2) for one direction each way, independent of the code under test.
 */
final class Deflate
{
    private const TAIL = "\x00\x00\xff\xff";

    private ?\DeflateContext $out = null;
    private ?\InflateContext $in = null;

    public function __construct(
        private readonly int $outWindow = 15,
        private readonly bool $outTakeover = true,
        private readonly int $inWindow = 15,
        private readonly bool $inTakeover = true,
    ) {}

    public function compress(string $data, int $level = 6): string
    {
        if ($data === '') {
            return "\x00";
        }
        if ($this->out === null || !$this->outTakeover) {
            $options = ['level' => $level, 'window' => max(9, $this->outWindow)];
            $this->out = deflate_init(ZLIB_ENCODING_RAW, $options) ?: throw new \LogicException('deflate_init');
        }

        return substr((string) deflate_add($this->out, $data, ZLIB_SYNC_FLUSH), 0, -4);
    }

    public function expand(string $data): string
    {
        if ($this->in === null || !$this->inTakeover) {
            $this->in = inflate_init(ZLIB_ENCODING_RAW, ['window' => max(8, $this->inWindow)])
                ?: throw new \LogicException('inflate_init');
        }
        $plain = @inflate_add($this->in, $data . self::TAIL, ZLIB_SYNC_FLUSH);
        if ($plain === false) {
            throw new Failed('a compressed message came that does not inflate with the agreed parameters');
        }

        return $plain;
    }

    /** Stored blocks only (RFC 1951, section 3.2.4), ended as section 7.2.1 of RFC 7692 wants it. */
    public static function stored(string $data, int $block = 65535): string
    {
        $out = '';
        foreach (str_split($data, $block) as $piece) {
            $out .= "\x00" . pack('v', strlen($piece)) . pack('v', ~strlen($piece) & 0xffff) . $piece;
        }

        return $out . "\x00";
    }

    /** A whole deflate stream whose last block has BFINAL set. */
    public static function finished(string $data, int $level = 6): string
    {
        return (string) gzdeflate($data, $level);
    }
}
