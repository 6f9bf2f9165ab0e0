<?php

declare(strict_types=1);

namespace Tusk\Console\Doctor;

enum Status: string
{
    case Good = 'good';
    /** Something that only some need is not to be had here; nothing is wrong. */
    case Note = 'note';
    /** It works, but not as well as it could. */
    case Warning = 'warning';
    /** Something will not work. */
    case Bad = 'bad';
}
