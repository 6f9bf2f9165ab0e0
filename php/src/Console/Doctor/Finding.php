<?php

declare(strict_types=1);

namespace Tusk\Console\Doctor;

/** One thing that was looked at. */
final readonly class Finding implements \JsonSerializable
{
    /** @param string $remedy what to do about it; empty when it is good */
    private function __construct(
        public string $name,
        public Status $status,
        public string $value,
        public string $remedy,
    ) {}

    public static function good(string $name, string $value): self
    {
        return new self($name, Status::Good, $value, '');
    }

    public static function note(string $name, string $value, string $remedy): self
    {
        return new self($name, Status::Note, $value, $remedy);
    }

    public static function warning(string $name, string $value, string $remedy): self
    {
        return new self($name, Status::Warning, $value, $remedy);
    }

    public static function bad(string $name, string $value, string $remedy): self
    {
        return new self($name, Status::Bad, $value, $remedy);
    }

    /** @return array{name: string, status: string, value: string, remedy: string} */
    public function jsonSerialize(): array
    {
        return [
            'name' => $this->name,
            'status' => $this->status->value,
            'value' => $this->value,
            'remedy' => $this->remedy,
        ];
    }
}
