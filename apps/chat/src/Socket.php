<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** WebSocket messages of a client: {"do": "send", "ref": 7, …} is answered with {"type": "reply", "ref": 7, "status": 201, …}. */
final readonly class Socket
{
    private Commands $commands;

    public function __construct(private Chat $chat)
    {
        $this->commands = new Commands($chat);
    }

    public function receive(Session $session, Sink $sink, string $data): void
    {
        $ref = null;
        try {
            $this->chat->ask($session->address);
            if (strlen($data) > Input::BODY_MAX) {
                throw new Refused(413, 'too-large', 'A command has at most ' . Input::BODY_MAX . ' bytes.');
            }
            $fields = Input::object($data);
            $given = $fields['ref'] ?? null;
            $ref = is_int($given) || (is_string($given) && strlen($given) <= 64) ? $given : null;
            $reply = $this->commands->run(Commands::required($fields, 'do'), $session, $fields);
            $reply->then(fn (array|Refused $result) => $this->answer($sink, $ref, $result, $reply->status));
        } catch (Refused $refused) {
            $this->answer($sink, $ref, $refused, $refused->status);
        }
    }

    /** @param array<string, mixed>|Refused $result */
    private function answer(Sink $sink, int|string|null $ref, array|Refused $result, int $status): void
    {
        $fields = $result instanceof Refused
            ? ['status' => $result->status, 'error' => $result->reason, 'message' => $result->getMessage()]
                + ($result->retryAfter > 0.0 ? ['retry' => round($result->retryAfter, 1)] : [])
            : ['status' => $status, 'result' => $result];
        $sink->send(Wire::encode(['type' => 'reply', 'ref' => $ref] + $fields), 'reply');
    }
}
