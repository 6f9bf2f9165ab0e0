<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Exception\MethodNotAllowedException;
use Tusk\Resource\Exception\ResourceNotFoundException;
use Tusk\Resource\Method;
use Tusk\Resource\ResourceObject;

/** The handlers of an application, as far as they were asked for. */
final class Handlers
{
    /** @var array<class-string, array<string, Handler>> by class and method */
    private array $known = [];

    /**
     * @param class-string<ResourceObject> $class
     *
     * @throws MethodNotAllowedException
     * @throws ResourceNotFoundException 500: an adapter named a class that is not there
     */
    public function of(string $class, Method $method): Handler
    {
        return $this->known[$class][$method->value] ??= self::read($class, $method->handler()) ?? throw self::why($class, $method);
    }

    /** A class that is not there has no methods either, but that is the fault of the adapter that named it. */
    private static function why(string $class, Method $method): MethodNotAllowedException|ResourceNotFoundException
    {
        return class_exists($class) ? MethodNotAllowedException::of($method, $class) : ResourceNotFoundException::named($class);
    }

    /** @param class-string<ResourceObject> $class */
    private static function read(string $class, string $name): ?Handler
    {
        if (!method_exists($class, $name)) {
            return null;
        }
        $method = new \ReflectionMethod($class, $name);

        return $method->isPublic() && !$method->isStatic() && !$method->isAbstract() ? new Handler($method) : null;
    }
}
