<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** The peer did not do what the case demands. */
final class Failed extends \RuntimeException {}
