<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Client;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;

/** Bodies as trees: the requests in them, and what stands there once these have run. */
final class Tree
{
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
     * @param list<string> $path identities of the requests around it: a request among them would never end
     */
    public static function plain(mixed $value, array $path): mixed
    {
        if ($value instanceof Request) {
            $result = $value->enter($path);

            return $result instanceof Received && $result->isPlain() ? $result->body : self::plain($result->body, [...$path, $value->identity()]);
        }
        if ($value instanceof ResourceObject) {
            return self::plain($value->body, $path);
        }
        if (\is_array($value)) {
            foreach ($value as $key => $member) {
                if (\is_array($member) || \is_object($member)) {
                    $value[$key] = self::plain($member, $path);
                }
            }
        }

        return $value;
    }

    /** @return list<Request> that an engine may run, in the order of the keys; one that stands there twice is there twice */
    public static function runnable(mixed $value): array
    {
        if ($value instanceof Request) {
            return $value->isRunnable() ? [$value] : [];
        }
        if ($value instanceof ResourceObject) {
            return $value instanceof Received && $value->isPlain() ? [] : self::runnable($value->body);
        }
        $found = [];
        foreach (\is_array($value) ? $value : [] as $member) {
            if ($member instanceof Request) {
                if ($member->isRunnable()) {
                    $found[] = $member;
                }
            } elseif (\is_array($member) || \is_object($member)) {
                array_push($found, ...self::runnable($member));
            }
        }

        return $found;
    }
}
