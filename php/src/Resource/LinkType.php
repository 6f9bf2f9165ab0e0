<?php

declare(strict_types=1);

namespace Tusk\Resource;

/** What a request does with a link of its result. */
enum LinkType: string
{
    /** The linked body replaces the body. */
    case Self = 'self';
    /** The linked body is added under the relation's name. */
    case New = 'new';
    /** All links of that crawl key are walked. */
    case Crawl = 'crawl';
}
