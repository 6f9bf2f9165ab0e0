<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** The application: what users can do, with neither HTTP nor WebSocket in it. */
final class Chat
{
    public readonly Store $store;
    public readonly Users $users;
    public readonly Sessions $sessions;
    public readonly Rooms $rooms;
    public readonly Messages $messages;
    public readonly Presence $presence;

    private readonly Passwords $secrets;
    private readonly Typing $typing;
    private readonly RateLimit $sending;
    private readonly RateLimit $small;
    private readonly RateLimit $making;
    private readonly RateLimit $entering;
    private readonly RateLimit $passwords;

    /** @var array<string, string> sink => session */
    private array $sessionOf = [];

    public function __construct(
        public readonly Settings $settings,
        private readonly Turn $turn,
        private readonly Hub $hub,
        string $database,
        #[\SensitiveParameter] string $key,
    ) {
        $this->store = new Store($database, $turn);
        $this->users = new Users($this->store);
        $this->sessions = new Sessions($this->store, $this->users, $key);
        $this->rooms = new Rooms($this->store);
        $this->messages = new Messages($this->store);
        $this->presence = new Presence($turn, $settings->grace, $this->joined(...), $this->left(...));
        $this->secrets = new Passwords($turn);
        $this->typing = new Typing($turn);
        $this->sending = new RateLimit($settings->rate, 20.0, $turn);
        $this->small = new RateLimit($settings->rate > 0.0 ? 50.0 : 0.0, 200.0, $turn);
        $this->making = new RateLimit($settings->rate > 0.0 ? 0.1 : 0.0, 20.0, $turn);
        $this->entering = new RateLimit($settings->rate > 0.0 ? 2.0 : 0.0, 60.0, $turn);
        $this->passwords = new RateLimit(0.2, 6.0, $turn);
    }

    /** Once the loop runs: who was here when the last process ended has the grace period to come back. */
    public function start(): void
    {
        foreach ($this->store->rows('SELECT id FROM users WHERE present = 1') as $row) {
            $user = $this->users->byId((int) $row['id']);
            if ($user !== null) {
                $this->presence->restore($user);
            }
        }
    }

