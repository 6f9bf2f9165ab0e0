<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/**
 * Routes of a text file, read again when it changes. A line is a key and its targets:
 *
 *     shop.example.org    10.0.0.7:443 10.0.0.8:443*3     # a weight after the star
 *     *.example.org       10.0.0.9:443                    # any one label or more before it
 *     *                   [fd00::1]:443                   # whatever is not named
 *
 * A route's name, under which /metrics counts its sessions, is its key.
 */
final class Map implements Reloadable
{
    /** @var array<string, Route> by key; what begins with a star by what stands behind it */
    private array $exact = [];
    /** @var array<string, Route> */
    private array $suffix = [];
    private ?Route $otherwise = null;
    private string $seen;

    /**
     * @param Field $by  the field that is the key; compared in lower case
     * @param float $ttl seconds
     *
     * @throws BadRoutes when the file cannot be read or has a line that is none
     */
    public function __construct(private readonly string $file, private readonly Field $by, private readonly float $ttl = 3600.0)
    {
        $this->seen = $this->state();
        $this->read();
    }

    public function resolve(Lookup $lookup): Route
    {
        $key = strtolower($this->by->of($lookup) ?? '');
        $route = $this->exact[$key] ?? null;
        for ($dot = strpos($key, '.'); $route === null && $dot !== false; $dot = strpos($key, '.', $dot + 1)) {
            $route = $this->suffix[substr($key, $dot)] ?? null;
        }

        return $route ?? $this->otherwise ?? throw new Refused(404, 'there is no route');
    }

    /** @throws BadRoutes when the new file is none; the old routes stay then, and it is told once per change */
    public function reload(bool $asked): bool
    {
        $state = $this->state();
        if ($state === $this->seen && !$asked) {
            return false;
        }
        $this->seen = $state;
        $this->read();

        return true;
    }

    /** @return list<string> targets whose address is none of the public Internet's, as a proxy takes them only where they are allowed; names are looked up later */
    public function privateTargets(): array
    {
        $private = [];
        foreach ([...array_values($this->exact), ...array_values($this->suffix), ...($this->otherwise === null ? [] : [$this->otherwise])] as $route) {
            foreach ($route->targets as $target) {
                $host = trim((string) preg_replace('~:\d+$~', '', $target->address), '[]');
                $address = filter_var($host, FILTER_VALIDATE_IP) !== false;
                if (str_starts_with($host, 'unix:') || ($address && filter_var($host, FILTER_VALIDATE_IP, FILTER_FLAG_NO_PRIV_RANGE | FILTER_FLAG_NO_RES_RANGE) === false)) {
                    $private[] = $target->address;
                }
            }
        }

        return array_values(array_unique($private));
    }

    private function state(): string
    {
        clearstatcache(true, $this->file);
        $stat = @stat($this->file);

        return $stat === false ? '' : implode(' ', [$stat['ino'], $stat['size'], $stat['mtime']]);
    }

    private function read(): void
    {
        $lines = is_file($this->file) ? @file($this->file, FILE_IGNORE_NEW_LINES) : false;
        if ($lines === false) {
            throw BadRoutes::unreadable($this->file);
        }
        $exact = $suffix = [];
        $otherwise = null;
        foreach ($lines as $i => $line) {
            $words = preg_split('~\s+~', (string) preg_replace('~(^|\s)#.*~', '', $line), -1, PREG_SPLIT_NO_EMPTY) ?: [];
            if ($words === []) {
                continue;
            }
            $key = strtolower(array_shift($words));
            $route = $this->route($key, $words, $i + 1);
            if ($key === '*') {
                $otherwise = $route;
            } elseif (str_starts_with($key, '*.')) {
                $suffix[substr($key, 1)] = $route;
            } elseif (str_contains($key, '*')) {
                throw BadRoutes::line($this->file, $i + 1, "a star stands alone or before the first dot, not as in \"$key\"");
            } else {
                $exact[$key] = $route;
            }
        }
        [$this->exact, $this->suffix, $this->otherwise] = [$exact, $suffix, $otherwise];
    }

    /** @param list<string> $words */
    private function route(string $key, array $words, int $line): Route
    {
        $targets = [];
        foreach ($words as $word) {
            try {
                $targets[] = Weighted::target($word);
            } catch (\ValueError) {
                throw BadRoutes::line($this->file, $line, "\"$word\" is no target such as 10.0.0.7:443 or [fd00::7]:443");
            }
        }
        if ($targets === []) {
            throw BadRoutes::line($this->file, $line, 'a key without a target');
        }

        try {
            return Route::to($targets, ttl: $this->ttl, name: strlen($key) <= 263 && preg_match('//u', $key) === 1 ? $key : null);
        } catch (\ValueError $fault) { // there are too many of them
            throw BadRoutes::line($this->file, $line, (string) preg_replace('~^.* must be (\d+) targets at most, (\d+) given$~', 'a key with $2 targets, $1 at most', $fault->getMessage()));
        }
    }
}
