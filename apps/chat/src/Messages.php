<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** The messages of the store: writing, pages of history, what somebody has missed, what is unread. */
final class Messages
{
    public const TEXT_MAX = 4000;
    public const PAGE_MAX = 100;

    /** More than this is not replayed one by one: the client is told to start again from the history. */
    public const REPLAY_MAX = 500;

    /** Of a talk, so many messages are looked through for unread ones: who connects waits for no more. */
    public const UNREAD_LOOK = 1000;

    /** Rows that one slice of pruning looks at. */
    private const SLICE = 500;

    /** Names that a notice keeps; of more people it keeps the number. */
    private const NOTICE_NAMES = 10;

    private const PRUNED = 'pruned';

    /** A character that is seen: no blank, no joiner or other format, no filler, no mark that stands on nothing. */
    private const SHOWS = '/[^\s\p{Z}\p{Cc}\p{Cf}\p{M}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{2800}\x{3164}\x{FFA0}]/u';

    private const COLUMNS = 'm.id, m.at, m.kind, m.sender, m.recipient, m.room, m.text, m.kept, m.nonce, m.waiting,'
        . ' s.name AS sender_name, r.name AS recipient_name, o.name AS room_name';
    private const JOINS = ' JOIN users s ON s.id = m.sender LEFT JOIN users r ON r.id = m.recipient LEFT JOIN rooms o ON o.id = m.room';

    /** What a user may see after a cursor; an index has each in its order. */
    private const SEEN = [
        'x.recipient = :user AND x.id > :since AND x.id <= :last',
        'x.sender = :user AND x.recipient IS NOT NULL AND x.id > :since AND x.id <= :last',
        "x.talk IN (SELECT 'r' || room FROM members WHERE user = :user UNION SELECT 'r1') AND x.id > :since AND x.id <= :last",
    ];

    private int $last;

    public function __construct(private readonly Database $database)
    {
        $this->last = $database->number("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0)");
    }

    /** The name under which a room's messages are stored. */
    public static function ofRoom(int $room): string
    {
        return "r$room";
    }

    /** The name under which two users' messages to each other are stored. */
    public static function between(int $one, int $other): string
    {
        return 'd' . min($one, $other) . '.' . max($one, $other);
    }

    /**
     * @throws Refused when it is empty, too long or not text
     */
    public static function clean(string $text): string
    {
        if (!mb_check_encoding($text, 'UTF-8')) {
            throw Refused::malformed('A message has to be UTF-8.');
        }
        // Line ends become one kind; other control characters, which no page shows, and direction overrides are dropped.
        $text = strtr($text, ["\r\n" => "\n", "\r" => "\n"]);
        $text = trim((string) preg_replace('/[\x{0}-\x{8}\x{B}-\x{1F}\x{7F}-\x{9F}\x{202A}-\x{202E}\x{2066}-\x{2069}]/u', '', $text));
        $length = mb_strlen($text);
        if (preg_match(self::SHOWS, $text) !== 1) {
            throw new Refused(422, 'empty', 'There is nothing in this message.');
        }
        if ($length > self::TEXT_MAX) {
            throw Refused::tooLong('The message', $length, self::TEXT_MAX);
        }
        return $text;
    }

    /** The id of the last message that is committed and published: the cursor of whoever is up to date. */
    public function last(): int
    {
        return $this->last;
    }

    /** After the commit. */
    public function committed(Message $message): void
    {
        $this->last = max($this->last, $message->id);
    }

