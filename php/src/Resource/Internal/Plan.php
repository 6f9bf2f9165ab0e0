<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Exception\EngineException;

/** The choices that engines share. */
final readonly class Plan
{
    /**
     * @param bool       $dedup       equal requests run once in a run
     * @param bool       $levels      a level of embeds begins when the one above has ended, instead of each when it is ready
     * @param int        $concurrency requests that run at once; more wait
     * @param float|null $deadline    seconds for each request
     * @param int        $most        concurrency that the engine can give
     */
    public function __construct(
        public bool $dedup,
        public bool $levels,
        public int $concurrency,
        public ?float $deadline,
        int $most,
    ) {
        if ($concurrency < 1 || $concurrency > $most) {
            throw new \ValueError("concurrency must be between 1 and $most, $concurrency given");
        }
        if ($deadline !== null && !($deadline >= 0.0 && $deadline <= 1e9)) {
            throw new \ValueError('deadline must be between 0 and 1e9 seconds, ' . (is_nan($deadline) ? 'NAN' : $deadline) . ' given');
        }
    }

    /** For a worker, which runs what methods read there by the same choices; the deadline of who reads ends that with it. */
    public function text(): string
    {
        return (int) $this->dedup . (int) $this->levels . $this->concurrency;
    }

    /** @throws EngineException for a text that is none */
    public static function read(string $text, int $most): self
    {
        if (preg_match('~^([01])([01])([1-9]\d{0,4})$~D', $text, $m) !== 1) {
            throw EngineException::malformed('plan');
        }

        return new self($m[1] === '1', $m[2] === '1', (int) $m[3], null, $most);
    }
}
