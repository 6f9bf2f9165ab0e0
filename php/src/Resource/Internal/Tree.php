<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Client;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;

/** Bodies as trees: the requests in them, and what stands there once these have run. */
final class Tree
{
    /** Arrays in each other: as many as JSON has by default. What has more is most likely an array that is in itself. */
    private const DEPTH_MAX = 512;

    /**
     * As plain(), a render of that client's, or a part of the one under way.
     *
     * @param list<string> $path identities of the requests around it
     */
    public static function of(Client $client, mixed $value, array $path): mixed
    {
        $client->enter();
        try {
            return self::plain($value, $path);
        } finally {
            $client->leave();
        }
    }

    /**
     * The value with the bodies of its requests in their places; they run in the order of the keys, depth first.
     *
     * @param list<string> $path  identities of the requests around it: a request among them would never end
     * @param int          $depth arrays around it
     *
     * @throws \JsonException it is deeper than any text shows
     */
    public static function plain(mixed $value, array $path, int $depth = 0): mixed
    {
        if ($value instanceof Request) {
            $result = $value->enter($path);

            return self::shown($result instanceof Received && $result->isPlain() ? $result->body : self::plain($result->body, [...$path, $value->identity()], $depth));
        }
        if ($value instanceof ResourceObject) {
            return self::shown(self::plain($value->body, $path, $depth));
        }
        if (\is_array($value)) {
            if ($depth >= self::DEPTH_MAX) {
                throw new \JsonException('Maximum stack depth exceeded', JSON_ERROR_DEPTH);
            }
            foreach ($value as $key => $member) {
                if (\is_array($member) || \is_object($member)) {
                    $value[$key] = self::plain($member, $path, $depth + 1);
                }
            }
        }

        return $value;
    }

    /**
     * The body of a resource as a document has it, alone and within another one.
     *
     * @return array<array-key, mixed>
     */
    public static function shown(mixed $body): array
    {
        return \is_array($body) ? $body : ['value' => $body];
    }

    /** @return list<Request> that an engine may run, in the order of the keys; one that stands there twice is there twice */
    public static function runnable(mixed $value): array
    {
        $found = [];
        self::find($value, $found, 0);

        return $found;
    }

    /**
     * @param list<Request> $found
     *
     * @return bool false: it is too deep, as who renders it will hear
     */
    private static function find(mixed $value, array &$found, int $depth): bool
    {
        if ($value instanceof Request) {
            if ($value->isRunnable()) {
                $found[] = $value;
            }

            return true;
        }
        if ($value instanceof ResourceObject) {
            return $value instanceof Received && $value->isPlain() || self::find($value->body, $found, $depth);
        }
        if (!\is_array($value)) {
            return true;
        }
        if ($depth >= self::DEPTH_MAX) {
            return false;
        }
        foreach ($value as $member) {
            if ($member instanceof Request) {
                if ($member->isRunnable()) {
                    $found[] = $member;
                }
            } elseif ((\is_array($member) || \is_object($member)) && !self::find($member, $found, $depth + 1)) {
                return false;
            }
        }

        return true;
    }
}
