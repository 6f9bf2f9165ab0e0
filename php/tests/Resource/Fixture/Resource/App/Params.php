<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Box;
use Tusk\Tests\Resource\Fixture\Color;
use Tusk\Tests\Resource\Fixture\Logged;
use Tusk\Tests\Resource\Fixture\Point;
use Tusk\Tests\Resource\Fixture\Rank;

final class Params extends Logged
{
    /** @return array<string, mixed> */
    public function onGet(string $userId, int $limit = 10, ?Color $color = null, ?Rank $rank = null, ?Point $point = null): array
    {
        return ['user' => $userId, 'limit' => $limit, 'color' => $color?->name, 'rank' => $rank?->name, 'x' => $point?->x, 'y' => $point?->yAxis];
    }

    public function onPut(Box $box): string
    {
        return $box->width . ' by ' . $box->fullHeight . ' ' . Box::$unit . ', ' . $box->label();
    }

    public function onPost(string $name): void
    {
        $this->body = strlen([]); // @phpstan-ignore argument.type (a type error of the method's own)
    }
}
