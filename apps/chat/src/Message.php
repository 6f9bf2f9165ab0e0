<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Something that was said, or a notice that somebody came or went; its id is the cursor of every transport. */
final readonly class Message
{
    public const TEXT = 'text';
    public const JOIN = 'join';
    public const LEAVE = 'leave';

    /**
     * @param string      $to   "all", "#room" or a user's name
     * @param int         $at   milliseconds since 1970
     * @param bool        $kept the recipient was away when it was sent
     * @param string|null $nonce what the sender called it, to recognise its echo
     * @param bool        $waiting no connection of the recipient was open when it was sent
     * @param list<string> $others names beside $from that a notice is about, some of them
     * @param int         $count how many people a notice is about
     */
    public function __construct(
        public int $id,
        public int $at,
        public string $kind,
        public int $sender,
        public string $from,
        public string $to,
        public ?int $recipient,
        public ?int $room,
        public string $text,
        public bool $kept = false,
        public ?string $nonce = null,
        public bool $repeated = false,
        public bool $waiting = false,
        public array $others = [],
        public int $count = 1,
    ) {}

    /** @return list<string> */
    public function topics(): array
    {
        if ($this->room !== null) {
            return ["room.{$this->room}"];
        }
        return $this->recipient === $this->sender
            ? ["user.{$this->sender}"]
            : ["user.{$this->sender}", "user.{$this->recipient}"];
    }
}
