<?php

declare(strict_types=1);

namespace Tusk\Resource;

/** Where a resource leads to; nothing runs until a request follows it. */
#[\Attribute(\Attribute::TARGET_METHOD | \Attribute::IS_REPEATABLE)]
final readonly class Link
{
    /**
     * @param string                        $href       URI template (RFC 6570), filled from the body; "/…" is of the same scheme and host
     * @param string                        $method     of the request that Client::href() makes
     * @param string                        $crawl      the key of linkCrawl() under which it is walked; "": never
     * @param class-string<DataLoader>|null $dataLoader answers for all rows of a level at once, instead of a request for each
     */
    public function __construct(
        public string $rel,
        public string $href,
        public string $method = 'get',
        public string $title = '',
        public string $crawl = '',
        public ?string $dataLoader = null,
    ) {}
}
