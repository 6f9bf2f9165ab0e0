<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Exception\UriException;
use Tusk\Resource\Uri;

/**
 * The query of a URI, decoded. Brackets nest as in parse_str(), but names stay as they are written, none is left out, and nothing depends on
 * the settings of PHP.
 */
final class Query
{
    /**
     * @param string $uri   for the message
     * @param string $query what stands behind its "?"
     *
     * @return array<array-key, mixed> of strings and arrays of these
     *
     * @throws UriException more than Uri::PARAMETERS_MAX, deeper than Uri::NESTING_MAX, or one behind the last index that an array has
     */
    public static function parse(string $uri, string $query): array
    {
        if ($query === '') {
            return [];
        }
        if (substr_count($query, '&') >= Uri::PARAMETERS_MAX) {
            throw UriException::query($uri, 'more than ' . Uri::PARAMETERS_MAX . ' parameters');
        }
        $values = [];
        foreach (explode('&', $query) as $pair) {
            if ($pair === '') {
                continue;
            }
            [$name, $value] = explode('=', $pair, 2) + [1 => ''];
            $name = urldecode($name);
            if (str_ends_with($name, ']') && preg_match('~^([^\[]++)((?:\[[^\]]*+\])++)$~D', $name, $m) === 1) {
                self::put($values, [$m[1], ...explode('][', substr($m[2], 1, -1))], urldecode($value), $uri);
            } else {
                $values[$name] = urldecode($value);
            }
        }

        return $values;
    }

    /**
     * What stands there otherwise gives way: the last one counts.
     *
     * @param array<array-key, mixed> $values
     * @param list<string>            $keys   "" but for the first: the next index
     */
    private static function put(array &$values, array $keys, string $value, string $uri): void
    {
        if (\count($keys) > Uri::NESTING_MAX) {
            throw UriException::query($uri, 'a name with more than ' . Uri::NESTING_MAX - 1 . ' pairs of brackets');
        }
        $at = &$values;
        foreach ($keys as $depth => $key) {
            if (!\is_array($at)) {
                $at = [];
            }
            if ($key === '' && $depth > 0) {
                if (\array_key_exists(PHP_INT_MAX, $at)) {
                    throw UriException::query($uri, 'nothing can follow the index ' . PHP_INT_MAX);
                }
                $at[] = null;
                $key = array_key_last($at);
            }
            $at = &$at[$key];
        }
        $at = $value;
    }
}
