<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\ResourceObject;

final class ContentType
{
    public static function unlessSet(ResourceObject $resource, string $type): void
    {
        foreach ($resource->headers as $name => $value) {
            if (strcasecmp($name, 'Content-Type') === 0) {
                return;
            }
        }
        $resource->headers['Content-Type'] = $type;
    }
}
