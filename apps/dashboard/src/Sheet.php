<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard;

/** The pages there are. */
enum Sheet: string
{
    case Small = 'small';
    case Medium = 'medium';
    case Large = 'large';
    case Users = 'users';

    public function title(): string
    {
        return match ($this) {
            self::Users => 'Users, their posts, their comments (crawl)',
            default => sprintf('%s dashboard (%d embeds)', $this->name, $this->embeds()),
        };
    }

    public function embeds(): int
    {
        return match ($this) {
            self::Small => 3,
            self::Medium => 5,
            self::Large => 11,
            self::Users => 0,
        };
    }
}
