<?php

declare(strict_types=1);

namespace Tusk\Console\Tune;

/** A setting beside what the machine has. */
final readonly class Change implements \JsonSerializable
{
    /** Whether it is another than it should be. */
    public bool $wanted;
    /** Whether it is further out than asked for, and so left alone. */
    public bool $further;

    public function __construct(public Setting $setting, public string $now)
    {
        $this->wanted = !$setting->holds($now);
        $this->further = !$this->wanted && $now !== $setting->value;
    }

    /** @return array{name: string, now: string, value: string, change: bool, why: string} */
    public function jsonSerialize(): array
    {
        return [
            'name' => $this->setting->name,
            'now' => $this->now,
            'value' => $this->setting->value,
            'change' => $this->wanted,
            'why' => $this->setting->why,
        ];
    }
}
