<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** A well-behaved client beside an attack: its echoes must keep coming. */
final class Guest
{
    /** @var list<float> seconds */
    private array $times = [];
    private bool $isStopped = false;
    private bool $hasEnded = false;
    private ?string $fault = null;

    public static function start(Target $target): self
    {
        $self = new self();
        $session = $target->open();
        Loop::spawn(static function () use ($self, $session): void {
            try {
                while (!$self->isStopped) {
                    $started = Loop::now();
                    $session->send([text('guest')]);
                    $session->expect(Frame::TEXT, 'guest');
                    $self->times[] = Loop::now() - $started;
                    Loop::sleep(0.02);
                }
            } catch (Failed $fault) {
                $self->fault = $fault->getMessage();
            }
            $self->hasEnded = true;
        });

        return $self;
    }

    public function stop(): void
    {
        $this->isStopped = true;
        for ($until = Loop::deadline(10.0); !$this->hasEnded && Loop::now() < $until; Loop::sleep(0.02)) {
            continue;
        }
    }

    public function check(float $limit = 2.0): void
    {
        Expect::that($this->fault === null, "a client beside the attack: $this->fault");
        Expect::that($this->times !== [], 'a client beside the attack was not served');
        sort($this->times);
        $high = $this->times[(int) (0.95 * (count($this->times) - 1))];
        Expect::that($high < $limit, sprintf('a client beside the attack waited %.2f s', $high));
    }
}
