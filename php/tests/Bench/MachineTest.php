<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Tusk\Bench\Machine;

/** What a result says of the machine that it comes from. */
#[CoversClass(Machine::class)]
final class MachineTest extends TestCase
{
    #[TestWith(["cpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nstepping\t: 1\n", 'AMD EPYC'])]
    #[TestWith(["processor\t: 0\n\nModel\t\t: Raspberry Pi 4 Model B Rev 1.4\n", 'Raspberry Pi 4 Model B Rev 1.4'])]
    #[TestWith(["cpu model\t\t: MIPS 24Kc V7.4\n", 'MIPS 24Kc V7.4'])]
    #[TestWith(["model\t\t: 17\n", null])]
    public function testAProcessorIsCalledByItsNameNotByANumber(string $info, ?string $name): void
    {
        self::assertSame($name, Machine::model($info));
    }
}
