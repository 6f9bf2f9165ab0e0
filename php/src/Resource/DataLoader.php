<?php

declare(strict_types=1);

namespace Tusk\Resource;

/** Answers a crawled link for all rows of a level at once (one query instead of one for each row). */
interface DataLoader
{
    /**
     * MUST give one value for each row, in the same order: a list, or it is a LinkException. It is called for an empty list as well.
     *
     * @param list<array<array-key, mixed>> $rows
     *
     * @return list<mixed>
     */
    public function load(array $rows): array;
}
