<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/** A closure as a resolver. */
final readonly class Callback implements Resolver
{
    /**
     * @param \Closure(Lookup): (Route|Target|string|null) $resolve a target is a route to it, null a refusal with 404
     * @param float                                        $ttl     seconds, where it gives no Route
     *
     * @throws \TypeError where it can never be called with a Lookup alone
     */
    public function __construct(private \Closure $resolve, private float $ttl = 60.0)
    {
        $function = new \ReflectionFunction($resolve);
        $declared = $function->getParameters()[0] ?? null;
        if ($function->getNumberOfRequiredParameters() > 1 || !self::takes($declared?->getType())) {
            throw new \TypeError(self::class . '::__construct(): Argument #1 ($resolve) must take ' . Lookup::class . ' as its one parameter, ('
                . implode(', ', array_map(static fn (\ReflectionParameter $one): string => trim("{$one->getType()} \${$one->name}"), $function->getParameters())) . ') declared');
        }
    }

    public function resolve(Lookup $lookup): Route
    {
        $answer = ($this->resolve)($lookup);

        return match (true) {
            $answer instanceof Route => $answer,
            $answer === null => throw new Refused(404, 'there is no route'),
            default => Route::to($answer, ttl: $this->ttl),
        };
    }

    /** A Lookup implements nothing and extends nothing. */
    private static function takes(?\ReflectionType $type): bool
    {
        return match (true) {
            $type === null => true,
            $type instanceof \ReflectionUnionType => array_filter($type->getTypes(), self::takes(...)) !== [],
            $type instanceof \ReflectionNamedType => \in_array(strtolower($type->getName()), ['mixed', 'object', strtolower(Lookup::class)], true),
            default => false,
        };
    }
}
