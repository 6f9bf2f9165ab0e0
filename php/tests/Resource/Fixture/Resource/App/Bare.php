<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\ResourceObject;
use Tusk\Tests\Resource\Fixture\Color;

/** Asks nothing about itself, as most do not: unlike Logged ones its answer travels in the short form, where that has a place for it. */
final class Bare extends ResourceObject
{
    public function onGet(string $with): static
    {
        $this->body = ['x' => 1];
        match ($with) {
            'nothing' => null,
            'code' => $this->code = 202,
            'headers' => $this->headers['X-With'] = 'headers',
            'view' => $this->view = '<i>view</i>',
            'null' => $this->body = null,
            'scalar' => $this->body = 'text',
            'enum' => $this->body = ['x' => Color::Red],
            'enums within' => $this->body = ['x' => [1, [Color::Red]]],
            'request' => $this->body = ['x' => [$this->client()->get->uri('app://self/bare?with=nothing')]],
            default => throw new \DomainException($with),
        };

        return $this;
    }
}