    /**
     * Inside a write. A nonce that this sender has used already gives the message of then, marked as repeated.
     *
     * @param bool $kept    the recipient is away
     * @param bool $waiting no connection of the recipient is open: deliver on return
     */
    public function add(
        string $kind,
        User $from,
        Room|User $to,
        string $text,
        ?string $nonce = null,
        bool $kept = false,
        bool $waiting = false,
    ): Message {
        $added = $this->database->change(
            'INSERT INTO messages (at, kind, talk, sender, recipient, room, text, nonce, kept, waiting)'
            . ' VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (sender, nonce) WHERE nonce IS NOT NULL DO NOTHING',
            [
                $at = $this->database->now(),
                $kind,
                $to instanceof Room ? self::ofRoom($to->id) : self::between($from->id, $to->id),
                $from->id,
                $to instanceof User ? $to->id : null,
                $to instanceof Room ? $to->id : null,
                $text,
                $nonce,
                (int) $kept,
                (int) $waiting,
            ],
        );
        if ($added === 0) {
            return $this->said($from, (string) $nonce);
        }
        return new Message(
            $this->database->insertedId(),
            $at,
            $kind,
            $from->id,
            $from->name,
            $to instanceof Room ? $to->address() : $to->name,
            $to instanceof User ? $to->id : null,
            $to instanceof Room ? $to->id : null,
            $text,
            $kept,
            $nonce,
            waiting: $waiting,
        );
    }

    /**
     * One notice about several people. Inside a write.
     *
     * @param non-empty-list<User> $users
     */
    public function addNotice(string $kind, array $users, Room $room): Message
    {
        $others = array_map(static fn (User $user): string => $user->name, array_slice($users, 1, self::NOTICE_NAMES - 1));
        $count = count($users);
        $message = $this->add($kind, $users[0], $room, $count === 1 ? '' : Wire::encode(['others' => $others, 'count' => $count]));
        return $this->withPeople($message);
    }

    /**
     * A page of a talk, oldest first.
     *
     * @return array{messages: list<Message>, more: bool}
     */
    public function page(string $talk, ?int $before, int $limit): array
    {
        $limit = max(1, min(self::PAGE_MAX, $limit));
        $rows = $this->database->rows(
            'SELECT ' . self::COLUMNS . ' FROM messages m' . self::JOINS
            . ' WHERE m.talk = ? AND m.id < ? ORDER BY m.id DESC LIMIT ?',
            // What is committed and not yet published comes live.
            [$talk, min($before ?? PHP_INT_MAX, $this->last + 1), $limit + 1],
        );
        $more = count($rows) > $limit;
        $rows = array_reverse(array_slice($rows, 0, $limit));
        return ['messages' => array_map($this->fromRow(...), $rows), 'more' => $more];
    }

    /**
     * What a user may see and came after a cursor, oldest first; null when that is too much for a replay, or when
     * the cursor is none of this store's.
     *
     * @return list<Message>|null
     */
    public function since(User $user, int $cursor): ?array
    {
        if ($cursor > $this->last || $cursor < $this->pruned()) {
            return null;
        }
        $limit = self::REPLAY_MAX + 1;
        $values = [':since' => $cursor, ':last' => $this->last, ':user' => $user->id, ':limit' => $limit];
        // Each is looked at no further than it may be replayed: anybody may send an old cursor, and all of it would be sorted while everybody waits.
        foreach (self::SEEN as $which) {
            if ($this->database->number("SELECT count(*) FROM (SELECT 1 FROM messages x WHERE $which LIMIT :limit)", $values) === $limit) {
                return null;
            }
        }
        $rows = $this->database->rows(
            'SELECT ' . self::COLUMNS . ' FROM (SELECT * FROM (SELECT x.* FROM messages x WHERE '
            . implode(' UNION SELECT x.* FROM messages x WHERE ', self::SEEN) . ') ORDER BY id LIMIT :limit) m' . self::JOINS . ' ORDER BY m.id',
            $values,
        );
        return count($rows) === $limit ? null : array_map($this->fromRow(...), $rows);
    }

    /** @return list<Message> the latest of all talks, oldest first */
    public function latest(int $limit): array
    {
        $rows = $this->database->rows(
            'SELECT ' . self::COLUMNS . ' FROM messages m' . self::JOINS . ' WHERE m.id <= ? ORDER BY m.id DESC LIMIT ?',
            [$this->last, $limit],
        );
        return array_map($this->fromRow(...), array_reverse($rows));
    }

