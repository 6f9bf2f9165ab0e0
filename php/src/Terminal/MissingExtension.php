<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** The extension is not loaded, and the command cannot do without it. */
final class MissingExtension extends \RuntimeException
{
    public static function forCommand(string $name): self
    {
        return new self(
            "tusk $name needs the extension tusk, which is not loaded: run `make ext` in a checkout, install it with PIE"
            . ' and put extension=tusk into php.ini, or name its file in TUSK_EXTENSION',
        );
    }

    /** @param string $program as it was started: `apps/chat/server.php` */
    public static function forProgram(string $program): self
    {
        return new self("The extension \"tusk\" is not loaded: run `make ext` in a checkout, then php -d extension=build/ext/modules/tusk.so $program, or put extension=tusk into php.ini");
    }
}
