<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** The HTTP interface: each route is a method from Input to Answer. */
final class Api
{
    /** Method, path and command of what works for whoever is logged in. */
    public const ROUTES = [
        ['POST', '/messages', 'send'],
        ['POST', '/typing', 'typing'],
        ['POST', '/read', 'read'],
        ['POST', '/rooms/join', 'join'],
        ['POST', '/rooms/leave', 'leave'],
        ['GET', '/rooms', 'rooms'],
        ['GET', '/history', 'history'],
        ['GET', '/online', 'online'],
        ['GET', '/me', 'me'],
    ];

    private readonly Gate $gate;
    private readonly Commands $commands;

    public function __construct(private readonly Chat $chat)
    {
        $this->gate = new Gate($chat);
        $this->commands = new Commands($chat);
    }

    /**
     * Runs a handler and turns what it throws into an answer.
     *
     * @param \Closure(Input): Answer $handler
     */
    public function guard(\Closure $handler, Input $input): Answer
    {
        try {
            $this->chat->ask($input->network());
            $this->gate->checkHost($input);
            return $handler($input);
        } catch (Refused $refused) {
            return Answer::refusal($refused);
        } catch (\Throwable $e) {
            error_log("chat: {$input->method} {$input->path}: $e");
            return Answer::refusal(new Refused(500, 'failed', 'Something went wrong here; it has been logged.'));
        }
    }

    public function command(string $command, Input $input): Answer
    {
        return $this->guard(function (Input $input) use ($command): Answer {
            $isPost = $input->method === 'POST';
            if ($isPost && $input->bearer() === null) {
                $this->gate->checkSite($input);
            }
            $fields = $isPost ? $input->fields() : $input->query;
            $as = $fields['from'] ?? $fields['as'] ?? null;
            $session = $this->gate->sessionOrName($input, is_string($as) ? $as : null);
            $reply = $this->commands->run($command, $session, $fields);
            return Answer::json($reply->await($this->chat->store), $reply->status);
        }, $input);
    }

    public function login(Input $input): Answer
    {
        return $this->guard(function (Input $input): Answer {
            $this->gate->checkSite($input);
            $fields = $input->fields();
            $session = $this->chat->door->enter(
                Commands::required($fields, 'name'),
                Commands::optional($fields, 'password') ?? '',
                $input->network(),
                $this->gate->known($input),
            );
            $answer = $this->chat->me($session->user);
            if (in_array($fields['token'] ?? null, ['1', 1, true], true)) {
                // A script keeps the token itself; a page never asks for it, so that no script in a page can read it.
                return Answer::json($answer + ['token' => $this->chat->tokens->token($session)]);
            }
            return Answer::json($answer)->with('Set-Cookie', self::cookie($this->chat->tokens->cookie($session), $input->secure));
        }, $input);
    }

    public function logout(Input $input): Answer
    {
        return $this->guard(function (Input $input): Answer {
            $this->gate->checkSite($input);
            $this->chat->door->quit($this->gate->session($input));
            return Answer::json(['ok' => true])->with('Set-Cookie', self::cookie('', $input->secure));
        }, $input);
    }

    public function password(Input $input): Answer
    {
        return $this->guard(function (Input $input): Answer {
            $this->gate->checkSite($input);
            $fields = $input->fields();
            $user = $this->chat->door->protect(
                $this->gate->session($input),
                Commands::required($fields, 'password'),
                Commands::optional($fields, 'old') ?? '',
            );
            return Answer::json($this->chat->me($user));
        }, $input);
    }

    private static function cookie(string $value, bool $secure): string
    {
        return sprintf(
            '%s=%s; Path=/; HttpOnly; SameSite=Lax; Max-Age=%d%s',
            Tokens::COOKIE,
            $value,
            $value === '' ? 0 : Sessions::LIFETIME,
            $secure ? '; Secure' : '',
        );
    }
}
