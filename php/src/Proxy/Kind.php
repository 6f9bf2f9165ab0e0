<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/** What a proxy speaks. */
enum Kind: string
{
    case Tcp = 'tcp';
    case Http = 'http';
    case Smtp = 'smtp';
}
