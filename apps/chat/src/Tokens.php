<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * What proves a session: "use.id.expiry.signature", signed with HMAC-SHA256. The signature keeps guesses away from the database; the
 * row there says whether the session is still open.
 */
final readonly class Tokens
{
    public const COOKIE = 'tusk_chat';

    public function __construct(
        private Sessions $sessions,
        private Turn $turn,
        #[\SensitiveParameter] private string $key,
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
        $body = "$use.$id." . ($this->seconds() + Sessions::LIFETIME);
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
        if ((int) $m[3] < $this->seconds()) {
            return null;
        }
        return $this->sessions->find($m[2]);
    }

    private function seconds(): int
    {
        return intdiv($this->turn->now(), 1000);
    }

    private static function text(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }
}
