<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * Who is here. A user is online while a connection of his is open and for a grace period after the last one closed, so
 * that a page reload, a change of network or a restart of the server is no leaving and coming.
 */
final class Presence
{
    /** @var array<int, User> */
    private array $users = [];

    /** @var array<int, array<string, Sink>> */
    private array $sinks = [];

    /** @var array<int, string> timers of those whose last connection closed */
    private array $leaving = [];

    /** @var array<int, list<string>> what online() has said, by its limit */
    private array $listed = [];

    /**
     * @param \Closure(User): mixed $joined called once when somebody comes
     * @param \Closure(User): mixed $left   called once when the grace period is over
     */
    public function __construct(
        private readonly Turn $turn,
        private readonly float $grace,
        private readonly \Closure $joined,
        private readonly \Closure $left,
    ) {}

    public function attach(User $user, Sink $sink): void
    {
        $isNew = !isset($this->users[$user->id]);
        $this->put($user);
        $this->sinks[$user->id][$sink->id()] = $sink;
        $this->stay($user);
        if ($isNew) {
            ($this->joined)($user);
        }
    }

    public function detach(User $user, Sink $sink): void
    {
        if (!isset($this->sinks[$user->id][$sink->id()])) {
            return;
        }
        unset($this->sinks[$user->id][$sink->id()]);
        if ($this->sinks[$user->id] === []) {
            unset($this->sinks[$user->id]);
            $this->goSoon($user);
        }
    }

    /** Those who were here when the last process ended have the grace period to come back. */
    public function restore(User ...$users): void
    {
        foreach ($users as $user) {
            if (!isset($this->users[$user->id])) {
                $this->put($user);
                $this->goSoon($user);
            }
        }
    }

    public function isOnline(int $user): bool
    {
        return isset($this->users[$user]);
    }

    public function isConnected(int $user): bool
    {
        return isset($this->sinks[$user]);
    }

    /** @return list<Sink> */
    public function sinks(User $user): array
    {
        return array_values($this->sinks[$user->id] ?? []);
    }

    public function count(): int
    {
        return count($this->users);
    }

    /** @return list<string> names in their order: all, or of those who have been here longest */
    public function online(int $limit): array
    {
        if (!isset($this->listed[$limit])) {
            $names = array_map(static fn (User $user): string => $user->name, array_slice($this->users, 0, $limit));
            usort($names, strcasecmp(...));
            $this->listed[$limit] = $names;
        }
        return $this->listed[$limit];
    }

    private function put(User $user): void
    {
        if (!isset($this->users[$user->id])) {
            // Whoever comes last changes no list that is full already.
            $count = count($this->users);
            $this->listed = array_filter($this->listed, static fn (int $limit): bool => $limit <= $count, ARRAY_FILTER_USE_KEY);
        }
        $this->users[$user->id] = $user;
    }

    private function goSoon(User $user): void
    {
        $this->stay($user);
        $this->leaving[$user->id] = $this->turn->delay($this->grace, function () use ($user): void {
            unset($this->leaving[$user->id], $this->users[$user->id]);
            $this->listed = [];
            ($this->left)($user);
        });
    }

    private function stay(User $user): void
    {
        if (isset($this->leaving[$user->id])) {
            $this->turn->cancel($this->leaving[$user->id]);
            unset($this->leaving[$user->id]);
        }
    }
}
