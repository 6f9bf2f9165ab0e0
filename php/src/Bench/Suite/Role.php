<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** What a server is asked to be in a comparison; the values are what peers' programs are called with. */
enum Role: string
{
    /** WebSocket: every message goes back to its sender. */
    case Echo = 'echo';
    /** WebSocket: every message goes to every connection. */
    case Broadcast = 'broadcast';
    /** WebSocket: agrees on the subprotocol chat.v1. */
    case Handshake = 'handshake';
    /** HTTP: the page of the chat. */
    case Page = 'page';
    /** The chat, in open mode and without limits. */
    case Chat = 'chat';
    /** Event streams at `/events` of what is posted to `/publish`. */
    case Events = 'sse';

    /** Whether peers of WebSocket alone can play it. */
    public function isWebSocket(): bool
    {
        return in_array($this, [self::Echo, self::Broadcast, self::Handshake], true);
    }
}
