<?php

declare(strict_types=1);

namespace Tusk;

/** What these packages are, for those who print or store it. The extension has a version of its own: phpversion('tusk'). */
final class Package
{
    public const VERSION = '0.1.0-dev';

    private function __construct() {}
}
