<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Events as JSON texts, the same on either transport; "type" is also the type of the Server-Sent Event. */
final class Wire
{
    /** Names in one event about who came and left; of more people only the number is told. */
    public const NAMES_MAX = 50;

    /** @param array<string, mixed> $event */
    public static function encode(array $event): string
    {
        return json_encode($event, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
    }

    /** @return array<string, mixed> */
    public static function fields(Message $message): array
    {
        $fields = [
            'id' => $message->id,
            'at' => $message->at,
            'kind' => $message->kind,
            'from' => $message->from,
            'to' => $message->to,
            'text' => $message->text,
        ];
        if ($message->kept) {
            $fields['kept'] = true;
        }
        if ($message->nonce !== null) {
            $fields['nonce'] = $message->nonce;
        }
        if ($message->count > 1) {
            $fields['others'] = $message->others;
            $fields['count'] = $message->count;
        }
        return $fields;
    }

    public static function message(Message $message): string
    {
        return self::encode(['type' => 'message'] + self::fields($message));
    }

    /**
     * @param list<User> $came
     * @param list<User> $left
     * @param int        $count how many are here now
     */
    public static function presence(array $came, array $left, int $count): string
    {
        $name = static fn (User $user): string => $user->name;
        [$some, $gone] = [array_slice($came, 0, self::NAMES_MAX), array_slice($left, 0, self::NAMES_MAX)];
        return self::encode(['type' => 'presence', 'came' => array_map($name, $some), 'left' => array_map($name, $gone), 'count' => $count]
            + (max(count($came), count($left)) > self::NAMES_MAX ? ['more' => true] : []));
    }

    public static function typing(User $user, string $to): string
    {
        return self::encode(['type' => 'typing', 'from' => $user->name, 'to' => $to]);
    }

    public static function read(string $talk, int $upto): string
    {
        return self::encode(['type' => 'read', 'with' => $talk, 'upto' => $upto]);
    }

    public static function room(Room $room, int $members): string
    {
        return self::encode(['type' => 'room', 'name' => $room->name, 'members' => $members]);
    }

    public static function membership(Room $room, bool $joined): string
    {
        return self::encode(['type' => 'membership', 'room' => $room->name, 'joined' => $joined]);
    }
}
