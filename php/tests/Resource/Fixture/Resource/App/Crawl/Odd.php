<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class Odd extends Logged
{
    #[Link('tag', '/tag', crawl: 'tree')]
    public function onGet(string $kind): static
    {
        $this->ran();
        $this->body = match ($kind) {
            'map' => ['user' => ['id' => 1]],
            'maps' => ['a' => ['id' => 1], 'b' => ['id' => 2]],
            'null' => ['a' => null],
            'mixed' => [['id' => 1], 'word', null, ['x' => 2]],
            'words' => ['a', 'b'],
            default => [['id' => 1], ['x' => 2]],
        };

        return $this;
    }
}
