<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** The application: what users can do, with neither HTTP nor WebSocket in it. */
final class Chat
{
    /** Names that a newcomer is told at once; of more people he is told the number. */
    public const ONLINE_MAX = 100;

    /** Names that may be asked for. */
    public const ONLINE_ASKED_MAX = 1000;

    /** Milliseconds for which the list of rooms is the same for everybody. */
    private const ROOMS_FRESH_MS = 1000;

    public readonly Store $store;
    public readonly Users $users;
    public readonly Sessions $sessions;
    public readonly Tokens $tokens;
    public readonly Rooms $rooms;
    public readonly Messages $messages;
    public readonly Presence $presence;
    public readonly Claims $claims;
    public readonly Door $door;

    private readonly Recent $recent;
    private readonly Typing $typing;
    private readonly RateLimit $sending;
    private readonly RateLimit $sendingFrom;
    private readonly RateLimit $small;
    private readonly RateLimit $asking;
    private readonly RateLimit $making;

    /** @var array<string, string> sink => session */
    private array $sessionOf = [];

    /** @var array{list<array{name: string, members: int}>, int}|null the rooms and when they were looked up */
    private ?array $roomList = null;

    /** @param Database $database to read; what is written goes through $writer */
    public function __construct(
        public readonly Settings $settings,
        private readonly Turn $turn,
        private readonly Hub $hub,
        Database $database,
        Writer $writer,
        #[\SensitiveParameter] string $key,
    ) {
        $this->store = new Store($writer, $turn);
        $this->users = new Users($database);
        $this->sessions = new Sessions($database, $this->users);
        $this->tokens = new Tokens($this->sessions, $turn, $key);
        $this->rooms = new Rooms($database);
        $this->messages = new Messages($database);
        $this->recent = Recent::of($this->messages);
        $attendance = new Attendance($turn, $this->attended(...));
        $this->presence = new Presence($turn, $settings->grace, $attendance->came(...), $attendance->left(...));
        $this->claims = new Claims($this->sessions, $this->presence, $turn);
        $this->door = new Door($this->store, $this->users, $this->claims, $turn, $settings, $this->closeSessions(...));
        $this->typing = new Typing($turn);
        $this->sending = new RateLimit($settings->rate, 20.0, $turn);
        // Names cost nothing: who has many of them is no more than ten people.
        $this->sendingFrom = new RateLimit($settings->rate * 10.0, 200.0, $turn);
        $this->small = new RateLimit($settings->rate > 0.0 ? 50.0 : 0.0, 200.0, $turn);
        // Of one address, as of ten people: what is over it costs no more than the refusal.
        $this->asking = new RateLimit($settings->rate > 0.0 ? 500.0 : 0.0, 2000.0, $turn);
        $this->making = new RateLimit($settings->rate > 0.0 ? 0.1 : 0.0, 20.0, $turn);
    }

    /**
     * Before a command is read: parsing it is what a flood would have us do.
     *
     * @param string $network whom a limit per address counts; empty: nobody knows
     *
     * @throws Refused
     */
    public function ask(string $network): void
    {
        if ($network !== '') {
            $this->asking->take($network);
        }
    }

    /** Once the loop runs: who was here when the last process ended has the grace period to come back. */
    public function start(): void
    {
        $this->presence->restore(...$this->users->present());
        $forget = fn () => $this->recent->drop($this->messages->pruned());
        (new Retention($this->store, $this->turn, $this->settings, $forget))->start();
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
        $rooms = $this->rooms->of($user);
        $this->sessionOf[$sink->id()] = $session->id;
        $this->claims->connected($session);
        $this->presence->attach($user, $sink);
        $sink->send(Wire::encode($this->welcome($user, $rooms)), 'welcome');

        $waiting = $this->messages->waiting($user);
        $missed = null;
        $comesBack = $cursor !== null && $cursor !== '';
        if ($comesBack) {
            $missed = preg_match('/^\d{1,18}$/D', $cursor) === 1 ? $this->missed($user, $rooms, (int) $cursor) : null;
        }
        if ($missed === null && ($comesBack || $waiting === null)) {
            // Said, not hidden: the client forgets what it has and reads the history anew.
            $sink->send(Wire::encode(['type' => 'reset', 'cursor' => $this->messages->last()]), 'reset');
        }
        foreach ($missed ?? self::events($waiting ?? []) as $id => $event) {
            $sink->send($event, 'message', (string) $id);
        }
        $sink->subscribe($user->topic());
        foreach ($rooms as $room) {
            $sink->subscribe($room->topic());
        }
        $last = $this->messages->last();
        $sink->send(Wire::encode(['type' => 'ready', 'cursor' => $last]), 'ready', (string) $last);
        if ($waiting !== []) {
            $this->store->write(new Work\Deliver($user, $last));
        }
    }

