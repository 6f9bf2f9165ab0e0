<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** The sessions that are open: a row each, so that a log-out ends one that somebody has copied. */
final class Sessions
{
    public const LIFETIME = 30 * 86400;

    /** Of one user; the oldest goes when there are more. */
    public const PER_USER = 1000;

    /** @var array<string, array{int, string}> session id => user id and address */
    private array $known = [];

    public function __construct(private readonly Database $database, private readonly Users $users) {}

    public function find(string $id): ?Session
    {
        $known = $this->known[$id] ?? null;
        if ($known === null) {
            $row = $this->database->row('SELECT user, address FROM sessions WHERE id = ?', [$id]);
            if ($row === null) {
                return null;
            }
            $known = [(int) $row['user'], (string) $row['address']];
        }
        if (count($this->known) > 10_000) {
            $this->known = [];
        }
        $this->known[$id] = $known;
        $user = $this->users->byId($known[0]);
        return $user === null ? null : new Session($id, $user, $known[1]);
    }

    /** Inside a write. */
    public function open(User $user, string $address): Session
    {
        $id = rtrim(strtr(base64_encode(random_bytes(16)), '+/', '-_'), '=');
        $now = intdiv($this->database->now(), 1000);
        $this->database->change('DELETE FROM sessions WHERE user = ? AND expires_at < ?', [$user->id, $now]);
        $this->database->change(
            'INSERT INTO sessions (id, user, expires_at, address, number)'
            . ' SELECT ?1, ?2, ?3, ?4, 1 + coalesce(max(number), 0) FROM sessions WHERE user = ?2',
            [$id, $user->id, $now + self::LIFETIME, $address],
        );
        $this->database->change(
            'DELETE FROM sessions WHERE user = ?1 AND number <= (SELECT max(number) FROM sessions WHERE user = ?1) - ?2',
            [$user->id, self::PER_USER],
        );
        return new Session($id, $user, $address);
    }

    /**
     * Inside a write.
     *
     * @param list<string> $ids
     */
    public function end(array $ids): void
    {
        foreach ($ids as $id) {
            $this->database->change('DELETE FROM sessions WHERE id = ?', [$id]);
        }
    }

    /**
     * Ends a user's sessions, but one, or but those that began at an address. Inside a write.
     *
     * @return list<string> the sessions that ended
     */
    public function endOthers(User $user, ?string $but = null, ?string $butFrom = null): array
    {
        $ended = array_map(strval(...), array_column($this->database->rows(
            "SELECT id FROM sessions WHERE user = ?1 AND id <> coalesce(?2, '') AND (?3 IS NULL OR address <> ?3)",
            [$user->id, $but, $butFrom],
        ), 'id'));
        $this->end($ended);
        return $ended;
    }

    /**
     * A user's sessions, the first first.
     *
     * @return array<string, string> id => address at which it began
     */
    public function of(User $user): array
    {
        $sessions = [];
        foreach ($this->database->rows('SELECT id, address FROM sessions WHERE user = ? ORDER BY number, id', [$user->id]) as $row) {
            $sessions[(string) $row['id']] = (string) $row['address'];
        }
        return $sessions;
    }

    /**
     * What a write has ended, for this process, which may know it still.
     *
     * @param list<string> $ids
     */
    public function forget(array $ids): void
    {
        $this->known = array_diff_key($this->known, array_flip($ids));
    }

    /** Removes what has expired. Inside a write. */
    public function prune(): void
    {
        $this->database->change('DELETE FROM sessions WHERE expires_at < ?', [intdiv($this->database->now(), 1000)]);
    }
}
