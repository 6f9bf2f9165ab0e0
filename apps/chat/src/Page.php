<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

use Tusk\Http\Response;

/** The page as an answer that is made once and given to everybody; the file is looked at again once a second. */
final class Page
{
    private ?Response $response = null;

    private int $lookedAt = 0;

    private string $version = '';

    public function __construct(private readonly string $file) {}

    public function response(): Response
    {
        $now = intdiv(hrtime(true), 1_000_000_000);
        if ($this->response === null || $now !== $this->lookedAt) {
            $this->lookedAt = $now;
            clearstatcache(true, $this->file);
            $version = filemtime($this->file) . ' ' . filesize($this->file);
            if ($this->response === null || $version !== $this->version) {
                $this->version = $version;
                $this->response = Answer::page((string) file_get_contents($this->file))->response();
            }
        }
        return $this->response;
    }
}
