<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Exception\UriException;

/**
 * URI templates (RFC 6570), all four levels.
 *
 * Values are what PHP has: null, and an array in which nothing else is, count as undefined, false is the empty string, a list or a map is a
 * composite value, other scalars, Stringable objects and backed enums are their string. Requests and resources are no values.
 */
final class UriTemplate
{
    /** By operator: what comes first, what separates, whether names are shown, what follows the name of an empty value, whether reserved characters stay (RFC 6570, appendix A). */
    private const OPERATORS = [
        '' => ['', ',', false, '', false],
        '+' => ['', ',', false, '', true],
        '#' => ['#', ',', false, '', true],
        '.' => ['.', '.', false, '', false],
        '/' => ['/', '/', false, '', false],
        ';' => [';', ';', true, '', false],
        '?' => ['?', '&', true, '=', false],
        '&' => ['&', '&', true, '=', false],
    ];
    /** Reserved and unreserved characters (RFC 3986, 2.2 and 2.3). */
    private const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#[]@!$&\'()*+,;=';
    private const NAME = '(?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*';

    /** Templates stand in attributes: there are few, and each is expanded over and over. */
    private const KEPT_MAX = 256;

    /** @var array<string, list<string|array{string, list<array{string, string}>}>> */
    private static array $kept = [];

    /**
     * @param array<array-key, mixed> $values by variable name
     *
     * @throws UriException for a template that is none, or a value that cannot stand in a URI
     */
    public static function expand(string $template, array $values): string
    {
        $out = '';
        foreach (self::$kept[$template] ?? self::parse($template) as $part) {
            $out .= \is_string($part) ? $part : self::expression($part[0], $part[1], $values);
        }

        return $out;
    }

    /**
     * @return list<string> the names in it, each once, in order
     *
     * @throws UriException
     */
    public static function variables(string $template): array
    {
        $names = [];
        foreach (self::$kept[$template] ?? self::parse($template) as $part) {
            foreach (\is_string($part) ? [] : $part[1] as [$name]) {
                $names[$name] = $name;
            }
        }

        return array_values($names);
    }

    /** @return list<string|array{string, list<array{string, string}>}> literals as they go into the URI, and expressions */
    private static function parse(string $template): array
    {
        $parts = [];
        foreach (preg_split('~\{([^{}]*)\}~', $template, -1, PREG_SPLIT_DELIM_CAPTURE) ?: [] as $i => $part) {
            if ($i % 2 === 1) {
                $parts[] = self::specs($template, $part);
            } elseif (strpbrk($part, '{}') !== false) {
                throw UriException::template($template, 'a brace without its counterpart');
            } elseif ($part !== '') {
                $parts[] = self::reserved($part);
            }
        }
        if (\count(self::$kept) >= self::KEPT_MAX) {
            self::$kept = [];
        }

        return self::$kept[$template] = $parts;
    }

    /** @return array{string, list<array{string, string}>} the operator; names with "*", ":n" or "" */
    private static function specs(string $template, string $expression): array
    {
        $operator = strspn($expression, '+#./;?&=,!@|', 0, 1) === 1 ? $expression[0] : '';
        if (!isset(self::OPERATORS[$operator])) {
            throw UriException::template($template, "the operator \"$operator\" is reserved");
        }
        $specs = [];
        foreach (explode(',', substr($expression, \strlen($operator))) as $spec) {
            if (preg_match('~^(' . self::NAME . ')(\*|:[1-9]\d{0,3})?$~D', $spec, $m) !== 1) {
                throw UriException::template($template, "\"$spec\" is no variable");
            }
            $specs[] = [$m[1], $m[2] ?? ''];
        }

        return [$operator, $specs];
    }

    /**
     * @param list<array{string, string}> $specs
     * @param array<array-key, mixed>     $values
     */
    private static function expression(string $operator, array $specs, array $values): string
    {
        [$first, $separator, $named, $empty, $reserved] = self::OPERATORS[$operator];
        $out = [];
        foreach ($specs as [$name, $modifier]) {
            $value = $values[$name] ?? null;
            if ($value === null || $value === []) {
                continue;
            }
            if (!\is_array($value)) {
                $text = self::text($name, $value);
                $text = $modifier === '' || $modifier === '*' ? $text : mb_substr($text, 0, (int) substr($modifier, 1), 'UTF-8');
                $text = self::encode($text, $reserved);
                $out[] = !$named ? $text : ($text === '' ? $name . $empty : "$name=$text");
                continue;
            }
            $prefix = $modifier !== '' && $modifier !== '*';
            if ($prefix && array_filter($value, static fn (mixed $member): bool => $member !== null) !== []) {
                throw UriException::value($name, 'a prefix of a list or map');
            }
            $members = self::members($name, $value, $modifier === '*', $named ? $empty : null, $reserved);
            if ($members !== []) {
                $out[] = $modifier === '*' ? implode($separator, $members) : ($named ? "$name=" : '') . implode(',', $members);
            }
        }

        return $out === [] ? '' : $first . implode($separator, $out);
    }

    /**
     * @param array<array-key, mixed> $value
     * @param string|null             $empty what follows the name of an empty member; null: names are not shown
     *
     * @return list<string>
     */
    private static function members(string $name, array $value, bool $explode, ?string $empty, bool $reserved): array
    {
        $list = array_is_list($value);
        $out = [];
        foreach ($value as $key => $member) {
            if ($member === null) {
                continue;
            }
            $text = self::encode(self::text($name, $member), $reserved);
            $key = self::encode((string) $key, $reserved);
            if (!$explode) {
                $out = [...$out, ...($list ? [$text] : [$key, $text])];
            } elseif ($list && $empty === null) {
                $out[] = $text;
            } else {
                $out[] = ($list ? $name : $key) . ($text === '' ? $empty ?? '=' : "=$text");
            }
        }

        return $out;
    }

    private static function text(string $name, mixed $value): string
    {
        return match (true) {
            $value instanceof Request, $value instanceof ResourceObject => throw UriException::value($name, get_debug_type($value)), // whose text would be a run
            \is_scalar($value), $value instanceof \Stringable => (string) $value,
            $value instanceof \BackedEnum => (string) $value->value,
            default => throw UriException::value($name, get_debug_type($value)),
        };
    }

    private static function encode(string $text, bool $reserved): string
    {
        return $reserved ? self::reserved($text) : rawurlencode($text);
    }

    /** Reserved characters and escapes that are there already stay (RFC 6570, 3.2.1). */
    private static function reserved(string $text): string
    {
        if (strspn($text, self::PLAIN) === \strlen($text)) {
            return $text;
        }

        return (string) preg_replace_callback(
            '~%(?![0-9A-Fa-f]{2})|[^%A-Za-z0-9\-._\~:/?#\[\]@!$&\'()*+,;=]~',
            static fn (array $m): string => rawurlencode($m[0]),
            $text,
        );
    }
}
