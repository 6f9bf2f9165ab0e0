<?php

declare(strict_types=1);

namespace Tusk\Console\Doctor;

enum Status: string
{
    case Good = 'good';
    /** It works, but not as well as it could. */
    case Warning = 'warning';
    /** Something will not work. */
    case Bad = 'bad';
}
