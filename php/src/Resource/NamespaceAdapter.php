<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Exception\ResourceNotFoundException;

/** Maps a path to a class below a namespace: /bird/self-link is Bird\SelfLink, and a path that ends in "/" means its index. */
final class NamespaceAdapter implements Adapter
{
    /** @var array<string, class-string<ResourceObject>> by path; only what was found, so that strangers' paths take no memory */
    private array $found = [];

    /** @param \Closure(class-string): object $create builds a resource */
    public function __construct(
        private readonly string $namespace,
        private readonly \Closure $create,
    ) {}

    public function find(Uri $uri): string
    {
        return $this->found[$uri->path] ??= $this->look($uri);
    }

    public function create(string $class): ResourceObject
    {
        $resource = ($this->create)($class);

        return $resource instanceof $class ? $resource : throw ResourceNotFoundException::built($class, $resource);
    }

    /** @return class-string<ResourceObject> */
    private function look(Uri $uri): string
    {
        $path = str_ends_with($uri->path, '/') ? $uri->path . 'index' : $uri->path;
        if (preg_match('~^(/[A-Za-z][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*)+$~D', $path) !== 1) {
            throw ResourceNotFoundException::at($uri);
        }
        $class = $this->namespace . strtr(ucwords($path, '/-'), ['-' => '', '/' => '\\']);
        if (!is_subclass_of($class, ResourceObject::class)) {
            throw ResourceNotFoundException::at($uri);
        }
        $reflection = new \ReflectionClass($class);
        // Names of classes have no case once they are loaded; a path always has.
        if ($reflection->getName() !== $class || $reflection->isAbstract()) {
            throw ResourceNotFoundException::at($uri);
        }

        return $class;
    }
}
