<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * The latest messages, as they went out. Who was away for a moment is brought up to date from here: when thousands return after a
 * restart, the database is asked for none of them.
 */
final class Recent
{
    private const BYTES_MAX = 4 << 20;

    /** @var array<int, array{Message, string}> id => the message and its event, oldest first */
    private array $messages = [];

    private int $bytes = 0;

    /** @param int $floor the last message that is not here */
    private function __construct(private int $floor) {}

    /** As a process finds them that begins. */
    public static function of(Messages $stored): self
    {
        $latest = $stored->latest(Messages::REPLAY_MAX);
        $self = new self(count($latest) < Messages::REPLAY_MAX ? $stored->pruned() : $latest[0]->id - 1);
        foreach ($latest as $message) {
            $self->add($message, Wire::message($message));
        }
        return $self;
    }

    public function add(Message $message, string $event): void
    {
        $this->messages[$message->id] = [$message, $event];
        $this->bytes += strlen($event);
        while (count($this->messages) > Messages::REPLAY_MAX || ($this->bytes > self::BYTES_MAX && count($this->messages) > 1)) {
            $first = array_key_first($this->messages);
            $this->bytes -= strlen($this->messages[$first][1]);
            $this->floor = $first;
            unset($this->messages[$first]);
        }
    }

    /** Forgets what has been removed from the database. */
    public function drop(int $upto): void
    {
        foreach ($this->messages as $id => [, $event]) {
            if ($id > $upto) {
                break;
            }
            $this->bytes -= strlen($event);
            unset($this->messages[$id]);
        }
        $this->floor = max($this->floor, $upto);
    }

    /**
     * What a user may see and came after a cursor, oldest first; null when it reaches back beyond what is here.
     *
     * @param list<Room> $rooms that the user is in
     *
     * @return array<int, string>|null id => event
     */
    public function since(User $user, array $rooms, int $cursor): ?array
    {
        if ($cursor < $this->floor) {
            return null;
        }
        $in = array_flip(array_map(static fn (Room $room): int => $room->id, $rooms));
        $events = [];
        // From the end: who was away for a moment has missed little.
        for (end($this->messages); ($id = key($this->messages)) !== null && $id > $cursor; prev($this->messages)) {
            [$message, $event] = current($this->messages) ?: throw new \LogicException('A key has a value.');
            if ($message->room !== null ? isset($in[$message->room]) : ($message->recipient === $user->id || $message->sender === $user->id)) {
                $events[$id] = $event;
            }
        }
        return array_reverse($events, true);
    }
}
