<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\ResourceObject;
use Tusk\Tests\Resource\Fixture\Logged;

/** Gives a resource that no request made. */
final class Swapped extends Logged
{
    public function onGet(): ResourceObject
    {
        $tag = new Tag();
        $tag->headers = ['content-TYPE' => 'text/tag'];
        $tag[] = 'first';
        $tag[] = 'second';

        return $tag;
    }
}
