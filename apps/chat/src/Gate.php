<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Who is asking, and from which site. */
final readonly class Gate
{
    public function __construct(private Chat $chat) {}

    /**
     * Refuses what another site makes a browser send. A browser says where a request comes from by Sec-Fetch-Site, an older one
     * by Origin; a script says neither, and has no cookie that it was not given.
     *
     * @throws Refused
     */
    public function checkSite(Input $input): void
    {
        $site = $input->header('sec-fetch-site');
        if ($site !== null) {
            if ($site !== 'same-origin' && $site !== 'none') {
                throw Refused::crossSite();
            }
            return;
        }
        $this->checkOrigin($input);
    }

    /**
     * For an event stream.
     *
     * @throws Refused
     */
    public function checkStream(Input $input): void
    {
        $this->checkSite($input);
        if (!$input->takesEvents()) {
            throw new Refused(406, 'not-acceptable', 'Here is an event stream: ask for it by "Accept: text/event-stream".');
        }
    }

    /**
     * For WebSocket, which browsers open across sites with cookies and without Sec-Fetch-Site in older ones.
     *
     * @throws Refused
     */
    public function checkOrigin(Input $input): void
    {
        $origin = $input->header('origin');
        if ($origin === null) {
            return;
        }
        $host = $input->header('host') ?? '';
        if (preg_match('#^https?://([^/@\s]+)$#Di', $origin, $m) !== 1 || self::host($m[1]) !== self::host($host)) {
            throw Refused::crossSite();
        }
    }

    /**
     * Open mode trusts whoever reaches it; a page of elsewhere whose name was pointed at this machine must not.
     *
     * @throws Refused
     */
    public function checkHost(Input $input): void
    {
        $host = preg_replace('/:\d+$/D', '', $input->header('host') ?? '');
        if ($this->chat->settings->open && !Settings::isLoopback((string) $host)) {
            throw new Refused(421, 'wrong-host', 'In open mode this chat answers under a loopback address only.');
        }
    }

    /** @throws Refused when nobody is logged in */
    public function session(Input $input): Session
    {
        $session = $this->known($input) ?? throw Refused::notLoggedIn();
        $this->chat->claims->touch($session);
        return $session;
    }

    /** Whose request this is, if it proves to be anybody's. */
    public function known(Input $input): ?Session
    {
        $token = $input->bearer();
        // A wrong token is an error of its own: never fall back to a cookie that happens to be there.
        return $token !== null ? $this->chat->tokens->fromToken($token) : $this->chat->tokens->fromCookie($input->cookie);
    }

    /**
     * In open mode a name is enough, if no password protects it. Parks until a new name is stored.
     *
     * @throws Refused
     */
    public function sessionOrName(Input $input, ?string $name): Session
    {
        if (!$this->chat->settings->open || $name === null || $name === '') {
            return $this->session($input);
        }
        $this->checkHost($input);
        $user = $this->chat->users->find($name);
        if ($user === null) {
            $valid = Name::of($name);
            $user = $this->chat->store->await($this->chat->store->write(new Work\Introduce($valid)));
        }
        return $user->protected ? throw Refused::wrongPassword($user->name) : new Session('open', $user);
    }

    private static function host(string $host): string
    {
        return (string) preg_replace('/:(80|443)$/D', '', strtolower($host));
    }
}
