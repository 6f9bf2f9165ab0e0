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
    /** HTTP: a page of some kilobytes at `/`. */
    case Page = 'page';
}
