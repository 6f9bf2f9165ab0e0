<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** What became of one threshold. */
final readonly class Outcome
{
    /** @param float|null $value what was measured; null when there is no such figure in this result */
    public function __construct(public string $threshold, public ?float $value, public bool $holds, public string $text) {}

    /** @return array<string, string|float|bool|null> */
    public function toArray(): array
    {
        return ['threshold' => $this->threshold, 'value' => $this->value, 'holds' => $this->holds, 'text' => $this->text];
    }

    /** @throws BadFile */
    public static function fromFields(Fields $fields): self
    {
        return new self($fields->string('threshold'), $fields->floatOrNull('value'), $fields->bool('holds'), $fields->string('text'));
    }
}
