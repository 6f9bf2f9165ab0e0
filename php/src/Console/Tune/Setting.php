<?php

declare(strict_types=1);

namespace Tusk\Console\Tune;

/** One kernel setting and what it should be. A limit that is further out already is left alone. */
final readonly class Setting
{
    private function __construct(
        /** As sysctl writes it: "net.core.somaxconn". */
        public string $name,
        public string $value,
        public string $why,
        private Bound $bound,
    ) {}

    public static function atLeast(string $name, string $value, string $why): self
    {
        return new self($name, $value, $why, Bound::Least);
    }

    public static function atMost(string $name, string $value, string $why): self
    {
        return new self($name, $value, $why, Bound::Most);
    }

    /** Columns of which the last is a limit. */
    public static function widest(string $name, string $value, string $why): self
    {
        return new self($name, $value, $why, Bound::Widest);
    }

    public static function exactly(string $name, string $value, string $why): self
    {
        return new self($name, $value, $why, Bound::Exact);
    }

    /** Of columns "least, first, most" the last is a limit: where it is further out it stays, the others are set. */
    public function beside(string $now): self
    {
        $mine = explode(' ', $this->value);
        $last = count($mine) - 1;
        $most = preg_split('~\s+~', trim($now))[$last] ?? '';
        if ($this->bound !== Bound::Widest || (float) $most <= (float) $mine[$last]) {
            return $this;
        }

        return new self($this->name, implode(' ', [...array_slice($mine, 0, $last), $most]), $this->why, $this->bound);
    }

    /** @param string $now as the kernel gives it, columns divided by tabs */
    public function holds(string $now): bool
    {
        $now = trim((string) preg_replace('~\s+~', ' ', $now));

        // Some of them are 2^63 - 1 by default: floats compare those well enough.
        return match ($this->bound) {
            Bound::Least => (float) $now >= (float) $this->value,
            Bound::Most => (float) $now <= (float) $this->value,
            Bound::Widest => $now === $this->beside($now)->value,
            Bound::Exact => $now === $this->value,
        };
    }

    /** Below /proc/sys. */
    public function path(): string
    {
        return strtr($this->name, '.', '/');
    }

    public function command(): string
    {
        return "sysctl -w {$this->name}=" . (str_contains($this->value, ' ') ? "'{$this->value}'" : $this->value);
    }
}
