<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Resource\App;

use Tusk\Dashboard\Source;
use Tusk\Resource\Embed;
use Tusk\Resource\ResourceObject;

final class Medium extends ResourceObject
{
    /** @param float $delay milliseconds of each panel */
    #[Embed('orders', '/{source}?name=orders{&delay}')]
    #[Embed('revenue', '/{source}?name=revenue{&delay}')]
    #[Embed('visitors', '/{source}?name=visitors{&delay}')]
    #[Embed('stock', '/{source}?name=stock{&delay}')]
    #[Embed('support', '/{source}?name=support{&delay}')]
    public function onGet(float $delay = 10.0, Source $source = Source::Panel): static
    {
        $this['title'] = 'Medium dashboard';

        return $this;
    }
}
