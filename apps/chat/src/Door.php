<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Log-ins and log-outs: who may use which name, and how fast one may try. */
final readonly class Door
{
    private Passwords $secrets;
    private RateLimit $entering;
    private RateLimit $guessing;
    private RateLimit $comingFrom;
    private RateLimit $coming;

    /** @param \Closure(User, list<string>): mixed $ended is told which sessions of a user are over */
    public function __construct(
        private Store $store,
        private Users $users,
        private Claims $claims,
        Turn $turn,
        private Settings $settings,
        private \Closure $ended,
    ) {
        $isLimited = $settings->rate > 0.0;
        $this->secrets = new Passwords($turn);
        $this->entering = new RateLimit($isLimited ? 2.0 : 0.0, 60.0, $turn);
        $this->comingFrom = new RateLimit($isLimited ? 20.0 : 0.0, 400.0, $turn);
        $this->coming = new RateLimit($isLimited ? 2.0 : 0.0, 100.0, $turn);
        $this->guessing = new RateLimit(0.2, 6.0, $turn);
    }

    /**
     * A log-in; parks the caller while a password is hashed and until the commit. A name with a password demands it; a password
     * given for a name that has none, and is free or one's own, protects it from now on.
     *
     * @param string       $address whose it is, as Input::network() has it
     * @param Session|null $own     that the caller has already
     *
     * @throws Refused
     */
    public function enter(string $given, #[\SensitiveParameter] string $password, string $address, ?Session $own = null): Session
    {
        $this->entering->take($address);
        $name = Name::of($given);
        $user = $this->users->find($name->text);
        $isProven = $user !== null && $user->protected;
        $isHeld = $user !== null && !$isProven && !$this->settings->open && $this->claims->isHeld($user);
        $hash = null;
        if ($isProven) {
            // The name's bucket as well as the address's: neither many guessers of one name nor one guesser of many.
            $this->guessing->take("name {$user->id}");
            $this->guessing->take("from $address");
            $this->demand($user, $password);
        } elseif ($isHeld && !$this->claims->mayShare($user, $address, $own)) {
            throw Refused::inUse($user->name, Claims::AWAY_MINUTES);
        } elseif ($password !== '') {
            if ($isHeld && ($own === null || $own->user->id !== $user->id || !$this->claims->isFirst($own))) {
                throw Refused::inUse($user->name, Claims::AWAY_MINUTES);
            }
            Passwords::check($password);
            $this->guessing->take("from $address");
            $hash = $this->secrets->hash($password);
        }
        $entered = $this->store->await($this->store->write(new Work\Enter($name, $address, $isProven, $hash, !$isProven && !$isHeld && !$this->settings->open)));
        $session = $entered['session'];
        $this->users->remember($session->user);
        ($this->ended)($session->user, $entered['ended']);
        $this->claims->touch($session);
        return $session;
    }

    /**
     * Sets or changes the password of a name; its other sessions end. Parks the caller.
     *
     * @throws Refused
     */
    public function protect(Session $session, #[\SensitiveParameter] string $password, #[\SensitiveParameter] string $old): User
    {
        $this->guessing->take("name {$session->user->id}");
        if (!$session->user->protected && !$this->settings->open && !$this->claims->isFirst($session)) {
            throw Refused::notFirst($session->user->name);
        }
        $this->demand($session->user, $old);
        $done = $this->store->await($this->store->write(new Work\Protect($session, $this->secrets->hash($password))));
        $user = $this->users->remember($done['user']);
        ($this->ended)($user, $done['ended']);
        return $user;
    }

    /** A log-out; parks the caller until the commit. */
    public function quit(Session $session): void
    {
        $this->store->await($this->store->write(new Work\Quit($session)));
        ($this->ended)($session->user, [$session->id]);
    }

    /**
     * Before a stream or a WebSocket is opened.
     *
     * @throws Refused
     */
    public function come(Session $session, string $address): void
    {
        $this->comingFrom->take($address);
        $this->coming->take("{$session->user->id}");
    }

    /** @throws Refused */
    private function demand(User $user, #[\SensitiveParameter] string $password): void
    {
        $hash = $this->users->passwordHash($user);
        if ($hash !== null && !$this->secrets->verify($password, $hash)) {
            throw Refused::wrongPassword($user->name);
        }
    }
}
