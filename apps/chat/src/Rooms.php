<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** The rooms and who is in them. Everybody is in "all". */
final class Rooms
{
    /** Rooms that one user can be in; each costs a subscription per connection. */
    public const PER_USER = 100;

    private const PRUNE_MAX = 10;

    public function __construct(private readonly Database $database) {}

    public function all(): Room
    {
        return new Room(Room::ALL, 'all');
    }

    public function find(string $name): ?Room
    {
        $row = $this->database->row('SELECT id, name FROM rooms WHERE folded = ?', [Name::fold(ltrim(trim($name), '#'))]);
        return $row === null ? null : new Room((int) $row['id'], (string) $row['name']);
    }

    /** @throws Refused */
    public function named(string $name): Room
    {
        return $this->find($name) ?? throw Refused::unknownRoom(ltrim(trim($name), '#'));
    }

    /** Inside a write. */
    public function make(Name $name): Room
    {
        $this->database->change(
            'INSERT INTO rooms (name, folded, created_at) VALUES (?, ?, ?) ON CONFLICT (folded) DO NOTHING',
            [$name->text, $name->folded, $this->database->now()],
        );
        return $this->named($name->text);
    }

    public function isMember(User $user, Room $room): bool
    {
        return $room->isAll()
            || $this->database->row('SELECT 1 FROM members WHERE user = ? AND room = ?', [$user->id, $room->id]) !== null;
    }

    /**
     * Inside a write; false when the user was in it already.
     *
     * @throws Refused when the user is in too many rooms
     */
    public function join(User $user, Room $room): bool
    {
        if ($this->isMember($user, $room)) {
            return false;
        }
        if ($this->database->number('SELECT count(*) FROM members WHERE user = ?', [$user->id]) >= self::PER_USER) {
            throw new Refused(422, 'too-many-rooms', 'Nobody can be in more than ' . self::PER_USER . ' rooms; leave one first.');
        }
        $this->database->change('INSERT INTO members (user, room) VALUES (?, ?)', [$user->id, $room->id]);
        $this->database->change(
            'INSERT INTO markers (user, talk, upto) SELECT ?, ?, coalesce(max(id), 0) FROM messages WHERE true'
            . ' ON CONFLICT (user, talk) DO UPDATE SET upto = max(upto, excluded.upto)',
            [$user->id, Messages::ofRoom($room->id)],
        );
        return true;
    }

    /** Inside a write; false when the user was not in it. */
    public function leave(User $user, Room $room): bool
    {
        return $this->database->change('DELETE FROM members WHERE user = ? AND room = ?', [$user->id, $room->id]) > 0;
    }

    /** Removes some of the rooms in which nobody is and nothing is said any more. Inside a write. */
    public function prune(): void
    {
        $empty = $this->database->rows(
            'SELECT id FROM rooms WHERE id <> ? AND NOT EXISTS (SELECT 1 FROM members WHERE room = rooms.id)'
            . " AND NOT EXISTS (SELECT 1 FROM messages WHERE talk = 'r' || rooms.id) LIMIT ?",
            [Room::ALL, self::PRUNE_MAX],
        );
        foreach ($empty as $row) {
            $this->database->change('DELETE FROM markers WHERE talk = ?', [Messages::ofRoom((int) $row['id'])]);
            $this->database->change('DELETE FROM rooms WHERE id = ?', [$row['id']]);
        }
    }

    /** @return list<Room> with "all" first */
    public function of(User $user): array
    {
        $rooms = [$this->all()];
        $rows = $this->database->rows(
            'SELECT r.id, r.name FROM members m JOIN rooms r ON r.id = m.room WHERE m.user = ? ORDER BY r.folded',
            [$user->id],
        );
        foreach ($rows as $row) {
            $rooms[] = new Room((int) $row['id'], (string) $row['name']);
        }
        return $rooms;
    }

    public function members(Room $room): int
    {
        return $this->database->number('SELECT count(*) FROM members WHERE room = ?', [$room->id]);
    }

    /**
     * Every room but "all", the fullest first.
     *
     * @return list<array{name: string, members: int}>
     */
    public function list(int $limit = 200): array
    {
        $rows = $this->database->rows(
            'SELECT r.name, count(m.user) AS members FROM rooms r LEFT JOIN members m ON m.room = r.id'
            . ' WHERE r.id <> ? GROUP BY r.id ORDER BY members DESC, r.folded LIMIT ?',
            [Room::ALL, $limit],
        );
        return array_map(
            static fn (array $row): array => ['name' => (string) $row['name'], 'members' => (int) $row['members']],
            $rows,
        );
    }
}
