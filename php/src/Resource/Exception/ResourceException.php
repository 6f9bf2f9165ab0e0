<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

/** What this layer itself throws; an exception of a resource passes through it unchanged. The code is an HTTP status. */
interface ResourceException extends \Throwable {}
