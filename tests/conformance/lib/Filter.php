<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** Which ids are meant: prefixes by comma, with "!" those to leave out. */
final readonly class Filter
{
    /** @var list<string> */
    private array $wanted;
    /** @var list<string> */
    private array $unwanted;

    public function __construct(string $text)
    {
        $parts = array_values(array_filter(array_map(trim(...), explode(',', $text)), strlen(...)));
        $this->wanted = array_values(array_filter($parts, static fn (string $p): bool => $p[0] !== '!'));
        $this->unwanted = array_values(array_map(
            static fn (string $p): string => substr($p, 1),
            array_filter($parts, static fn (string $p): bool => $p[0] === '!'),
        ));
    }

    public function isEmpty(): bool
    {
        return $this->wanted === [] && $this->unwanted === [];
    }

    public function takes(string $id): bool
    {
        return ($this->wanted === [] || self::begins($id, $this->wanted)) && !self::begins($id, $this->unwanted);
    }

    /** @param list<string> $prefixes */
    private static function begins(string $id, array $prefixes): bool
    {
        foreach ($prefixes as $prefix) {
            if (str_starts_with($id, $prefix)) {
                return true;
            }
        }

        return false;
    }
}
