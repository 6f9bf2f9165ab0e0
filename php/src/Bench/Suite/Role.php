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
    /** HTTP: `Hello, World!` at `/`, from a handler where there are handlers. */
    case Hello = 'http';
    /** HTTP: a file of 10 KiB, at path(). */
    case File = 'file';
    /** HTTP: the page of the chat. */
    case Page = 'page';
    /** The chat, in open mode and without limits. */
    case Chat = 'chat';
    /** Event streams at `/events` of what is posted to `/publish`. */
    case Events = 'sse';

    // What only ours is asked to be, for the figures of bench/suite and bench/cost.
    /** Broadcast by a loop over connections. */
    case Foreach = 'broadcast-foreach';
    /** Broadcast with permessage-deflate. */
    case Deflate = 'deflate';
    /** Echo over TLS. */
    case Tls = 'tls';
    /** Echo to guests, while others attack. */
    case Beside = 'beside';
    /** Echo after a wait in a fiber. */
    case Waiting = 'waiting';
    /** HTTP: 7 KB with seven headers, at `/` made once, at `/anew` for each request. */
    case Answer = 'answer';
    /** HTTP: reads a form with a file. */
    case Form = 'form';
    /** No server: a program that runs empty tasks, as many as its port. */
    case Task = 'task';

    /** Whether peers of WebSocket alone can play it. */
    public function isWebSocket(): bool
    {
        return in_array($this, [self::Echo, self::Broadcast, self::Handshake], true);
    }
}
