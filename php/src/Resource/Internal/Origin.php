<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Client;
use Tusk\Resource\Method;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Uri;

/** Which request a resource object answers: what a renderer and a link need to know of it, also where the object itself was made elsewhere. */
final readonly class Origin
{
    /**
     * @param class-string<ResourceObject> $class     whose attributes count
     * @param list<string>                 $ancestors identities of the requests around it, outermost first
     */
    public function __construct(
        public string $class,
        public Method $method,
        public Uri $uri,
        public Client $client,
        public string $identity,
        public array $ancestors,
    ) {}

    /** @return list<string> the way down to what this resource embeds */
    public function path(): array
    {
        return [...$this->ancestors, $this->identity];
    }
}
