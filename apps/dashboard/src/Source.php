<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard;

/** What makes a panel slow. */
enum Source: string
{
    /** A service that answers after a while. */
    case Panel = 'panel';
    /** PostgreSQL, with pg_sleep(). */
    case Query = 'query';
}
