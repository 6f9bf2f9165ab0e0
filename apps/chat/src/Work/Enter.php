<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, Name, Refused, Session, User, Work};

/**
 * A log-in: the user, made when new, and a session of his.
 *
 * @implements Work<array{session: Session, ended: list<string>}>
 */
final readonly class Enter implements Work
{
    /**
     * @param string      $address of whom the session is
     * @param bool        $proven  the password of a protected name was right
     * @param string|null $hash    of the password that protects the name from now on
     * @param bool        $alone   the name was free: sessions that began elsewhere end
     */
    public function __construct(
        private Name $name,
        private string $address,
        private bool $proven,
        private ?string $hash,
        private bool $alone,
    ) {}

    public function do(Ledger $ledger): array
    {
        $user = $ledger->users->enter($this->name);
        if ($user->protected && !$this->proven) {
            throw Refused::wrongPassword($user->name); // Somebody was quicker.
        }
        $ended = [];
        if ($this->hash !== null) {
            $user = $ledger->users->protect($user, $this->hash);
            $ended = $ledger->sessions->endOthers($user);
        } elseif ($this->alone) {
            $ended = $ledger->sessions->endOthers($user, butFrom: $this->address);
        }
        return ['session' => $ledger->sessions->open($user, $this->address), 'ended' => $ended];
    }
}
