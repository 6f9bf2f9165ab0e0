<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\ResourceObject;

/** What a resource became in a worker: without the object itself, which may hold a connection there. */
final class Received extends ResourceObject {}
