<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Exception\BadRequestException;
use Tusk\Resource\Exception\ParameterException;

/** Matches a query to the parameters of a method by name. */
final class Parameters
{
    /**
     * @param array<array-key, mixed> $query
     *
     * @return array<string, mixed> the arguments by name, in order; a variadic parameter gets none
     *
     * @throws ParameterException  one is missing
     * @throws BadRequestException a class or enum cannot be made of the value
     */
    public static function match(\ReflectionMethod $method, array $query): array
    {
        $arguments = [];
        foreach ($method->getParameters() as $parameter) {
            if ($parameter->isVariadic()) {
                break;
            }
            $name = $parameter->getName();
            $key = array_key_exists($name, $query) ? $name : self::snake($name);
            $arguments[$name] = match (true) {
                array_key_exists($key, $query) => self::value($parameter, $query[$key]),
                $parameter->isDefaultValueAvailable() => $parameter->getDefaultValue(),
                default => throw ParameterException::missing($name),
            };
        }

        return $arguments;
    }

    private static function snake(string $name): string
    {
        return strtolower((string) preg_replace('~(?<!^)[A-Z]~', '_$0', $name));
    }

    private static function value(\ReflectionParameter $parameter, mixed $value): mixed
    {
        $type = $parameter->getType();
        if (!$type instanceof \ReflectionNamedType || $type->isBuiltin() || is_object($value) || $value === null) {
            return $value;
        }
        $class = $type->getName();
        if (is_a($class, \BackedEnum::class, true)) {
            return self::enum($class, $value);
        }

        return is_array($value) && class_exists($class) ? self::build($class, $value) : $value;
    }

    /** @param class-string<\BackedEnum> $class */
    private static function enum(string $class, mixed $value): \BackedEnum
    {
        $whole = (string) (new \ReflectionEnum($class))->getBackingType() === 'int';
        $scalar = $whole ? filter_var($value, FILTER_VALIDATE_INT) : (is_scalar($value) ? (string) $value : false);

        return ($scalar === false ? null : $class::tryFrom($scalar)) ?? throw BadRequestException::type(null);
    }

    /**
     * @param class-string            $class
     * @param array<array-key, mixed> $values
     */
    private static function build(string $class, array $values): object
    {
        $reflection = new \ReflectionClass($class);
        $constructor = $reflection->getConstructor();
        try {
            return $constructor === null ? $reflection->newInstance() : $reflection->newInstanceArgs(array_values(self::match($constructor, $values)));
        } catch (\TypeError $e) {
            throw BadRequestException::type($e);
        }
    }
}
