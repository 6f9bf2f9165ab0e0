<?php

declare(strict_types=1);

namespace Tusk\Resource\Exception;

/** An engine that is not set up as it must be. */
final class EngineException extends \RuntimeException implements ResourceException
{
    public static function noFactory(string $name): self
    {
        return new self("$name is no function that this process can call; it must give the application, here and in each worker", 500);
    }

    public static function noApplication(string $name, mixed $given): self
    {
        return new self("$name() gave " . get_debug_type($given) . ', not an application', 500);
    }

    /**
     * @param list<string> $serves
     * @param list<string> $asked
     */
    public static function otherApplication(array $serves, string $by, array $asked, string $askedBy): self
    {
        return new self(sprintf('this worker serves %s of %s(), not %s of %s(): each application needs a pool of its own', self::say($serves), $by, self::say($asked), $askedBy), 500);
    }

    public static function malformed(string $field): self
    {
        return new self("what came from a worker is no resource: $field", 500);
    }

    /** @param list<string> $identity */
    private static function say(array $identity): string
    {
        return json_encode($identity, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR);
    }
}
