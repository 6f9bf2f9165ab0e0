<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Decoded JSON read with types: every fault names the field and what is there instead. */
final readonly class Fields
{
    /** @param array<array-key, mixed> $values */
    public function __construct(private array $values, private string $path = '') {}

    /** @throws BadFile when the text is no JSON object */
    public static function ofJson(string $json): self
    {
        try {
            $values = json_decode($json, true, 64, JSON_THROW_ON_ERROR);
        } catch (\JsonException $fault) {
            throw new BadFile("not JSON: {$fault->getMessage()}", previous: $fault);
        }

        return new self(is_array($values) ? $values : throw new BadFile('not a JSON object'));
    }

    public function has(string $name): bool
    {
        return isset($this->values[$name]);
    }

    public function string(string $name): string
    {
        $value = $this->get($name);

        return is_string($value) ? $value : throw $this->bad($name, 'a string', $value);
    }

    public function stringOrNull(string $name): ?string
    {
        return isset($this->values[$name]) ? $this->string($name) : null;
    }

    public function int(string $name): int
    {
        $value = $this->get($name);

        return is_int($value) ? $value : throw $this->bad($name, 'an integer', $value);
    }

    public function float(string $name): float
    {
        $value = $this->get($name);

        return is_int($value) || is_float($value) && is_finite($value) ? (float) $value : throw $this->bad($name, 'a number', $value);
    }

    public function floatOrNull(string $name): ?float
    {
        return isset($this->values[$name]) ? $this->float($name) : null;
    }

    public function bool(string $name): bool
    {
        $value = $this->get($name);

        return is_bool($value) ? $value : throw $this->bad($name, 'true or false', $value);
    }

    public function object(string $name): self
    {
        $value = $this->get($name);

        return is_array($value) ? new self($value, "$this->path$name.") : throw $this->bad($name, 'an object', $value);
    }

    /** @return list<self> */
    public function objects(string $name): array
    {
        $value = $this->get($name);
        if (!is_array($value) || !array_is_list($value)) {
            throw $this->bad($name, 'a list', $value);
        }

        return array_map(fn (int $i): self => (new self($value, "$this->path$name."))->object((string) $i), array_keys($value));
    }

    /** @return list<string> */
    public function strings(string $name): array
    {
        $value = $this->get($name);
        if (!is_array($value) || !array_is_list($value) || count(array_filter($value, is_string(...))) !== count($value)) {
            throw $this->bad($name, 'a list of strings', $value);
        }

        return array_values(array_filter($value, is_string(...)));
    }

    /** @return array<string, int|float> */
    public function numbers(string $name): array
    {
        $numbers = [];
        foreach ($this->object($name)->values as $key => $value) {
            $numbers[(string) $key] = is_int($value) || is_float($value) && is_finite($value) ? $value : throw $this->bad("$name.$key", 'a number', $value);
        }

        return $numbers;
    }

    /** @return array<string, int> */
    public function ints(string $name): array
    {
        return array_map(fn (int|float $value): int => is_int($value) ? $value : throw $this->bad($name, 'integers', $value), $this->numbers($name));
    }

    /** @return array<string, int|float|string|bool|null> */
    public function scalars(string $name): array
    {
        $scalars = [];
        foreach ($this->object($name)->values as $key => $value) {
            $scalars[(string) $key] = (is_scalar($value) && !(is_float($value) && !is_finite($value))) || $value === null ? $value : throw $this->bad("$name.$key", 'a scalar', $value);
        }

        return $scalars;
    }

    /** @return list<string> */
    public function names(): array
    {
        return array_map(strval(...), array_keys($this->values));
    }

    private function get(string $name): mixed
    {
        return array_key_exists($name, $this->values) ? $this->values[$name] : throw new BadFile("$this->path$name is missing");
    }

    private function bad(string $name, string $wanted, mixed $value): BadFile
    {
        return new BadFile(sprintf('%s%s is not %s but %s', $this->path, $name, $wanted, is_float($value) && !is_finite($value) ? 'beyond all numbers' : get_debug_type($value)));
    }
}
