<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/** The fields of a Lookup by which clients are told apart. */
enum Field: string
{
    case Listener = 'listener';
    case Peer = 'peer';
    case Destination = 'destination';
    case ServerName = 'serverName';
    case Host = 'host';
    case Path = 'path';
    case User = 'user';
    case Database = 'database';
    case Application = 'application';
    case Domain = 'domain';
    case Authority = 'authority';
    /** Its fingerprint: SHA-256 in lower-case hexadecimal. */
    case Certificate = 'certificate';

    /** Reads that field and no other, so that it alone is the key of the answer. */
    public function of(Lookup $lookup): ?string
    {
        return match ($this) {
            self::Listener => $lookup->listener,
            self::Peer => $lookup->peer,
            self::Destination => $lookup->destination,
            self::ServerName => $lookup->serverName,
            self::Host => $lookup->host,
            self::Path => $lookup->path,
            self::User => $lookup->user,
            self::Database => $lookup->database,
            self::Application => $lookup->application,
            self::Domain => $lookup->domain,
            self::Authority => $lookup->authority,
            self::Certificate => $lookup->certificate?->fingerprint,
        };
    }
}
