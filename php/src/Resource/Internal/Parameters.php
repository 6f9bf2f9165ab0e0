<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Exception\BadRequestException;
use Tusk\Resource\Exception\ParameterException;

/** The parameters of a method, read once, to which queries are matched by name. */
final class Parameters
{
    /** @var array<string, \ReflectionParameter> by name, in order; a variadic one gets nothing */
    private array $parameters = [];
    /** @var array<string, string> the other name under which a query may have it */
    private array $snake = [];
    /** @var array<string, string> class of those that are no plain value */
    private array $class = [];
    /** @var array<string, mixed> defaults that are the same each time; an object is made anew */
    private array $default = [];

    /** @var array<string, Coercion|null>|null by name; made for methods that need it */
    private ?array $coercions = null;

    /** @var array<class-string<\BackedEnum>, bool> whether its cases are numbers */
    private static array $whole = [];

    public function __construct(\ReflectionMethod $method)
    {
        foreach ($method->getParameters() as $parameter) {
            if ($parameter->isVariadic()) {
                break;
            }
            $name = $parameter->getName();
            $this->parameters[$name] = $parameter;
            $this->snake[$name] = self::snake($name);
            $class = self::classOf($parameter->getType());
            if ($class !== null) {
                $this->class[$name] = $class;
            }
        }
    }

    /**
     * @param array<array-key, mixed> $query
     *
     * @return array<string, mixed> the arguments by name, in order
     *
     * @throws ParameterException  one is missing
     * @throws BadRequestException a class or enum cannot be made of the value
     */
    public function match(array $query): array
    {
        $arguments = [];
        foreach ($this->parameters as $name => $parameter) {
            if (isset($query[$name]) && !isset($this->class[$name])) {
                $arguments[$name] = $query[$name];
                continue;
            }
            $key = \array_key_exists($name, $query) ? $name : $this->snake[$name];
            $arguments[$name] = \array_key_exists($key, $query) ? self::value($this->class[$name] ?? null, $query[$key]) : $this->default($name, $parameter);
        }

        return $arguments;
    }

    /**
     * @param array<string, mixed> $arguments of match()
     *
     * @return array<string, mixed>|null as the method gets them; null: the call will refuse them
     */
    public function typed(array $arguments): ?array
    {
        $this->coercions ??= array_map(static fn (\ReflectionParameter $p): ?Coercion => Coercion::to($p->getType()), $this->parameters);
        foreach ($arguments as $name => $value) {
            $coercion = $this->coercions[$name] ?? null;
            if ($coercion !== null) {
                $typed = $coercion->of($value);
                if ($typed === null) {
                    return null;
                }
                $arguments[$name] = $typed[0];
            }
        }

        return $arguments;
    }

    private function default(string $name, \ReflectionParameter $parameter): mixed
    {
        if (\array_key_exists($name, $this->default)) {
            return $this->default[$name];
        }
        if (!$parameter->isDefaultValueAvailable()) {
            throw ParameterException::missing($name);
        }
        $value = $parameter->getDefaultValue();
        if ($value === null || \is_scalar($value) || $value instanceof \UnitEnum) {
            $this->default[$name] = $value;
        }

        return $value;
    }

    private static function snake(string $name): string
    {
        return strtolower((string) preg_replace('~(?<!^)[A-Z]~', '_$0', $name));
    }

    /** Null for a plain value. */
    private static function classOf(?\ReflectionType $type): ?string
    {
        return $type instanceof \ReflectionNamedType && !$type->isBuiltin() ? $type->getName() : null;
    }

    private static function value(?string $class, mixed $value): mixed
    {
        if ($class === null || \is_object($value) || $value === null) {
            return $value;
        }
        if (is_a($class, \BackedEnum::class, true)) {
            return self::enum($class, $value);
        }

        return \is_array($value) && class_exists($class) ? self::build($class, $value) : $value;
    }

    /** @param class-string<\BackedEnum> $class */
    private static function enum(string $class, mixed $value): \BackedEnum
    {
        $whole = self::$whole[$class] ??= (string) (new \ReflectionEnum($class))->getBackingType() === 'int';
        $scalar = $whole ? filter_var($value, FILTER_VALIDATE_INT) : (\is_scalar($value) ? (string) $value : false);

        return ($scalar === false ? null : $class::tryFrom($scalar)) ?? throw BadRequestException::type(null);
    }

    /**
     * @param class-string            $class
     * @param array<array-key, mixed> $values
     */
    private static function build(string $class, array $values): object
    {
        $reflection = new \ReflectionClass($class);
        if (!$reflection->isInstantiable()) {
            throw BadRequestException::type(null);
        }
        $constructor = $reflection->getConstructor();
        $of = $constructor === null ? '' : "$constructor->class::__construct(): Argument #"; // else it is a fault of the constructor's own
        try {
            return $constructor === null ? self::fill($reflection, $values) : $reflection->newInstanceArgs(array_values((new self($constructor))->match($values)));
        } catch (\TypeError $e) {
            throw str_starts_with($e->getMessage(), $of) ? BadRequestException::type($e) : $e;
        }
    }

    /**
     * A class without a constructor has its public properties as parameters.
     *
     * @param \ReflectionClass<object> $class
     * @param array<array-key, mixed>  $values
     */
    private static function fill(\ReflectionClass $class, array $values): object
    {
        $object = $class->newInstance();
        if ($object instanceof \stdClass) {
            return (object) $values;
        }
        foreach ($class->getProperties(\ReflectionProperty::IS_PUBLIC) as $property) {
            $name = $property->getName();
            $key = \array_key_exists($name, $values) ? $name : self::snake($name);
            if ($property->isStatic() || $property->isReadOnly()) {
                continue;
            }
            if (\array_key_exists($key, $values)) {
                $property->setValue($object, self::value(self::classOf($property->getType()), $values[$key])); // by PHP's weak typing, as arguments are
            } elseif (!$property->isInitialized($object)) {
                throw ParameterException::missing($name);
            }
        }

        return $object;
    }
}
