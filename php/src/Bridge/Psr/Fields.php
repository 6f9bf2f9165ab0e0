<?php

declare(strict_types=1);

namespace Tusk\Bridge\Psr;

/**
 * Names with brackets as the tree that PHP makes of them: `tags[]`, `a[b][c]`. Without PHP's max_input_vars: how many there are is the server's limit.
 *
 * @internal
 */
final class Fields
{
    /** As max_input_nesting_level; what is deeper is left out. */
    private const DEPTH = 64;

    /**
     * @template T
     *
     * @param iterable<array{string, T}> $pairs name and value, as they came
     *
     * @return array<array-key, mixed> of T at the leaves
     */
    public static function tree(iterable $pairs): array
    {
        $tree = [];
        foreach ($pairs as [$name, $value]) {
            $path = self::path($name);
            if ($path !== []) {
                self::put($tree, $path, $value);
            }
        }

        return $tree;
    }

    /** @return array<array-key, mixed> of strings at the leaves */
    public static function query(string $query): array
    {
        $pairs = [];
        foreach (explode('&', $query) as $pair) {
            [$name, $value] = explode('=', $pair, 2) + ['', ''];
            $pairs[] = [urldecode($name), urldecode($value)];
        }

        return self::tree($pairs);
    }

    /**
     * @param array<array-key, mixed>  $tree
     * @param non-empty-list<?string>  $path null: the next number
     */
    private static function put(array &$tree, array $path, mixed $value): void
    {
        $at = &$tree;
        foreach ($path as $key) {
            if (!is_array($at)) {
                $at = [];
            }
            if ($key !== null) {
                $at = &$at[$key];
            } elseif (array_key_exists(PHP_INT_MAX, $at)) {
                return; // there is no next number
            } else {
                $at[] = null;
                $at = &$at[array_key_last($at)];
            }
        }
        $at = $value;
    }

    /** @return list<?string> keys from the root on; none: no name */
    private static function path(string $name): array
    {
        $name = explode("\0", ltrim($name, ' '), 2)[0];
        $open = strpos($name, '[');
        $first = strtr($open === false ? $name : substr($name, 0, $open), ' .', '__');
        $rest = $open === false ? '' : substr($name, $open);
        if ($first === '') {
            return [];
        }
        if ($rest !== '' && !str_contains($rest, ']')) {
            return [$first . strtr($rest, ' .[', '___')]; // a bracket that is not closed is none
        }
        preg_match_all('~\G\[([^\]]*)\]~', $rest, $m);
        if (count($m[1]) > self::DEPTH) {
            return [];
        }

        return [$first, ...array_map(static fn (string $key): ?string => $key === '' ? null : $key, $m[1])];
    }
}
