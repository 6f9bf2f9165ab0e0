<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

/** What PHP's weak typing makes of a value for one parameter, known before the method is called. */
final class Coercion
{
    /** @var array<string, \ReflectionFunction|null> by the scalar types of a parameter: takes a value as that does */
    private static array $takers = [];

    /** @param array<string, true> $types as PHP names them; "object" stands for all classes */
    private function __construct(
        private readonly array $types,
        private readonly ?\ReflectionFunction $taker,
    ) {}

    /** Null: it takes each value as it is. */
    public static function to(?\ReflectionType $type): ?self
    {
        if ($type === null) {
            return null;
        }
        $types = $type->allowsNull() ? ['null' => true] : [];
        foreach ($type instanceof \ReflectionUnionType ? $type->getTypes() : [$type] as $one) {
            $types[$one instanceof \ReflectionNamedType && $one->isBuiltin() ? $one->getName() : 'object'] = true;
        }

        return isset($types['mixed']) ? null : new self($types, self::taker($types));
    }

    /** @return array{mixed}|null what the method gets; null: PHP will refuse it */
    public function of(mixed $value): ?array
    {
        if (isset($this->types[get_debug_type($value)]) || $this->takesAsItIs($value)) {
            return [$value];
        }
        if ($value === null || $this->taker === null) {
            return null;
        }
        try {
            return [$this->taker->invoke($value)];
        } catch (\TypeError) {
            return null;
        }
    }

    private function takesAsItIs(mixed $value): bool
    {
        return \is_object($value) && isset($this->types['object']) // of which class is left to the call
            || isset($this->types['iterable']) && is_iterable($value)
            || isset($this->types['callable']) && \is_callable($value)
            || \is_bool($value) && isset($this->types[$value ? 'true' : 'false']);
    }

    /** @param array<string, true> $types */
    private static function taker(array $types): ?\ReflectionFunction
    {
        $scalars = implode('|', array_keys(array_intersect_key(['bool' => true, 'float' => true, 'int' => true, 'string' => true], $types)));
        if (\array_key_exists($scalars, self::$takers)) {
            return self::$takers[$scalars];
        }
        $taker = match ($scalars) { // called by reflection, they type weakly
            'bool' => static fn (bool $v): bool => $v,
            'float' => static fn (float $v): float => $v,
            'int' => static fn (int $v): int => $v,
            'string' => static fn (string $v): string => $v,
            'bool|float' => static fn (bool|float $v): bool|float => $v,
            'bool|int' => static fn (bool|int $v): bool|int => $v,
            'bool|string' => static fn (bool|string $v): bool|string => $v,
            'float|int' => static fn (float|int $v): float|int => $v,
            'float|string' => static fn (float|string $v): float|string => $v,
            'int|string' => static fn (int|string $v): int|string => $v,
            'bool|float|int' => static fn (bool|float|int $v): bool|float|int => $v,
            'bool|float|string' => static fn (bool|float|string $v): bool|float|string => $v,
            'bool|int|string' => static fn (bool|int|string $v): bool|int|string => $v,
            'float|int|string' => static fn (float|int|string $v): float|int|string => $v,
            'bool|float|int|string' => static fn (bool|float|int|string $v): bool|float|int|string => $v,
            default => null,
        };

        return self::$takers[$scalars] = $taker === null ? null : new \ReflectionFunction($taker);
    }
}
