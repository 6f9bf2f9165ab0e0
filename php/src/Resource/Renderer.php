<?php

declare(strict_types=1);

namespace Tusk\Resource;

interface Renderer
{
    /** MUST set Content-Type unless the resource has, and MUST let pass what an embedded request throws. */
    public function render(ResourceObject $resource): string;
}
