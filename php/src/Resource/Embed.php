<?php

declare(strict_types=1);

namespace Tusk\Resource;

/** Puts a lazy GET request into the body before the method runs; rel "_self" is run at once and copied in. */
#[\Attribute(\Attribute::TARGET_METHOD | \Attribute::IS_REPEATABLE)]
final readonly class Embed
{
    /** @param string $src URI template (RFC 6570), filled from the method's arguments; "/…" is of the same scheme and host */
    public function __construct(
        public string $rel,
        public string $src,
    ) {}
}
