<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Bench\Result;

final class Html
{
    public static function write(Result $result): string
    {
        return '<!doctype html>';
    }
}
