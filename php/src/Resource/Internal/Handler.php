<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Embed;
use Tusk\Resource\Link;

/** A method of a resource class with its attributes, read once. */
final readonly class Handler
{
    /** @var list<Embed> in source order */
    public array $embeds;
    /** @var list<Link> in source order */
    public array $links;
    /** A method that returns nothing by its declaration leaves the body as it is. */
    public bool $returns;
    public Parameters $parameters;
    public Targets $targets;

    public function __construct(public \ReflectionMethod $method)
    {
        $this->parameters = new Parameters($method);
        $this->targets = new Targets();
        $this->embeds = array_map(static fn (\ReflectionAttribute $a): Embed => $a->newInstance(), $method->getAttributes(Embed::class));
        $this->links = array_map(static fn (\ReflectionAttribute $a): Link => $a->newInstance(), $method->getAttributes(Link::class));
        $type = $method->getReturnType();
        $this->returns = !$type instanceof \ReflectionNamedType || $type->getName() !== 'void';
    }
}
