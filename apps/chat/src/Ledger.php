<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** The tables as a write sees them: in the transaction, with what the writes before it have changed. */
final readonly class Ledger
{
    public Users $users;
    public Sessions $sessions;
    public Rooms $rooms;
    public Messages $messages;

    public function __construct(public Database $database)
    {
        $this->users = new Users($database);
        $this->sessions = new Sessions($database, $this->users);
        $this->rooms = new Rooms($database);
        $this->messages = new Messages($database);
    }

    /**
     * All of them in one commit.
     *
     * @param list<Work<mixed>> $works
     *
     * @return list<Outcome>
     */
    public function write(array $works): array
    {
        return $this->database->commit(array_map(fn (Work $work): \Closure => fn (): mixed => $work->do($this), $works));
    }
}
