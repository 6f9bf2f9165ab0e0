<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Exception\UriException;
use Tusk\Resource\Internal\Head;
use Tusk\Resource\Internal\Origin;
use Tusk\Resource\Internal\Query;

/** scheme://host/path?query of a resource. */
final class Uri implements \Stringable
{
    /** In the query of one URI; more is a UriException. */
    public const PARAMETERS_MAX = 1000;
    /** Names within names there, a[b][c] has three; more is a UriException. */
    public const NESTING_MAX = 64;

    private ?string $canonical = null;
    private ?string $got = null;
    /** @var list<mixed>|null the job of a GET without links, but for what is around it */
    private ?array $job = null;
    private string $jobOf = '';

    /**
     * @internal parse() makes them
     *
     * @param string                  $path  begins with "/"
     * @param array<array-key, mixed> $query decoded; strings where they come from a URI
     */
    public function __construct(
        public readonly string $scheme,
        public readonly string $host,
        public readonly string $path,
        public readonly array $query,
    ) {}

    /**
     * @param array<array-key, mixed> $query wins over what stands in the URI
     *
     * @throws UriException 400: it is none, or its query has too much in it
     */
    public static function parse(string $uri, array $query = []): self
    {
        if (preg_match('~^([A-Za-z][A-Za-z0-9+.\-]*)://([^/?#\x00-\x20\x7f]+)(/[^?#\x00-\x1f\x7f]*)?(?:\?([^#\x00-\x1f\x7f]*))?$~D', $uri, $m) !== 1) {
            throw UriException::malformed($uri);
        }
        $own = Query::parse($uri, $m[4] ?? '');

        return new self(strtolower($m[1]), strtolower($m[2]), ($m[3] ?? '') === '' ? '/' : $m[3], array_replace($own, $query));
    }

    /** @param array<array-key, mixed> $query instead of what was there */
    public function withQuery(array $query): self
    {
        return new self($this->scheme, $this->host, $this->path, $query);
    }

    /** What chooses an adapter: "app://self". */
    public function authority(): string
    {
        return "$this->scheme://$this->host";
    }

    public function pathAndQuery(): string
    {
        $query = http_build_query(self::written($this->query), '', '&', PHP_QUERY_RFC3986);

        return $query === '' ? $this->path : "$this->path?$query";
    }

    /** Equal for equal resources: the query sorted by key, scalar values as strings. */
    public function canonical(): string
    {
        return $this->canonical ??= $this->authority() . $this->path . '?' . serialize(self::sorted($this->query));
    }

    /** @internal Identity of a GET without links: targets are used again, and most requests are such. */
    public function got(): string
    {
        return $this->got ??= Origin::identity(Method::Get, $this, '');
    }

    /**
     * @internal What a worker is told of a GET without links; kept, as targets are used again.
     *
     * @param string $prefix of Head::prefix()
     *
     * @return list<mixed>
     */
    public function job(string $prefix): array
    {
        if ($this->job === null || $this->jobOf !== $prefix) {
            $this->job = Head::job($prefix, Method::Get, $this, '');
            $this->jobOf = $prefix;
        }

        return $this->job;
    }

    public function __toString(): string
    {
        return $this->authority() . $this->pathAndQuery();
    }

    /**
     * Enums by their values, which http_build_query() does from PHP 8.4 on, and objects by their public properties, which it does with a
     * deprecation from 8.6 on.
     *
     * @param array<array-key, mixed> $values
     * @param array<int, true>        $around objects that these are in: one in itself is left out, as it does
     *
     * @return array<array-key, mixed>
     */
    private static function written(array $values, array $around = []): array
    {
        foreach ($values as $key => $value) {
            if (\is_array($value)) {
                $values[$key] = self::written($value, $around);
            } elseif ($value instanceof \BackedEnum) {
                $values[$key] = $value->value;
            } elseif (\is_object($value) && !$value instanceof \UnitEnum) {
                $id = spl_object_id($value);
                $values[$key] = isset($around[$id]) ? [] : self::written(get_object_vars($value), $around + [$id => true]);
            }
        }

        return $values;
    }

    /**
     * @param array<array-key, mixed> $values
     *
     * @return array<array-key, mixed>
     */
    private static function sorted(array $values): array
    {
        if (!array_is_list($values)) {
            ksort($values, SORT_STRING);
        }

        foreach ($values as $key => $value) {
            if (!\is_string($value)) {
                $values[$key] = match (true) {
                    \is_array($value) => self::sorted($value),
                    \is_scalar($value) => (string) $value,
                    $value instanceof \BackedEnum => (string) $value->value,
                    \is_object($value) => ['object' => spl_object_id($value)],
                    default => null,
                };
            }
        }

        return $values;
    }
}
