<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Resource\App;

use Tusk\Dashboard\Source;
use Tusk\Resource\Embed;
use Tusk\Resource\ResourceObject;

final class Large extends ResourceObject
{
    /** @param float $delay milliseconds of each panel */
    #[Embed('orders', '/{source}?name=orders{&delay}')]
    #[Embed('revenue', '/{source}?name=revenue{&delay}')]
    #[Embed('visitors', '/{source}?name=visitors{&delay}')]
    #[Embed('stock', '/{source}?name=stock{&delay}')]
    #[Embed('support', '/{source}?name=support{&delay}')]
    #[Embed('returns', '/{source}?name=returns{&delay}')]
    #[Embed('reviews', '/{source}?name=reviews{&delay}')]
    #[Embed('deliveries', '/{source}?name=deliveries{&delay}')]
    #[Embed('mailings', '/{source}?name=mailings{&delay}')]
    #[Embed('servers', '/{source}?name=servers{&delay}')]
    #[Embed('weather', '/{source}?name=weather{&delay}')]
    public function onGet(float $delay = 10.0, Source $source = Source::Panel): static
    {
        $this['title'] = 'Large dashboard';

        return $this;
    }
}
