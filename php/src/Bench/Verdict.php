<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** What paired blocks say about B against A. */
enum Verdict: string
{
    case Better = 'better';
    case Worse = 'worse';
    case Same = 'same';
    /** More pairs are needed; never read it as "equal". */
    case Undecided = 'undecided';
}
