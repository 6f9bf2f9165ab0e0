<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class Item extends Logged
{
    public function onGet(string $name = 'none'): static
    {
        $this->ran();
        $this->headers['X-Name'] = $name;
        $this->body = ['name' => $name];

        return $this;
    }

    #[Link('it', '/item{?name}')]
    #[Link('remove', '/item{?name}', method: 'delete')]
    public function onPost(string $name): static
    {
        $this->ran();
        $this->code = 201;
        $this->body = ['name' => $name];

        return $this;
    }

    /** @return array<string, string> */
    public function onPut(string $name): array
    {
        return ['put' => $name];
    }

    public function onPatch(string $name): string
    {
        return "patched $name";
    }

    public function onDelete(string $name = ''): void
    {
        $this->code = 204;
        $this->headers['X-Gone'] = $name;
    }

    protected function onHidden(): void {}
}
