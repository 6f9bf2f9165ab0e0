<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Tests\Resource\Fixture\Logged;

final class Comments extends Logged
{
    public function onGet(int $post): static
    {
        $this->ran();
        $this->code = $post === 21 ? 404 : 200;
        $this->headers['X-Post'] = "$post";
        $this->body = $post === 20 ? null : ['of' => $post];

        return $this;
    }
}
