<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Fails extends Logged
{
    public function onGet(string $message, int $code = 7): static
    {
        $this->ran();
        throw new \DomainException($message, $code, new \LengthException('before', 3));
    }
}
