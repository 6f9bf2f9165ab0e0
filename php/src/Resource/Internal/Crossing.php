<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Exception\CannotCrossException;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Uri;

/**
 * Packs what leaves a process: scalars, null and arrays of these. Requests and resources in a body travel beside it, with
 * their places; so nothing in a body can be taken for one.
 */
final class Crossing
{
    /** Arrays in each other: an answer has room for 256, and some are of its own. */
    private const DEPTH_MAX = 250;

    /** @var list<array<string, mixed>> */
    private array $requests = [];
    /** @var list<array<string, mixed>> */
    private array $resources = [];

    private function __construct(
        private readonly Uri $uri,
        private readonly Numbered $results,
    ) {}

    /**
     * @param bool          $asked   it is what this worker was asked for, unless its method gave another
     * @param Numbered|null $results of the answer that it is a part of; null: it is the answer
     *
     * @return list<mixed> that Parcel reads: Parcel::FIELDS, or the first Parcel::PLAIN of them where the others are empty
     *
     * @throws CannotCrossException with the path of what cannot
     */
    public static function pack(ResourceObject $resource, bool $asked = false, ?Numbered $results = null): array
    {
        $body = $resource->body;
        $class = $asked ? Binding::untouched($resource) : null;
        if ($class !== null && $resource->headers === [] && $resource->view === null && ($body === null || \is_scalar($body) || (\is_array($body) && self::isPlain($body)))) {
            return [$resource->code, [], $body, $class]; // most are so
        }
        $origin = Binding::origin($resource) ?? throw new \LogicException($resource::class . ' was not made by a request');
        $self = null;
        if ($body !== null && !\is_scalar($body) && (!\is_array($body) || !self::isPlain($body))) {
            $self = new self($origin->uri, $results ?? new Numbered());
            $body = $self->value($body, [], '$body');
        }
        $headers = self::values($resource->headers, '$headers', $origin->uri);
        $asked = $asked && $origin->asked;
        if ($self === null && $resource->view === null && $asked) {
            return [$resource->code, $headers, $body, $origin->class];
        }

        return [
            $resource->code,
            $headers,
            $body,
            $origin->class,
            $resource->view,
            $self->requests ?? [],
            $self->resources ?? [],
            $asked ? null : self::origin($origin),
            $results === null ? $self?->results->packed() ?? [] : [],
        ];
    }

    /** @return array<string, mixed> */
    private static function origin(Origin $origin): array
    {
        return [
            'method' => $origin->method->value,
            'uri' => $origin->uri->authority() . $origin->uri->path,
            'query' => self::values($origin->uri->query, '$query', $origin->uri),
            'links' => $origin->links,
            'ancestors' => $origin->ancestors,
        ];
    }

    /**
     * @param array<array-key, mixed> $values
     *
     * @return array<array-key, mixed>
     *
     * @throws CannotCrossException
     */
    public static function values(array $values, string $name, Uri $uri): array
    {
        if ($values === [] || self::isPlain($values)) {
            return $values;
        }
        $self = new self($uri, new Numbered());
        $out = $self->members($values, [], $name);

        return $self->requests === [] && $self->resources === [] ? $out : throw CannotCrossException::at($name, Request::class, $uri);
    }

    /**
     * Whether nothing in it has to be packed, or refused.
     *
     * @param array<array-key, mixed> $values
     */
    private static function isPlain(array $values, int $depth = 1): bool
    {
        if ($depth > self::DEPTH_MAX) {
            return false;
        }
        foreach ($values as $value) {
            if ($value !== null && !\is_scalar($value) && (!\is_array($value) || !self::isPlain($value, $depth + 1))) {
                return false;
            }
        }

        return true;
    }

    /** @param list<int|string> $place */
    private function value(mixed $value, array $place, string $name): mixed
    {
        if ($value === null || \is_scalar($value)) {
            return $value;
        }
        if (\is_array($value)) {
            return $this->members($value, $place, $name);
        }
        if ($value instanceof \BackedEnum) {
            return $value->value; // which is also what JSON makes of it
        }
        if ($value instanceof Request) {
            $this->requests[] = ['place' => $place] + $this->request($value);
        } elseif ($value instanceof ResourceObject && Binding::origin($value) !== null) {
            $this->resources[] = ['place' => $place, 'resource' => self::pack($value, false, $this->results)];
        } else {
            throw CannotCrossException::at($name . self::path($place), get_debug_type($value), $this->uri);
        }

        return null;
    }

    /**
     * @param array<array-key, mixed> $values
     * @param list<int|string>        $place
     *
     * @return array<array-key, mixed>
     *
     * @throws CannotCrossException
     */
    private function members(array $values, array $place, string $name): array
    {
        if (\count($place) >= self::DEPTH_MAX) {
            throw CannotCrossException::at($name . self::path(\array_slice($place, 0, 8)) . '[...]', 'an array in more than ' . self::DEPTH_MAX . ' others', $this->uri);
        }
        foreach ($values as $key => $member) {
            if ($member !== null && !\is_scalar($member)) {
                $values[$key] = $this->value($member, [...$place, $key], $name);
            }
        }

        return $values;
    }

    /** @return array<string, mixed> */
    private function request(Request $request): array
    {
        $uri = $request->uri();
        $result = $request->outcome();

        return [
            'method' => $request->method->value,
            'uri' => $uri->authority() . $uri->path,
            'query' => self::values($uri->query, '$query', $uri),
            'links' => self::links($request),
            'ancestors' => $request->ancestors,
            'result' => $result instanceof ResourceObject ? $this->results->of($result) : null, // somebody used it there already
        ];
    }

    /** @return list<array{string, string}> as Parcel::link() reads them */
    public static function links(Request $request): array
    {
        return array_map(static fn (array $link): array => [$link[0]->value, $link[1]], $request->links());
    }

    /** @param list<int|string> $place */
    private static function path(array $place): string
    {
        return implode('', array_map(static fn (int|string $key): string => '[' . var_export($key, true) . ']', $place));
    }
}
