<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** A command whose help is written by hand. Screen::page() gives it its form: lines that are too long are folded there. */
interface OneScreen
{
    /** With what is needed every day; at most 30 lines when it is folded. */
    public function screen(): string;
}
