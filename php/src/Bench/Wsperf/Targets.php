<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

/** What an agent may be told to load: nothing but this machine, unless it was started with more. */
final readonly class Targets
{
    /** @var list<string> */
    private array $allowed;

    /**
     * @param list<string> $allowed hosts, or hosts with a port: `bench.example.org`, `10.0.0.7:9001`, `[2001:db8::1]:9001`
     *
     * @throws \ValueError for a pattern that is none
     */
    public function __construct(array $allowed = [])
    {
        foreach ($allowed as $pattern) {
            if (preg_match('~^(\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]+)(:\d{1,5})?$~', $pattern) !== 1) {
                throw new \ValueError("--allow \"$pattern\": a host, or host:port, is wanted");
            }
        }
        $this->allowed = array_map(strtolower(...), $allowed);
    }

    /** @throws BadCommand naming the target that is not allowed */
    public function check(string $uri): void
    {
        $host = self::host($uri);
        if ($host === null) {
            throw BadCommand::parameter('uri');
        }
        if (!self::isLoopback($host) && !$this->lists($host, self::port($uri))) {
            throw new BadCommand("$host may not be loaded from here: only this machine, and what --allow names.");
        }
    }

    /** Whether the engine has to be told that a target is not on this machine. */
    public static function isRemote(string $uri): bool
    {
        return !self::isLoopback(self::host($uri) ?? '');
    }

    private function lists(string $host, int $port): bool
    {
        return in_array($host, $this->allowed, true) || in_array("$host:$port", $this->allowed, true);
    }

    private static function host(string $uri): ?string
    {
        $host = parse_url($uri, PHP_URL_HOST);

        return is_string($host) && $host !== '' ? strtolower($host) : null;
    }

    private static function port(string $uri): int
    {
        $scheme = strtolower((string) parse_url($uri, PHP_URL_SCHEME));

        return parse_url($uri, PHP_URL_PORT) ?: (in_array($scheme, ['wss', 'https'], true) ? 443 : 80);
    }

    private static function isLoopback(string $host): bool
    {
        return $host === 'localhost' || $host === '[::1]' || preg_match('~^127(\.\d{1,3}){3}$~', $host) === 1;
    }
}
