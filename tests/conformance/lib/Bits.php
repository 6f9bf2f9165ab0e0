<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** Deflate blocks made by hand (RFC 1951, section 3.2.6), for matches that no compressor would choose. */
final class Bits
{
    private string $bits = '';

    /**
     * One block of fixed codes that is not the last: matches, and the end of the block.
     *
     * @param list<array{int, int, int, int}> $matches symbol of a length without extra bits (257–264), distance code, value and number of its extra bits
     */
    public static function fixed(array $matches): string
    {
        $self = new self();
        $self->number(0, 1);
        $self->number(1, 2);
        foreach ($matches as [$symbol, $distance, $extra, $count]) {
            $self->code($symbol - 256, 7);
            $self->code($distance, 5);
            $self->number($extra, $count);
        }
        $self->code(0, 7);
        $self->number(0, 3); // the empty stored block of a flush begins; its padding ends this byte, its lengths are left out

        return $self->bytes();
    }

    /** Huffman codes: the highest bit first. */
    private function code(int $value, int $count): void
    {
        for ($bit = $count - 1; $bit >= 0; $bit--) {
            $this->bits .= ($value >> $bit) & 1;
        }
    }

    /** Everything else: the lowest bit first. */
    private function number(int $value, int $count): void
    {
        for ($bit = 0; $bit < $count; $bit++) {
            $this->bits .= ($value >> $bit) & 1;
        }
    }

    private function bytes(): string
    {
        $out = '';
        foreach (str_split($this->bits, 8) as $byte) {
            $out .= chr((int) bindec(strrev($byte)));
        }

        return $out;
    }
}
