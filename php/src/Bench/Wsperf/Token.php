<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Exception;
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

    /** Why a connection to `$whom` (an agent, a master) could not be made; `$option` is where its secret is given. */
    public static function refusal(Exception $fault, string $whom, ?string $given, string $option): string
    {
        return match (true) {
            preg_match('~\bstatus 401$~', $fault->getMessage()) !== 1 => "$whom cannot be reached: {$fault->getMessage()}",
            $given === null => "$whom demands a token: give it with $option",
            default => "$whom refuses this token: $option is not the one that it was started with",
        };
    }

    /** Without a token a page of another site that a browser shows must not command this machine's load. */
    private static function sameSite(Request $request): bool
    {
        $origin = $request->header('origin');

        return $origin === null || parse_url($origin, PHP_URL_HOST) === parse_url('http://' . $request->header('host'), PHP_URL_HOST);
    }
}
