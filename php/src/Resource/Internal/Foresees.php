<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

/** An engine that can make use of knowing what comes. */
interface Foresees
{
    /**
     * So many requests will be there soon, most likely.
     *
     * @param positive-int $requests
     */
    public function expect(int $requests): void;
}