    /**
     * What was sent to a user while no connection of his was open; null when that is too much for a replay.
     *
     * @return list<Message>|null
     */
    public function waiting(User $user): ?array
    {
        $rows = $this->database->rows(
            'SELECT ' . self::COLUMNS . ' FROM messages m' . self::JOINS
            . ' WHERE m.recipient = ? AND m.waiting = 1 AND m.id <= ? ORDER BY m.id LIMIT ?',
            [$user->id, $this->last, self::REPLAY_MAX + 1],
        );
        return count($rows) > self::REPLAY_MAX ? null : array_map($this->fromRow(...), $rows);
    }

    /** Inside a write. */
    public function delivered(User $user, int $upto): void
    {
        $this->database->change(
            'UPDATE messages SET waiting = 0 WHERE recipient = ? AND waiting = 1 AND id <= ?',
            [$user->id, $upto],
        );
    }

    /** Inside a write: that message waits for its recipient after all. */
    public function wait(int $id): void
    {
        $this->database->change('UPDATE messages SET waiting = 1 WHERE id = ?', [$id]);
    }

    /**
     * Removes the oldest messages, a slice of them; those that still wait for their recipient go by age, and where they alone are
     * too many. Inside a write.
     *
     * @param int $before milliseconds since 1970: what was said earlier goes; 0: nothing by age
     * @param int $keep   so many of the latest stay, and so many of those that wait; 0: all
     *
     * @return bool whether that was all
     */
    public function prune(int $before, int $keep): bool
    {
        $old = $before > 0 ? $this->lastBefore($before) : 0;
        $much = $keep > 0 ? $this->database->number('SELECT coalesce(max(id), 0) FROM messages') - $keep : 0;
        $ids = array_map(intval(...), array_column($this->database->rows(
            'SELECT id FROM messages WHERE id <= ?2 AND (id <= ?1 OR waiting = 0) ORDER BY id LIMIT ?3',
            [max($old, $this->muchWaits($keep)), max($old, $much), self::SLICE],
        ), 'id'));
        if ($ids === []) {
            return true;
        }
        $this->database->change('DELETE FROM messages WHERE id IN (' . implode(', ', $ids) . ')');
        $this->database->change(
            'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)',
            [self::PRUNED, end($ids)],
        );
        return count($ids) < self::SLICE;
    }

    /** The last of those that wait and are more than so many; 0: none. */
    private function muchWaits(int $keep): int
    {
        return $keep > 0 ? $this->database->number('SELECT id FROM messages WHERE waiting = 1 ORDER BY id DESC LIMIT 1 OFFSET ?', [$keep]) : 0;
    }

    /** The last message that was removed for its age or for the number of them; 0: none. */
    public function pruned(): int
    {
        return $this->database->number('SELECT value FROM facts WHERE name = ?', [self::PRUNED]);
    }

    /** Inside a write; a marker never goes back. */
    public function markRead(User $user, string $talk, int $upto): void
    {
        $this->database->change(
            'INSERT INTO markers (user, talk, upto) VALUES (?, ?, ?)'
            . ' ON CONFLICT (user, talk) DO UPDATE SET upto = max(upto, excluded.upto)',
            [$user->id, $talk, $upto],
        );
    }

    /** Texts of others after the marker, counted up to 100; of who said the last thousand himself the rest is not looked through. */
    public function unread(User $user, string $talk): int
    {
        return $this->database->number(
            'SELECT min(100, count(*)) FROM (SELECT kind, sender FROM messages WHERE talk = ?1 AND id >'
            . ' coalesce((SELECT upto FROM markers WHERE user = ?3 AND talk = ?1), 0) ORDER BY id DESC LIMIT ' . self::UNREAD_LOOK . ')'
            . ' WHERE kind = ?2 AND sender <> ?3',
            [$talk, Message::TEXT, $user->id],
        );
    }

    public function marker(User $user, string $talk): int
    {
        return $this->database->number('SELECT upto FROM markers WHERE user = ? AND talk = ?', [$user->id, $talk]);
    }

