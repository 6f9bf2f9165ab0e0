<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Resource\ResourceObject;

/** Has what a resource needs for itself under names that one might think of. */
final class Named extends ResourceObject
{
    private string $origin = 'Ceylon';

    #[Embed('item', '/item?name=cup')]
    public function onGet(): static
    {
        $this->body = [...(array) $this->body, 'origin' => $this->origin(), 'made' => $this->made(2001), 'bind' => $this->bind('a', 'b'), 'untouched' => $this->untouched(), 'members' => $this->members()];

        return $this;
    }

    public function origin(): string
    {
        return $this->origin;
    }

    public function made(int $year): int
    {
        return $year;
    }

    private function bind(string ...$parts): string
    {
        return implode('', $parts);
    }

    protected function untouched(): bool
    {
        return true;
    }

    private function members(): int
    {
        return 3;
    }
}
