<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Who has ever logged in, and which names are protected. */
final class Users
{
    /** @var array<int, User> */
    private array $byId = [];

    public function __construct(private readonly Store $store) {}

    public function find(string $name): ?User
    {
        $row = $this->store->row('SELECT id, name, password FROM users WHERE folded = ?', [Name::fold($name)]);
        return $row === null ? null : $this->fromRow($row);
    }

    /** @throws Refused */
    public function named(string $name): User
    {
        return $this->find($name) ?? throw Refused::unknownUser($name);
    }

    public function byId(int $id): ?User
    {
        if (isset($this->byId[$id])) {
            return $this->byId[$id];
        }
        $row = $this->store->row('SELECT id, name, password FROM users WHERE id = ?', [$id]);
        return $row === null ? null : $this->fromRow($row);
    }

    /**
     * The user of that name, made when new. Inside a write.
     */
    public function enter(Name $name): User
    {
        $made = $this->store->change(
            'INSERT INTO users (name, folded, created_at) VALUES (?, ?, ?) ON CONFLICT (folded) DO NOTHING',
            [$name->text, $name->folded, $this->store->now()],
        );
        $user = $this->named($name->text);
        if ($made > 0) {
            // What was said before somebody came is history, not unread.
            $this->store->change(
                'INSERT INTO markers (user, talk, upto) SELECT ?, ?, coalesce(max(id), 0) FROM messages WHERE true ON CONFLICT DO NOTHING',
                [$user->id, Messages::ofRoom(Room::ALL)],
            );
        }
        return $user;
    }

    /** The hash of a protected user's password; null for others. */
    public function passwordHash(User $user): ?string
    {
        $hash = $this->store->row('SELECT password FROM users WHERE id = ?', [$user->id])['password'] ?? null;
        return is_string($hash) ? $hash : null;
    }

    /** Inside a write. */
    public function protect(User $user, string $hash): User
    {
        $this->store->change('UPDATE users SET password = ? WHERE id = ?', [$hash, $user->id]);
        return $this->byId[$user->id] = new User($user->id, $user->name, true);
    }

    /** @param array<string, int|string|null> $row */
    private function fromRow(array $row): User
    {
        $id = (int) $row['id'];
        if (count($this->byId) > 10_000) {
            $this->byId = [];
        }
        return $this->byId[$id] = new User($id, (string) $row['name'], $row['password'] !== null);
    }
}
