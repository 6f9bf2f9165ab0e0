<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** A command whose help is written by hand, so that it fits one screen. */
interface OneScreen
{
    /** At most 50 lines of 100 columns. */
    public function screen(): string;
}
