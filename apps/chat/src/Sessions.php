<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * Makes and checks session tokens: "use.id.expiry.signature", signed with HMAC-SHA256. The signature keeps guesses away from the
 * database, the row there lets a log-out end a session that somebody has copied.
 */
final class Sessions
{
    public const COOKIE = 'tusk_chat';
    public const LIFETIME = 30 * 86400;

    /** @var array<string, int> session id => user id */
    private array $known = [];

    public function __construct(
        private readonly Store $store,
        private readonly Users $users,
        #[\SensitiveParameter] private readonly string $key,
    ) {
        if (strlen($key) < 32) {
            throw new \ValueError('A session key has at least 32 bytes.');
        }
    }

    /** The key of a folder, made on the first start; readable by its owner only. */
    public static function keyIn(string $folder): string
    {
        $file = "$folder/session.key";
        if (!is_file($file)) {
            $mask = umask(0077);
            try {
                // Written aside and renamed: a start that is interrupted leaves no half key.
                file_put_contents("$file.new", random_bytes(32));
                rename("$file.new", $file);
            } finally {
                umask($mask);
            }
        }
        $key = file_get_contents($file);
        if ($key === false || strlen($key) !== 32) {
            throw new \RuntimeException("$file is not a session key of 32 bytes; remove it, and everybody logs in again.");
        }
        if ((fileperms($file) & 0077) !== 0) {
            chmod($file, 0600);
        }
        return $key;
    }

    /** Inside a write. */
    public function open(User $user): Session
    {
        $id = self::text(random_bytes(16));
        $expires = intdiv($this->store->now(), 1000) + self::LIFETIME;
        $this->store->change('DELETE FROM sessions WHERE user = ? AND expires_at < ?', [$user->id, intdiv($this->store->now(), 1000)]);
        $this->store->change('INSERT INTO sessions (id, user, expires_at) VALUES (?, ?, ?)', [$id, $user->id, $expires]);
        return new Session($id, $user);
    }

    /** Inside a write. */
    public function end(string $id): void
    {
        unset($this->known[$id]);
        $this->store->change('DELETE FROM sessions WHERE id = ?', [$id]);
    }

    /**
     * Ends every session of a user but one. Inside a write.
     *
     * @return list<string> the sessions that ended
     */
    public function endOthers(User $user, ?string $but): array
    {
        $ended = [];
        foreach ($this->store->rows('SELECT id FROM sessions WHERE user = ?', [$user->id]) as $row) {
            if ($row['id'] !== $but) {
                $this->end($ended[] = (string) $row['id']);
            }
        }
        return $ended;
    }

    public function cookie(Session $session): string
    {
        return $this->sign('c', $session->id);
    }

    public function token(Session $session): string
    {
        return $this->sign('b', $session->id);
    }

    public function fromCookie(?string $cookie): ?Session
    {
        return $this->check('c', $cookie);
    }

    public function fromToken(?string $token): ?Session
    {
        return $this->check('b', $token);
    }

    private function sign(string $use, string $id): string
    {
        $body = "$use.$id." . (intdiv($this->store->now(), 1000) + self::LIFETIME);
        return $body . '.' . self::text(hash_hmac('sha256', $body, $this->key, true));
    }

    private function check(string $use, ?string $token): ?Session
    {
        // A cookie is no bearer token and the other way round: the use is part of what is signed.
        if ($token === null || preg_match('/^([cb])\.([\w-]{22})\.(\d{1,12})\.([\w-]{43})$/D', $token, $m) !== 1 || $m[1] !== $use) {
            return null;
        }
        $body = "{$m[1]}.{$m[2]}.{$m[3]}";
        if (!hash_equals(self::text(hash_hmac('sha256', $body, $this->key, true)), $m[4])) {
            return null;
        }
        if ((int) $m[3] < intdiv($this->store->now(), 1000)) {
            return null;
        }
        $user = $this->known[$m[2]] ??= $this->store->number('SELECT user FROM sessions WHERE id = ?', [$m[2]]);
        if ($user === 0) {
            unset($this->known[$m[2]]);
            return null;
        }
        if (count($this->known) > 10_000) {
            $this->known = [];
        }
        $user = $this->users->byId($user);
        return $user === null ? null : new Session($m[2], $user);
    }

    private static function text(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }
}
