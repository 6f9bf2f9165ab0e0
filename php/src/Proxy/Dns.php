<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/**
 * The target's name is made of what the client said, and DNS says where it is: "db-{database}.internal:5432". The proxy looks it up
 * and keeps the answer for Limits::$dnsTtlMs; Validation judges the address that comes of it.
 */
final readonly class Dns implements Resolver
{
    /** @var list<Field> */
    private array $fields;

    /**
     * @param string $pattern fields of Lookup in braces; of a name that a client gives, only letters, digits, dots, "-" and "_" are taken
     *
     * @throws BadRoutes for a pattern without a field, or with one that is none
     */
    public function __construct(private string $pattern, private float $ttl = 60.0)
    {
        preg_match_all('~\{(\w*)\}~', $pattern, $m);
        $fields = [];
        foreach ($m[1] as $name) {
            $fields[] = Field::tryFrom($name) ?? throw BadRoutes::pattern($pattern, "there is no field \"$name\"");
        }
        if ($fields === []) {
            throw BadRoutes::pattern($pattern, 'it names no field, as in "{serverName}:443"');
        }
        try {
            new Target((string) preg_replace('~\{\w*\}~', 'x', $pattern));
        } catch (\ValueError) {
            throw BadRoutes::pattern($pattern, 'what comes of it is no "host:port"');
        }
        $this->fields = $fields;
    }

    public function resolve(Lookup $lookup): Route
    {
        $address = $this->pattern;
        foreach ($this->fields as $field) {
            $value = strtolower($field->of($lookup) ?? '');
            if (preg_match('~^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$~D', $value) !== 1) {
                throw new Refused(404, "the {$field->value} is no name");
            }
            $address = str_replace("{{$field->value}}", $value, $address);
        }
        try {
            return Route::to($address, ttl: $this->ttl);
        } catch (\ValueError) {
            throw new Refused(404, 'the name is too long');
        }
    }
}