    public function disconnect(Session $session, Sink $sink): void
    {
        unset($this->sessionOf[$sink->id()]);
        $this->claims->disconnected($session);
        $this->presence->detach($session->user, $sink);
    }

    /**
     * @param string $address at which its session began; empty: nobody knows
     *
     * @return Ticket<Message>
     *
     * @throws Refused
     */
    public function send(User $from, string $to, string $text, ?string $nonce = null, string $address = ''): Ticket
    {
        $this->sending->take("{$from->id}");
        if ($address !== '') {
            $this->sendingFrom->take($address);
        }
        $text = Messages::clean($text);
        if ($nonce !== null && preg_match('/^[\w.:-]{1,64}$/D', $nonce) !== 1) {
            throw Refused::malformed('A nonce has 1 to 64 letters, digits, and . : _ - between them.');
        }
        $target = $this->target($from, $to);
        $ticket = $this->store->write(new Work\Say(
            $from,
            $target,
            $text,
            $nonce,
            $target instanceof User && !$this->presence->isOnline($target->id),
            $target instanceof User && !$this->presence->isConnected($target->id),
        ));
        $ticket->then(fn (?Refused $error) => $error === null ? $this->said($ticket->value(), $target) : null);
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
        $upto = min($upto, $this->messages->last());
        $ticket = $this->store->write(new Work\MarkRead($user, $talk, $upto));
        $with = $target instanceof Room ? $target->address() : $target->name;
        $ticket->then(fn (?Refused $error) => $error === null
            ? $this->publish($user->topic(), Wire::read($with, $upto), 'read') : null);
        return $ticket;
    }

    /**
     * Joins a room, which is made when there is none of that name.
     *
     * @return Ticket<array{room: Room, notice: Message|null}>
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
        $ticket = $this->store->write(new Work\Join($user, $name));
        $ticket->then(function (?Refused $error) use ($user, $ticket): void {
            if ($error === null) {
                $this->moved($user, $ticket->value(), true);
            }
        });
        return $ticket;
    }

    /**
     * @return Ticket<array{room: Room, notice: Message|null}>
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
        $ticket = $this->store->write(new Work\Leave($user, $room));
        $ticket->then(function (?Refused $error) use ($user, $ticket): void {
            if ($error === null) {
                $this->moved($user, $ticket->value(), false);
            }
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
    public function roomsFor(User $user): array
    {
        return $this->roomList($this->rooms->of($user));
    }

    /**
     * @param list<Room> $rooms that somebody is in
     *
     * @return list<array{name: string, members: int, joined: bool}>
     */
    private function roomList(array $rooms): array
    {
        $now = $this->turn->now();
        if ($this->roomList === null || abs($now - $this->roomList[1]) > self::ROOMS_FRESH_MS) {
            $this->roomList = [$this->rooms->list(), $now];
        }
        $mine = array_map(static fn (Room $room): string => $room->name, $rooms);
        return array_map(
            static fn (array $room): array => $room + ['joined' => in_array($room['name'], $mine, true)],
            $this->roomList[0],
        );
    }

