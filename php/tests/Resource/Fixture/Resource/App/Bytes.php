<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

/** What it was asked for with is counted, or shown by itself or by what it embeds; or its own values cannot be written. */
final class Bytes extends Logged
{
    /** @param array<array-key, mixed> $more */
    #[Embed('item', '/item{?name}')]
    public function onGet(string $name, string $show = '', array $more = []): static
    {
        $this->ran();
        if ($show !== 'embedded') {
            unset($this['item']);
        }
        $this['bytes'] = \strlen($name);
        $this['own'] = match ($show) {
            'name' => $name,
            'more' => $more,
            'broken' => "\xff",
            default => '',
        };

        return $this;
    }
}
