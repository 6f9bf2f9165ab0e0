<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Exception\CannotCrossException;
use Tusk\Resource\ResourceObject;

/**
 * Results in one answer of a worker, by number. Those of equal requests are one object, which may stand in many places, within itself as well:
 * packed in each of them, they would be as many as there are ways.
 */
final class Numbered
{
    /** @var array<int, int> by the object's number in this process; their requests hold them meanwhile */
    private array $numbers = [];
    /** @var list<list<mixed>> */
    private array $packed = [];

    /** @throws CannotCrossException */
    public function of(ResourceObject $result): int
    {
        $id = spl_object_id($result);
        if (!isset($this->numbers[$id])) {
            $number = $this->numbers[$id] = \count($this->packed);
            $this->packed[] = []; // its place, as it may come back to itself
            $this->packed[$number] = Crossing::pack($result, false, $this);
        }

        return $this->numbers[$id];
    }

    /** @return list<list<mixed>> as Unnumbered reads them */
    public function packed(): array
    {
        return $this->packed;
    }
}
