<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, Message, User, Work};

/**
 * Who came and who left, in a moment: one notice for all who came, one for all who left.
 *
 * @implements Work<list<Message>>
 */
final readonly class Attend implements Work
{
    /**
     * @param list<User> $came
     * @param list<User> $left
     */
    public function __construct(private array $came, private array $left) {}

    public function do(Ledger $ledger): array
    {
        $notices = [];
        foreach ([[Message::JOIN, $this->came], [Message::LEAVE, $this->left]] as [$kind, $users]) {
            foreach ($users as $user) {
                $ledger->users->setPresent($user, $kind === Message::JOIN);
            }
            if ($users !== []) {
                $notices[] = $ledger->messages->addNotice($kind, $users, $ledger->rooms->all());
            }
        }
        return $notices;
    }
}
