<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Uri;

/** Where the embeds of a method lead, for URIs that it was called with lately: of a page that is asked for again that is known. */
final class Targets
{
    private const KEPT_MAX = 32;
    private const KEY_MAX = 512;

    /** @var array<string, array<string, Uri>> */
    private array $kept = [];

    /**
     * @param array<string, mixed> $arguments
     *
     * @return string what the targets depend on; "" where objects or arrays are among the arguments, or it is long: that is not kept
     */
    public static function key(array $arguments, Uri $around): string
    {
        foreach ($arguments as $value) {
            if ($value !== null && !\is_scalar($value) && !$value instanceof \UnitEnum) {
                return '';
            }
        }
        $key = $around->canonical(); // queries with equal texts fill templates alike

        return \strlen($key) <= self::KEY_MAX ? $key : '';
    }

    /** @return array<string, Uri> by rel; empty: not known */
    public function of(string $key): array
    {
        return $this->kept[$key] ?? [];
    }

    /** @param array<string, Uri> $targets */
    public function keep(string $key, array $targets): void
    {
        if ($key === '') {
            return;
        }
        if (\count($this->kept) >= self::KEPT_MAX) {
            $this->kept = [];
        }
        $this->kept[$key] = $targets;
    }
}
