<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** The Sec-WebSocket-Extensions header (RFC 6455, section 9.1) of a response, taken apart. */
final class Extensions
{
    /** @return list<array{name: string, parameters: array<string, string|null>}> */
    public static function parse(string $header): array
    {
        $token = '[!#$%&\'*+.^_`|~0-9A-Za-z-]+';
        $found = [];
        foreach (array_filter(array_map(trim(...), explode(',', $header)), strlen(...)) as $item) {
            $parts = array_map(trim(...), explode(';', $item));
            $name = strtolower((string) array_shift($parts));
            $parameters = [];
            foreach ($parts as $part) {
                if (preg_match("/\\A($token)(?:\\s*=\\s*(?:\"($token)\"|($token)))?\\z/", $part, $m) !== 1) {
                    throw new Failed("malformed extension parameter in the response: $part");
                }
                $key = strtolower($m[1]);
                if (array_key_exists($key, $parameters)) {
                    throw new Failed("parameter $key appears twice in the response");
                }
                $parameters[$key] = $m[3] ?? $m[2] ?? null;
            }
            $found[] = ['name' => $name, 'parameters' => $parameters];
        }

        return $found;
    }
}
