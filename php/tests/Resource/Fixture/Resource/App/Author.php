<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class Author extends Logged
{
    #[Link('blog', 'app://self/blog?id={blog_id}')]
    #[Link('lost', '/no-such-thing')]
    #[Link('gone', '/gone')]
    #[Link('fails', '/fails?message=linked')]
    #[Link('edit', '/item?name={name}', method: 'put')]
    #[Link('text', '/scalar')]
    public function onGet(int $id): static
    {
        $this->ran();
        $this->headers['X-Author'] = "$id";
        $this->body = ['name' => "a$id", 'blog_id' => $id + 10];

        return $this;
    }
}
