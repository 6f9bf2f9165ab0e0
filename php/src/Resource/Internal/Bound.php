<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

/** What knows the request that made it. Resource classes are the application's: methods for this would take names from them, so Binding has these. */
abstract class Bound
{
    /** @var Origin|list<mixed>|null a list is made one when somebody asks */
    protected Origin|array|null $tuskOrigin = null;
}
