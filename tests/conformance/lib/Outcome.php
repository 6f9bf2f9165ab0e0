<?php

declare(strict_types=1);

namespace Tusk\Conformance;

enum Outcome: string
{
    case Pass = 'pass';
    case Fail = 'fail';
    case Absent = 'absent';
}