    /**
     * A log-in; parks the caller while a password is hashed. A name with a password demands it; a password given for a name that has none protects it from now on.
     *
     * @return Ticket<Session>
     *
     * @throws Refused
     */
    public function enter(string $given, #[\SensitiveParameter] string $password, string $address): Ticket
    {
        $this->entering->take($address);
        $name = Name::of($given);
        $user = $this->users->find($name->text);
        $hash = null;
        if ($user !== null && $user->protected) {
            // The name's bucket as well as the address's: neither many guessers of one name nor one guesser of many.
            $this->passwords->take("name {$user->id}");
            $this->passwords->take("from $address");
            $this->demand($user, $password);
        } elseif ($password !== '') {
            if ($user !== null && $this->presence->isOnline($user->id)) {
                throw new Refused(409, 'in-use', "Somebody is here as \"{$user->name}\" without a password; it can be protected from there.");
            }
            Passwords::check($password);
            $this->passwords->take("from $address");
            $hash = $this->secrets->hash($password);
        }
        return $this->store->write(function () use ($name, $hash): Session {
            $user = $this->users->enter($name);
            if ($hash !== null) {
                if ($user->protected) {
                    throw Refused::wrongPassword($user->name);
                }
                $user = $this->users->protect($user, $hash);
                $this->sessions->endOthers($user, null);
            }
            return $this->sessions->open($user);
        });
    }

    /**
     * @return Ticket<User>
     *
     * @throws Refused
     */
    public function protect(Session $session, #[\SensitiveParameter] string $password, #[\SensitiveParameter] string $old): Ticket
    {
        $this->passwords->take("name {$session->user->id}");
        $this->demand($session->user, $old);
        $hash = $this->secrets->hash($password);
        $ended = [];
        $ticket = $this->store->write(function () use ($session, $hash, &$ended): User {
            $ended = $this->sessions->endOthers($session->user, $session->id);
            return $this->users->protect($session->user, $hash);
        });
        $ticket->then(function (?\Throwable $error) use ($session, &$ended): void {
            if ($error === null) {
                $this->closeSessions($session->user, $ended);
            }
        });
        return $ticket;
    }

    /** @return Ticket<null> */
    public function quit(Session $session): Ticket
    {
        $ticket = $this->store->write(function () use ($session): null {
            $this->sessions->end($session->id);
            return null;
        });
        $ticket->then(fn (?\Throwable $error) => $this->closeSessions($session->user, [$session->id]));
        return $ticket;
    }

    /**
     * A connection of a user: says where things stand, brings what was missed, then is live. Nothing in here waits,
     * and messages are published in the same step as they are committed: between replay and live there is no gap.
     *
     * @param string|null $cursor the last message that the client has, or null when it comes with nothing
     */
    public function connect(Session $session, Sink $sink, ?string $cursor): void
    {
        $user = $session->user;
        $this->sessionOf[$sink->id()] = $session->id;
        $this->presence->attach($user, $sink);
        $sink->send(Wire::encode($this->welcome($user)), 'welcome');

        $missed = null;
        if ($cursor !== null && $cursor !== '') {
            $missed = preg_match('/^\d{1,18}$/D', $cursor) === 1 ? $this->messages->since($user, (int) $cursor) : null;
            if ($missed === null) {
                // Said, not hidden: the client forgets what it has and reads the history anew.
                $sink->send(Wire::encode(['type' => 'reset', 'cursor' => $this->messages->last()]), 'reset');
            }
        }
        foreach ($missed ?? $this->messages->waiting($user) as $message) {
            $sink->send(Wire::message($message), 'message', (string) $message->id);
        }
        $sink->subscribe($user->topic());
        foreach ($this->rooms->of($user) as $room) {
            $sink->subscribe($room->topic());
        }
        $last = $this->messages->last();
        $sink->send(Wire::encode(['type' => 'ready', 'cursor' => $last]), 'ready', (string) $last);
        if ($this->messages->waiting($user) !== []) {
            $this->store->write(fn () => $this->messages->delivered($user, $last));
        }
    }

    public function disconnect(User $user, Sink $sink): void
    {
        unset($this->sessionOf[$sink->id()]);
        $this->presence->detach($user, $sink);
    }

    /**
     * @return Ticket<Message>
     *
     * @throws Refused
     */
    public function send(User $from, string $to, string $text, ?string $nonce = null): Ticket
    {
        $this->sending->take("{$from->id}");
        $text = Messages::clean($text);
        if ($nonce !== null && preg_match('/^[\w.:-]{1,64}$/D', $nonce) !== 1) {
            throw Refused::malformed('A nonce has 1 to 64 letters, digits, and . : _ - between them.');
        }
        $target = $this->target($from, $to);
        $ticket = $this->store->write(fn (): Message => $this->messages->add(
            Message::TEXT,
            $from,
            $target,
            $text,
            $nonce,
            $target instanceof User && !$this->presence->isOnline($target->id),
            $target instanceof User && !$this->presence->isConnected($target->id),
        ));
        $ticket->then(fn (?\Throwable $error) => $error === null ? $this->announce($ticket->value()) : null);
        $this->typing->sent($from, $this->talk($from, $target));
        return $ticket;
    }

    /** @throws Refused */
    public function type(User $from, string $to): void
    {
        $this->small->take("{$from->id}");
        $target = $this->target($from, $to);
        if (!$this->typing->notice($from, $this->talk($from, $target))) {
            return;
        }
        $this->publish($target->topic(), Wire::typing($from, $target instanceof Room ? $target->address() : $target->name), 'typing');
    }

    /**
     * @return array{with: string, messages: list<Message>, more: bool}
     *
     * @throws Refused
     */
    public function history(User $user, string $with, ?int $before, int $limit): array
    {
        $this->small->take("{$user->id}");
        $target = $this->target($user, $with);
        return ['with' => $target instanceof Room ? $target->address() : $target->name]
            + $this->messages->page($this->talk($user, $target), $before, $limit);
    }

    /**
     * @return Ticket<null>
     *
     * @throws Refused
     */
    public function read(User $user, string $with, int $upto): Ticket
    {
        $this->small->take("{$user->id}");
        $target = $this->target($user, $with);
        $talk = $this->talk($user, $target);
        $ticket = $this->store->write(function () use ($user, $talk, $upto): null {
            $this->messages->markRead($user, $talk, $upto);
            return null;
        });
        $with = $target instanceof Room ? $target->address() : $target->name;
        $ticket->then(fn (?\Throwable $error) => $error === null
            ? $this->publish($user->topic(), Wire::read($with, min($upto, $this->messages->last())), 'read') : null);
        return $ticket;
    }

    /**
     * Joins a room, which is made when there is none of that name.
     *
     * @return Ticket<Room>
     *
     * @throws Refused
     */
    public function join(User $user, string $given): Ticket
    {
        $this->small->take("{$user->id}");
        $name = Name::of(ltrim(trim($given), '#'), "A room's name");
        if ($this->rooms->find($name->text) === null) {
            $this->making->take("{$user->id}"); // Rooms stay, with what was said in them: they cost everybody.
        }
        $notice = null;
        $ticket = $this->store->write(function () use ($user, $name, &$notice): Room {
            $room = $this->rooms->make($name);
            if ($this->rooms->join($user, $room)) {
                $notice = $this->messages->add(Message::JOIN, $user, $room, '');
            }
            return $room;
        });
        $ticket->then(function (?\Throwable $error) use ($user, $ticket, &$notice): void {
            if ($error !== null || $notice === null) {
                return;
            }
            $room = $ticket->value();
            foreach ($this->presence->sinks($user) as $sink) {
                $sink->subscribe($room->topic());
            }
            $this->publish($user->topic(), Wire::membership($room, true), 'membership');
            $this->announce($notice);
            $this->publishRoom($room);
        });
        return $ticket;
    }

    /**
     * @return Ticket<Room>
     *
     * @throws Refused
     */
    public function leave(User $user, string $given): Ticket
    {
        $this->small->take("{$user->id}");
        $room = $this->rooms->named($given);
        if ($room->isAll()) {
            throw new Refused(422, 'everybody', 'Everybody is in "all"; nobody can leave it.');
        }
        $notice = null;
        $ticket = $this->store->write(function () use ($user, $room, &$notice): Room {
            if ($this->rooms->leave($user, $room)) {
                $notice = $this->messages->add(Message::LEAVE, $user, $room, '');
            }
            return $room;
        });
        $ticket->then(function (?\Throwable $error) use ($user, $room, &$notice): void {
            if ($error !== null || $notice === null) {
                return;
            }
            foreach ($this->presence->sinks($user) as $sink) {
                $sink->unsubscribe($room->topic());
            }
            $this->publish($user->topic(), Wire::membership($room, false), 'membership');
            $this->announce($notice);
            $this->publishRoom($room);
        });
        return $ticket;
    }

    /**
     * Before something that is only looked at.
     *
     * @throws Refused
     */
    public function look(User $user): void
    {
        $this->small->take("{$user->id}");
    }

    /** @return array<string, mixed> */
    public function me(User $user): array
    {
        return ['name' => $user->name, 'protected' => $user->protected, 'open' => $this->settings->open];
    }

    /** @return list<array{name: string, members: int, joined: bool}> */
    public function roomList(User $user): array
    {
        $mine = array_map(static fn (Room $room): string => $room->name, $this->rooms->of($user));
        return array_map(
            static fn (array $room): array => $room + ['joined' => in_array($room['name'], $mine, true)],
            $this->rooms->list(),
        );
    }

    /** @return array<string, mixed> */
    private function welcome(User $user): array
    {
        $talks = [];
        foreach ($this->rooms->of($user) as $room) {
            $talks[] = $this->summary($user, $room->address(), Messages::ofRoom($room->id));
        }
        foreach ($this->messages->partners($user) as $partner) {
            $talks[] = $this->summary($user, $partner['name'], Messages::between($user->id, $partner['id']))
                + ['last' => $partner['last']];
        }
        return [
            'type' => 'welcome',
            'you' => $this->me($user),
            'now' => $this->turn->now(),
            'online' => $this->presence->online(),
            'rooms' => $this->roomList($user),
            'talks' => $talks,
            'limits' => ['text' => Messages::TEXT_MAX, 'name' => Name::MAX, 'password' => Passwords::MIN],
        ];
    }

    /** @return array<string, mixed> */
    private function summary(User $user, string $with, string $talk): array
    {
        return ['with' => $with, 'unread' => $this->messages->unread($user, $talk), 'upto' => $this->messages->marker($user, $talk)];
    }

    /** @throws Refused */
    private function demand(User $user, #[\SensitiveParameter] string $password): void
    {
        $hash = $this->users->passwordHash($user);
        if ($hash !== null && !$this->secrets->verify($password, $hash)) {
            throw Refused::wrongPassword($user->name);
        }
    }

    /** @throws Refused */
    private function target(User $from, string $address): Room|User
    {
        $address = trim($address);
        if (strcasecmp($address, 'all') === 0 || strcasecmp($address, '#all') === 0) {
            return $this->rooms->all();
        }
        if (str_starts_with($address, '#')) {
            $room = $this->rooms->named($address);
            return $this->rooms->isMember($from, $room) ? $room : throw Refused::notMember($room->name);
        }
        return $this->users->named(str_starts_with($address, '@') ? substr($address, 1) : $address);
    }

    private function talk(User $user, Room|User $target): string
    {
        return $target instanceof Room ? Messages::ofRoom($target->id) : Messages::between($user->id, $target->id);
    }

    private function announce(Message $message): void
    {
        if ($message->repeated) {
            return;
        }
        $this->messages->committed($message);
        $data = Wire::message($message);
        foreach ($message->topics() as $topic) {
            $this->hub->publish($topic, $data, 'message', (string) $message->id);
        }
    }

    /** An event that is not kept; its id is the cursor that everybody who gets it has already. */
    private function publish(string $topic, string $data, string $event): void
    {
        $this->hub->publish($topic, $data, $event, (string) $this->messages->last());
    }

    private function publishRoom(Room $room): void
    {
        $this->publish($this->rooms->all()->topic(), Wire::room($room, $this->rooms->members($room)), 'room');
    }

    private function joined(User $user): void
    {
        $this->notice($user, Message::JOIN, true);
    }

    private function left(User $user): void
    {
        $this->notice($user, Message::LEAVE, false);
    }

    private function notice(User $user, string $kind, bool $online): void
    {
        $ticket = $this->store->write(function () use ($user, $kind, $online): Message {
            $this->store->change('UPDATE users SET present = ? WHERE id = ?', [(int) $online, $user->id]);
            return $this->messages->add($kind, $user, $this->rooms->all(), '');
        });
        $ticket->then(function (?\Throwable $error) use ($user, $online, $ticket): void {
            $this->publish($this->rooms->all()->topic(), Wire::presence($user, $online), 'presence');
            if ($error === null) {
                $this->announce($ticket->value());
            }
        });
    }

    /** @param list<string> $sessions */
    private function closeSessions(User $user, array $sessions): void
    {
        foreach ($this->presence->sinks($user) as $sink) {
            if (in_array($this->sessionOf[$sink->id()] ?? '', $sessions, true)) {
                $sink->close();
            }
        }
    }
}
