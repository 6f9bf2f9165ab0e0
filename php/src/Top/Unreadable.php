<?php

declare(strict_types=1);

namespace Tusk\Top;

/** There are no metrics at that address; the message says what to do next. */
final class Unreadable extends \RuntimeException
{
    public static function address(string $given): self
    {
        return new self("\"$given\" is no address of an admin listener: give 127.0.0.1:9100, http://host:9100/metrics or unix:/run/admin.sock");
    }

    public static function nobody(string $address, string $why): self
    {
        return new self("cannot reach $address: $why. Metrics are served where `--admin ADDRESS` of `tusk proxy`, or admin() of a server or a proxy in PHP, says");
    }

    public static function status(string $address, string $line): self
    {
        return new self("$address answers \"$line\" in place of metrics: is this the admin listener, and not the port that clients use?");
    }

    public static function text(string $address, string $why): self
    {
        return new self("what $address answers are no metrics of Tusk: $why");
    }
}
