<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** The interface that chat demos have had since the first of them: one URL to listen, one URL to speak. Open mode only. */
final readonly class Classic
{
    private Gate $gate;

    public function __construct(private Chat $chat)
    {
        $this->gate = new Gate($chat);
    }

    /** GET /msg/{from}/{to}%20{text} */
    public function send(Input $input): Answer
    {
        // It changes something although it is a GET: so it is looked at like a POST.
        $this->gate->checkSite($input);
        $parts = explode(' ', ltrim($input->param('rest')), 2);
        $from = $input->param('from');
        if ($from === '' || count($parts) < 2) {
            throw Refused::malformed('Write /msg/{from}/{to}%20{text}: /msg/anna/all%20hello, or /msg/anna/ben%20hello.');
        }
        $session = $this->gate->sessionOrName($input, $from);
        if (preg_match('/^(?:all$|#)/iD', $parts[0]) !== 1 && $this->chat->users->find($parts[0]) === null) {
            // No name needs a log-in here, so everybody is a user: the message is kept until he comes.
            $name = Name::of($parts[0]);
            $this->chat->store->await($this->chat->store->write(new Work\Introduce($name)));
        }
        $message = $this->chat->store->await($this->chat->send($session->user, $parts[0], $parts[1]));
        return Answer::text("sent {$message->id}\n");
    }
}
