<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** The peer does not offer what the case is about. */
final class Absent extends \RuntimeException {}