    /**
     * Whom a user has exchanged messages with, the latest first.
     *
     * @return list<array{name: string, id: int, last: int}>
     */
    public function partners(User $user, int $limit = 200): array
    {
        // From one partner to the next by the index: what was said may be a hundred thousand times as much, and each connection asks.
        $rows = $this->database->rows(
            'WITH RECURSIVE sent (other) AS (SELECT min(recipient) FROM messages WHERE sender = ?1 AND recipient IS NOT NULL'
            . ' UNION ALL SELECT (SELECT min(recipient) FROM messages WHERE sender = ?1 AND recipient > other) FROM sent WHERE other IS NOT NULL),'
            . ' got (other) AS (SELECT min(sender) FROM messages WHERE recipient = ?1'
            . ' UNION ALL SELECT (SELECT min(sender) FROM messages WHERE recipient = ?1 AND sender > other) FROM got WHERE other IS NOT NULL)'
            . ' SELECT u.name, u.id, max(p.last) AS last FROM ('
            . ' SELECT other, (SELECT max(id) FROM messages WHERE sender = ?1 AND recipient = other) AS last FROM sent'
            . ' UNION ALL SELECT other, (SELECT max(id) FROM messages WHERE recipient = ?1 AND sender = other) FROM got'
            . ') p JOIN users u ON u.id = p.other GROUP BY u.id ORDER BY 3 DESC LIMIT ?2',
            [$user->id, $limit],
        );
        return array_map(
            static fn (array $row): array => ['name' => (string) $row['name'], 'id' => (int) $row['id'], 'last' => (int) $row['last']],
            $rows,
        );
    }

    /** The last message before a time: ids follow the clock, so halving finds it. */
    private function lastBefore(int $at): int
    {
        $low = 0;
        $high = $this->database->number('SELECT coalesce(max(id), 0) FROM messages');
        while ($low < $high) {
            $middle = intdiv($low + $high + 1, 2);
            $row = $this->database->row('SELECT id, at FROM messages WHERE id <= ? ORDER BY id DESC LIMIT 1', [$middle]);
            if ($row === null || (int) $row['at'] < $at) {
                $low = $middle;
            } else {
                $high = (int) $row['id'] - 1;
            }
        }
        return $low;
    }

    /** A notice about several people holds their names where others have their text. */
    private function withPeople(Message $message): Message
    {
        if ($message->kind === Message::TEXT || $message->text === '') {
            return $message;
        }
        /** @var array{others: list<string>, count: int} $people */
        $people = json_decode($message->text, true, 4, JSON_THROW_ON_ERROR);
        return new Message(
            $message->id,
            $message->at,
            $message->kind,
            $message->sender,
            $message->from,
            $message->to,
            $message->recipient,
            $message->room,
            '',
            others: $people['others'],
            count: $people['count'],
        );
    }

    private function said(User $from, string $nonce): Message
    {
        $row = $this->database->row(
            'SELECT ' . self::COLUMNS . ', 1 AS repeated FROM messages m' . self::JOINS . ' WHERE m.sender = ? AND m.nonce = ?',
            [$from->id, $nonce],
        );
        return $this->fromRow($row ?? throw Refused::notStored());
    }

    /** @param array<string, int|string|null> $row */
    private function fromRow(array $row): Message
    {
        $room = $row['room'] === null ? null : new Room((int) $row['room'], (string) $row['room_name']);
        return $this->withPeople(new Message(
            (int) $row['id'],
            (int) $row['at'],
            (string) $row['kind'],
            (int) $row['sender'],
            (string) $row['sender_name'],
            $room === null ? (string) $row['recipient_name'] : $room->address(),
            $row['recipient'] === null ? null : (int) $row['recipient'],
            $room?->id,
            (string) $row['text'],
            (int) $row['kept'] === 1,
            $row['nonce'] === null ? null : (string) $row['nonce'],
            isset($row['repeated']),
            (int) $row['waiting'] === 1,
        ));
    }
}
