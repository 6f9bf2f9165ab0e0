<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * Hashes and checks passwords in a process of their own: either takes a tenth of a second on purpose, and everybody's messages would
 * wait for it in the loop.
 */
final class Passwords
{
    public const MIN = 8;
    public const MAX = 200;

    /** Processes at once; more are asked to come again. */
    private const AT_ONCE = 4;

    /** bcrypt looks at 72 bytes only, and takes no NUL: such passwords are brought to 44 first. */
    private const PROGRAM = <<<'PHP'
        [$password, $hash] = json_decode(stream_get_contents(STDIN), true);
        $password = base64_decode($password);
        $password = strlen($password) > 72 || str_contains($password, "\0") ? base64_encode(hash('sha256', $password, true)) : $password;
        echo $hash === null ? password_hash($password, PASSWORD_BCRYPT, ['cost' => 10]) : (password_verify($password, $hash) ? 'yes' : 'no');
        PHP;

    private int $running = 0;

    public function __construct(private readonly Turn $turn) {}

    /** @throws Refused when the password is too short or too long */
    public static function check(#[\SensitiveParameter] string $password): void
    {
        $length = mb_strlen($password);
        if ($length < self::MIN) {
            throw new Refused(422, 'short-password', 'A password has at least ' . self::MIN . ' characters.');
        }
        if ($length > self::MAX) {
            throw Refused::tooLong('The password', $length, self::MAX);
        }
    }

    /**
     * Parks the caller.
     *
     * @throws Refused when the password is too short or too long
     */
    public function hash(#[\SensitiveParameter] string $password): string
    {
        self::check($password);
        $hash = $this->run($password, null);
        return str_starts_with($hash, '$2y$') ? $hash : throw self::busy();
    }

    /** Parks the caller. */
    public function verify(#[\SensitiveParameter] string $password, string $hash): bool
    {
        return mb_strlen($password) <= self::MAX && $this->run($password, $hash) === 'yes';
    }

    private function run(#[\SensitiveParameter] string $password, ?string $hash): string
    {
        if ($this->running >= self::AT_ONCE) {
            throw self::busy();
        }
        $this->running++;
        try {
            return $this->ask(json_encode([base64_encode($password), $hash], JSON_THROW_ON_ERROR));
        } finally {
            $this->running--;
        }
    }

    /** The password goes by a pipe, where no list of processes shows it. */
    private function ask(#[\SensitiveParameter] string $question): string
    {
        $process = proc_open(
            [PHP_BINARY, '-n', '-r', self::PROGRAM],
            [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']],
            $pipes,
        );
        if ($process === false) {
            throw self::busy();
        }
        fwrite($pipes[0], $question);
        fclose($pipes[0]);
        stream_set_blocking($pipes[1], false);
        $answer = '';
        $this->turn->wait(static function () use ($pipes, &$answer): bool {
            $answer .= (string) fread($pipes[1], 256);
            return feof($pipes[1]);
        }, 0.005);
        fclose($pipes[1]);
        proc_close($process);
        return $answer;
    }

    private static function busy(): Refused
    {
        return new Refused(503, 'busy', 'Too many people log in at the moment; try again.', 1.0);
    }
}
