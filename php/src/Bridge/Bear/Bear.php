<?php

declare(strict_types=1);

namespace Tusk\Bridge\Bear;

use BEAR\Resource\ResourceInterface;
use Tusk\Resource\Application;

/** What workers call: an application whose resources are those of BEAR.Resource. */
final class Bear
{
    /**
     * @param string                 $name    of the BEAR application; with context and directory it tells workers which one they serve
     * @param non-empty-list<string> $serves  schemes and hosts whose requests may run in workers; others run where they are used
     */
    public static function application(
        ResourceInterface $resource,
        string $name,
        string $context = '',
        string $directory = '',
        array $serves = ['app://self', 'page://self'],
    ): Application {
        return new Application($name, adapters: array_fill_keys($serves, new BearAdapter($resource)), context: $context, directory: $directory);
    }
}
