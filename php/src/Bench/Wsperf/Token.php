<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Http\Request;

/** A shared secret between agents, master and the people who may start tests. */
final class Token
{
    public static function allows(?string $token, Request $request): bool
    {
        if ($token === null) {
            return self::sameSite($request);
        }
        $bearer = $request->header('authorization') ?? '';
        $given = str_starts_with($bearer, 'Bearer ') ? substr($bearer, 7) : $request->query('token') ?? '';

        return hash_equals($token, $given);
    }

    /** Without a token a page of another site that a browser shows must not command this machine's load. */
    private static function sameSite(Request $request): bool
    {
        $origin = $request->header('origin');

        return $origin === null || parse_url($origin, PHP_URL_HOST) === parse_url('http://' . $request->header('host'), PHP_URL_HOST);
    }
}
