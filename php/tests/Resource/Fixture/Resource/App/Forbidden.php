<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class Forbidden extends Logged
{
    #[Link('blog', '/blog?id=1')]
    public function onGet(): static
    {
        $this->ran();
        $this->code = 403;
        $this->body = ['no' => 1];

        return $this;
    }
}
