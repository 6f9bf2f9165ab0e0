<?php

declare(strict_types=1);

namespace Tusk\Bridge\Psr;

use Psr\Http\Message\ServerRequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/** The PSR-17 factories that requests are made with. */
final readonly class Factories
{
    /** Those that are known by name: one object for both, or two. */
    private const KNOWN = [
        'nyholm/psr7' => ['Nyholm\Psr7\Factory\Psr17Factory'],
        'guzzlehttp/psr7' => ['GuzzleHttp\Psr7\HttpFactory'],
        'slim/psr7' => ['Slim\Psr7\Factory\ServerRequestFactory', 'Slim\Psr7\Factory\StreamFactory'],
        'laminas/laminas-diactoros' => ['Laminas\Diactoros\ServerRequestFactory', 'Laminas\Diactoros\StreamFactory'],
        'httpsoft/http-message' => ['HttpSoft\Message\ServerRequestFactory', 'HttpSoft\Message\StreamFactory'],
    ];

    public function __construct(
        public ServerRequestFactoryInterface $requests,
        public StreamFactoryInterface $streams,
    ) {}

    /**
     * Factories of a library, in one object or several: `Factories::of(new Nyholm\Psr7\Factory\Psr17Factory())`.
     *
     * @throws \ValueError when one of the two is in none of them
     */
    public static function of(object ...$factories): self
    {
        return new self(
            self::one(ServerRequestFactoryInterface::class, $factories),
            self::one(StreamFactoryInterface::class, $factories),
        );
    }

    /**
     * The first library that is installed.
     *
     * @throws \LogicException when there is none
     */
    public static function found(): self
    {
        foreach (self::KNOWN as $classes) {
            if (class_exists($classes[0])) {
                return self::of(...array_map(static fn (string $class): object => new $class(), $classes));
            }
        }
        throw new \LogicException('No PSR-17 factories are installed: run `composer require nyholm/psr7` (' . implode(', ', array_slice(array_keys(self::KNOWN), 1))
            . ' will do as well), or give those of another library: new Handler($application, Factories::of($factory))');
    }

    /**
     * @template T of object
     *
     * @param class-string<T>          $wanted
     * @param array<array-key, object> $factories
     *
     * @return T
     */
    private static function one(string $wanted, array $factories): object
    {
        foreach ($factories as $factory) {
            if ($factory instanceof $wanted) {
                return $factory;
            }
        }
        throw new \ValueError("None of the factories is a $wanted: give one more");
    }
}
