<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Http\Response;

/** The master's page: one file, nothing from elsewhere. */
final class Page
{
    public static function answer(): Response
    {
        $html = (string) file_get_contents(dirname(__DIR__, 3) . '/resources/bench-master.html');
        $nonce = base64_encode(random_bytes(12));

        return Response::html(str_replace('{nonce}', $nonce, $html))
            ->withHeader('Content-Security-Policy', "default-src 'none'; img-src data:; connect-src 'self'; style-src 'nonce-$nonce'; script-src 'nonce-$nonce'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
            ->withHeader('Cache-Control', 'no-store');
    }
}
