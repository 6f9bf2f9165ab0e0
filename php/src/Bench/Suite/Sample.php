<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** One measured round on one server, by both clocks. */
final readonly class Sample
{
    /**
     * @param float      $operations     in the window
     * @param float      $all            in the whole run
     * @param float      $seconds        of the window, by the generator's clock
     * @param float      $serverCpu      CPU seconds of the server in the window
     * @param float      $generatorCpu   CPU seconds of the generator in the window
     * @param float|null $bytesPerConnection private bytes of user memory that each open connection added
     */
    public function __construct(
        public float $operations,
        public float $all,
        public float $seconds,
        public float $serverCpu,
        public float $generatorCpu,
        public ?float $bytesPerConnection = null,
    ) {}

    public function perSecond(): float
    {
        return $this->operations / max($this->seconds, 1e-9);
    }

    public function perServerCpuSecond(): float
    {
        return $this->serverCpu > 0 ? $this->operations / $this->serverCpu : NAN;
    }
}
