<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Resource\App;

use Tusk\Dashboard\Database;
use Tusk\Dashboard\Ran;
use Tusk\Resource\ResourceObject;

/** A figure from a slow query. */
final class Query extends ResourceObject
{
    public function __construct(private readonly Database $database) {}

    public function onGet(string $name, float $delay): static
    {
        $began = Ran::clock();
        $row = $this->database->row('SELECT length($1) AS value, pg_sleep($2::float / 1000)', [$name, (string) $delay]);
        $this->body = ['value' => (int) ($row['value'] ?? 0), 'ran' => Ran::since($name, $began)];

        return $this;
    }
}
