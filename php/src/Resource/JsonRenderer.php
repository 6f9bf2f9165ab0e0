<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Internal\ContentType;
use Tusk\Resource\Internal\Json;

/** Plain JSON: the body of an embedded resource stands in the place of its request. */
final readonly class JsonRenderer implements Renderer
{
    /** @param bool $pretty indented, slashes as they are, a newline at the end */
    public function __construct(private bool $pretty = false) {}

    public function render(ResourceObject $resource): string
    {
        $json = Json::of($resource, $resource->jsonSerialize(), $this->pretty ? JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES : 0);
        ContentType::unlessSet($resource, 'application/json');

        return $this->pretty ? "$json\n" : $json;
    }
}
