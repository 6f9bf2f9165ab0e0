<?php

declare(strict_types=1);

namespace Tusk\Resource;

/** The other way to make a request: at once. */
final readonly class Eager
{
    public function __construct(private Request $request) {}

    public function request(): ResourceObject
    {
        return ($this->request)();
    }
}
