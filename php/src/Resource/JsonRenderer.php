<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Internal\ContentType;

/** Plain JSON: the body of an embedded resource stands in the place of its request. */
final readonly class JsonRenderer implements Renderer
{
    /** @param bool $pretty indented, slashes as they are, a newline at the end */
    public function __construct(private bool $pretty = false) {}

    public function render(ResourceObject $resource): string
    {
        $json = json_encode($resource->jsonSerialize(), JSON_THROW_ON_ERROR | ($this->pretty ? JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES : 0));
        ContentType::unlessSet($resource, 'application/json');

        return $this->pretty ? "$json\n" : $json;
    }
}
