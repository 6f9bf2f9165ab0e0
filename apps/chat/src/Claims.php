<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * Who holds a name that no password protects: the sessions that are connected or were seen within the last ten minutes. While a name
 * is held it is used from where it is held already (by the session itself, or by a further device at the same address) and
 * from nowhere else; after that it is free. The first of the sessions that hold it is its owner.
 */
final class Claims
{
    public const AWAY_MINUTES = 10;

    private const USERS_MAX = 10_000;

    /** @var array<int, array<string, array{int, int}>> user => session => connections and when it was last seen */
    private array $seen = [];

    public function __construct(
        private readonly Sessions $sessions,
        private readonly Presence $presence,
        private readonly Turn $turn,
    ) {}

    /** This session asked for something. */
    public function touch(Session $session): void
    {
        $this->put($session, 0);
    }

    public function connected(Session $session): void
    {
        $this->put($session, 1);
    }

    public function disconnected(Session $session): void
    {
        if (isset($this->seen[$session->user->id][$session->id])) {
            $this->put($session, -1);
        }
    }

    /** @param list<string> $sessions that have ended */
    public function forget(User $user, array $sessions): void
    {
        $this->seen[$user->id] = array_diff_key($this->seen[$user->id] ?? [], array_flip($sessions));
        if ($this->seen[$user->id] === []) {
            unset($this->seen[$user->id]);
        }
    }

    public function isHeld(User $user): bool
    {
        // After a restart nobody has been seen yet; who was here then is here still, for the grace period.
        return $this->holders($user) !== [] || $this->presence->isOnline($user->id);
    }

    /** Whether somebody at an address, or with a session of that name, may use a name that is held. */
    public function mayShare(User $user, string $address, ?Session $own): bool
    {
        if ($own !== null && $own->user->id === $user->id) {
            return true;
        }
        $all = $this->sessions->of($user);
        $held = array_intersect_key($all, array_flip($this->holders($user)));
        return in_array($address, $held === [] ? $all : $held, true);
    }

    /** Whether a session may decide about its name: no session that holds it is older. */
    public function isFirst(Session $session): bool
    {
        $holders = array_flip($this->holders($session->user));
        $held = array_keys(array_intersect_key($this->sessions->of($session->user), $holders));
        return $held === [] || (string) $held[0] === $session->id;
    }

    public function users(): int
    {
        return count($this->seen);
    }

    /** @return list<string> sessions */
    private function holders(User $user): array
    {
        $limit = $this->turn->clock() - self::AWAY_MINUTES * 60_000;
        $held = array_filter($this->seen[$user->id] ?? [], static fn (array $one): bool => $one[0] > 0 || $one[1] > $limit);
        return array_map(strval(...), array_keys($held));
    }

    private function put(Session $session, int $connections): void
    {
        $had = $this->seen[$session->user->id][$session->id][0] ?? 0;
        $this->seen[$session->user->id][$session->id] = [max(0, $had + $connections), $this->turn->clock()];
        if (count($this->seen) > self::USERS_MAX) {
            $this->prune();
        }
    }

    /** Whoever has been away for long holds nothing; when all are here, the list is as long as it has to be. */
    private function prune(): void
    {
        foreach (array_keys($this->seen) as $user) {
            $limit = $this->turn->clock() - self::AWAY_MINUTES * 60_000;
            $this->seen[$user] = array_filter($this->seen[$user], static fn (array $one): bool => $one[0] > 0 || $one[1] > $limit);
            if ($this->seen[$user] === []) {
                unset($this->seen[$user]);
            }
        }
    }
}
