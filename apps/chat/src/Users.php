<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Who has ever logged in, and which names are protected. */
final class Users
{
    /** @var array<int, User> */
    private array $byId = [];

    public function __construct(private readonly Database $database) {}

    public function find(string $name): ?User
    {
        $row = $this->database->row('SELECT id, name, password FROM users WHERE folded = ?', [Name::fold($name)]);
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
        $row = $this->database->row('SELECT id, name, password FROM users WHERE id = ?', [$id]);
        return $row === null ? null : $this->fromRow($row);
    }

    /**
     * The user of that name, made when new. Inside a write.
     *
     * @throws Refused when the name is new and looks like somebody's
     */
    public function enter(Name $name): User
    {
        $known = $this->find($name->text);
        if ($known !== null) {
            return $known;
        }
        $alike = $this->database->row('SELECT name FROM users WHERE skeleton = ?', [$name->skeleton]);
        if ($alike !== null) {
            throw Refused::lookAlike($name->text, (string) $alike['name']);
        }
        $this->database->change(
            'INSERT INTO users (name, folded, skeleton, created_at) VALUES (?, ?, ?, ?)',
            [$name->text, $name->folded, $name->skeleton, $this->database->now()],
        );
        $user = $this->named($name->text);
        // What was said before somebody came is history, not unread.
        $this->database->change(
            'INSERT INTO markers (user, talk, upto) SELECT ?, ?, coalesce(max(id), 0) FROM messages WHERE true ON CONFLICT DO NOTHING',
            [$user->id, Messages::ofRoom(Room::ALL)],
        );
        return $user;
    }

    /** The hash of a protected user's password; null for others. */
    public function passwordHash(User $user): ?string
    {
        $hash = $this->database->row('SELECT password FROM users WHERE id = ?', [$user->id])['password'] ?? null;
        return is_string($hash) ? $hash : null;
    }

    /** Inside a write. */
    public function protect(User $user, string $hash): User
    {
        $this->database->change('UPDATE users SET password = ? WHERE id = ?', [$hash, $user->id]);
        return $this->remember(new User($user->id, $user->name, true));
    }

    /** What a write has changed, for this process, which may have read it before. */
    public function remember(User $user): User
    {
        return $this->byId[$user->id] = $user;
    }

    /** Inside a write. */
    public function setPresent(User $user, bool $present): void
    {
        $this->database->change('UPDATE users SET present = ? WHERE id = ?', [(int) $present, $user->id]);
    }

    /** @return list<User> who was here when the last process ended */
    public function present(): array
    {
        return array_map($this->fromRow(...), $this->database->rows('SELECT id, name, password FROM users WHERE present = 1'));
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
