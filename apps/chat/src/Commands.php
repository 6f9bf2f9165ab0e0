<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** The commands of a user who is logged in: the same over HTTP and over WebSocket. */
final readonly class Commands
{
    public function __construct(private Chat $chat) {}

    /**
     * @param array<array-key, mixed> $fields
     *
     * @throws Refused
     */
    public function run(string $command, Session $session, array $fields): Reply
    {
        return match ($command) {
            'send' => $this->send($session, $fields),
            'typing' => $this->typing($session->user, $fields),
            'read' => $this->read($session->user, $fields),
            'history' => $this->history($session->user, $fields),
            'join' => $this->join($session->user, $fields),
            'leave' => $this->leave($session->user, $fields),
            'rooms' => $this->look($session->user, fn (): array => ['rooms' => $this->chat->roomsFor($session->user)]),
            'online' => $this->online($session->user, $fields),
            'me' => $this->look($session->user, fn (): array => $this->chat->me($session->user)),
            default => throw Refused::malformed('Commands are send, typing, read, history, join, leave, rooms, online and me.'),
        };
    }

    /** @param array<array-key, mixed> $fields */
    public static function optional(array $fields, string $name): ?string
    {
        $value = $fields[$name] ?? null;
        if ($value === null || is_string($value)) {
            return $value;
        }
        return is_int($value) ? (string) $value : throw Refused::malformed("The field \"$name\" is one text.");
    }

    /** @param array<array-key, mixed> $fields */
    public static function required(array $fields, string $name): string
    {
        return self::optional($fields, $name) ?? throw Refused::missing($name);
    }

    /** @param \Closure(): array<string, mixed> $what */
    private function look(User $user, \Closure $what): Reply
    {
        $this->chat->look($user);
        return Reply::now($what());
    }

    /** @param array<array-key, mixed> $fields */
    private function online(User $user, array $fields): Reply
    {
        $limit = max(1, min(Chat::ONLINE_ASKED_MAX, self::position($fields, 'limit') ?? Chat::ONLINE_ASKED_MAX));
        return $this->look($user, fn (): array => [
            'online' => $this->chat->presence->online($limit),
            'count' => $this->chat->presence->count(),
        ]);
    }

    /** @param array<array-key, mixed> $fields */
    private function send(Session $session, array $fields): Reply
    {
        $ticket = $this->chat->send(
            $session->user,
            self::required($fields, 'to'),
            self::required($fields, 'text'),
            self::optional($fields, 'nonce'),
            $session->address,
        );
        return Reply::after($ticket, Wire::fields(...), 201);
    }

    /** @param array<array-key, mixed> $fields */
    private function typing(User $user, array $fields): Reply
    {
        $this->chat->type($user, self::required($fields, 'to'));
        return Reply::now(['ok' => true], 202);
    }

    /** @param array<array-key, mixed> $fields */
    private function read(User $user, array $fields): Reply
    {
        $upto = self::position($fields, 'upto') ?? throw Refused::missing('upto');
        return Reply::after($this->chat->read($user, self::required($fields, 'with'), $upto), static fn (): array => ['ok' => true]);
    }

    /** @param array<array-key, mixed> $fields */
    private function history(User $user, array $fields): Reply
    {
        $room = self::optional($fields, 'room');
        $with = $room !== null ? '#' . ltrim($room, '#') : self::optional($fields, 'user') ?? self::optional($fields, 'with') ?? 'all';
        $page = $this->chat->history(
            $user,
            $with,
            self::position($fields, 'before'),
            self::position($fields, 'limit') ?? 50,
        );
        $page['messages'] = array_map(Wire::fields(...), $page['messages']);
        return Reply::now($page);
    }

    /** @param array<array-key, mixed> $fields */
    private function join(User $user, array $fields): Reply
    {
        return Reply::after($this->chat->join($user, self::required($fields, 'room')), static fn (array $done): array => ['room' => $done['room']->name]);
    }

    /** @param array<array-key, mixed> $fields */
    private function leave(User $user, array $fields): Reply
    {
        return Reply::after($this->chat->leave($user, self::required($fields, 'room')), static fn (array $done): array => ['room' => $done['room']->name]);
    }

    /** @param array<array-key, mixed> $fields */
    private static function position(array $fields, string $name): ?int
    {
        $value = self::optional($fields, $name);
        if ($value === null || $value === '') {
            return null;
        }
        return preg_match('/^\d{1,18}$/D', $value) === 1 ? (int) $value : throw Refused::malformed("The field \"$name\" is a number.");
    }
}
