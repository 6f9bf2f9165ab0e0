<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Client;
use Tusk\Resource\Exception\EngineException;

/** Results that came by number: one object for each, wherever it stands. */
final class Unnumbered
{
    /** @var array<int, Received> */
    private array $made = [];

    /** @param array<array-key, mixed> $packed of Numbered */
    public function __construct(
        private readonly array $packed,
        private readonly Client $client,
    ) {}

    /** @throws EngineException when there is none */
    public function of(mixed $number): Received
    {
        if (!\is_int($number) || !isset($this->packed[$number])) {
            throw EngineException::malformed('result');
        }
        if (!isset($this->made[$number])) {
            $this->made[$number] = new Received();
            Parcel::fill($this->made[$number], $this->packed[$number], $this->client, $this); // in which it may stand itself
        }

        return $this->made[$number];
    }
}
