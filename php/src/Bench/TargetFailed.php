<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The target did not do a single operation: the message says why. */
final class TargetFailed extends \RuntimeException {}