    /**
     * What a user has not seen, by a cursor; null when that is too much, or no cursor of ours.
     *
     * @param list<Room> $rooms
     *
     * @return array<int, string>|null id => event
     */
    private function missed(User $user, array $rooms, int $cursor): ?array
    {
        if ($cursor > $this->messages->last()) {
            return null;
        }
        $recent = $this->recent->since($user, $rooms, $cursor);
        if ($recent !== null) {
            return $recent;
        }
        $stored = $this->messages->since($user, $cursor);
        return $stored === null ? null : self::events($stored);
    }

    /**
     * @param list<Message> $messages
     *
     * @return array<int, string> id => event
     */
    private static function events(array $messages): array
    {
        $events = [];
        foreach ($messages as $message) {
            $events[$message->id] = Wire::message($message);
        }
        return $events;
    }

    /**
     * @param list<Room> $rooms
     *
     * @return array<string, mixed>
     */
    private function welcome(User $user, array $rooms): array
    {
        $talks = [];
        foreach ($rooms as $room) {
            $talks[] = $this->summary($user, $room->address(), Messages::ofRoom($room->id));
        }
        foreach ($this->messages->partners($user) as $partner) {
            $talks[] = $this->summary($user, $partner['name'], Messages::between($user->id, $partner['id']))
                + ['last' => $partner['last'], 'online' => $this->presence->isOnline($partner['id'])];
        }
        return [
            'type' => 'welcome',
            'you' => $this->me($user),
            'now' => $this->turn->now(),
            'online' => $this->presence->online(self::ONLINE_MAX),
            'count' => $this->presence->count(),
            'rooms' => $this->roomList($rooms),
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

    private function said(Message $message, Room|User $to): void
    {
        if ($message->repeated) {
            return;
        }
        $this->announce($message);
        // Between the send and its commit the recipient may have come, and has it now; or gone, and gets it on return.
        if ($to instanceof User && $message->waiting === $this->presence->isConnected($to->id)) {
            $this->store->write($message->waiting ? new Work\Deliver($to, $message->id) : new Work\Wait($message->id));
        }
    }

    private function announce(Message $message): void
    {
        $this->messages->committed($message);
        $data = Wire::message($message);
        $this->recent->add($message, $data);
        foreach ($message->topics() as $topic) {
            $this->hub->publish($topic, $data, 'message', (string) $message->id);
        }
    }

    /** An event that is not kept; its id is the cursor that everybody who gets it has already. */
    private function publish(string $topic, string $data, string $event): void
    {
        $this->hub->publish($topic, $data, $event, (string) $this->messages->last());
    }

    /** @param array{room: Room, notice: Message|null} $done */
    private function moved(User $user, array $done, bool $joined): void
    {
        ['room' => $room, 'notice' => $notice] = $done;
        if ($notice === null) {
            return;
        }
        foreach ($this->presence->sinks($user) as $sink) {
            $joined ? $sink->subscribe($room->topic()) : $sink->unsubscribe($room->topic());
        }
        $this->roomList = null;
        $this->publish($user->topic(), Wire::membership($room, $joined), 'membership');
        $this->announce($notice);
        $this->publish($this->rooms->all()->topic(), Wire::room($room, $this->rooms->members($room)), 'room');
    }

    /**
     * @param list<User> $came
     * @param list<User> $left
     */
    private function attended(array $came, array $left): void
    {
        $ticket = $this->store->write(new Work\Attend($came, $left));
        $ticket->then(function (?Refused $error) use ($came, $left, $ticket): void {
            $this->publish($this->rooms->all()->topic(), Wire::presence($came, $left, $this->presence->count()), 'presence');
            foreach ($error === null ? $ticket->value() : [] as $notice) {
                $this->announce($notice);
            }
        });
    }

    /** @param list<string> $sessions that are over */
    private function closeSessions(User $user, array $sessions): void
    {
        $this->sessions->forget($sessions);
        $this->claims->forget($user, $sessions);
        foreach ($this->presence->sinks($user) as $sink) {
            if (in_array($this->sessionOf[$sink->id()] ?? '', $sessions, true)) {
                $sink->close();
            }
        }
    }
}
