<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** One `--assert`: a metric, a comparison and a limit, such as `p99 < 20ms`. */
final readonly class Threshold
{
    private const COMPARISONS = ['<', '<=', '>', '>=', '==', '!='];

    private function __construct(public string $text, public Metric $metric, public string $comparison, public float $limit) {}

    /** @throws \ValueError saying what is wrong; for an unknown metric with the list of those that there are */
    public static function parse(string $text, Mode $mode): self
    {
        if (preg_match('~^\s*([\w.]+)\s*(<=|>=|==|!=|<|>|=)\s*(\S.*?)\s*$~', $text, $m) !== 1) {
            throw new \ValueError("\"$text\" is not METRIC < LIMIT, such as 'p99 < 20ms' (comparisons: " . implode(' ', self::COMPARISONS) . ')');
        }
        $metric = Metric::parse($m[1], $mode);

        return new self(trim($text), $metric, $m[2] === '=' ? '==' : $m[2], $metric->limit($m[3]));
    }

    public function check(Result $result): Outcome
    {
        $value = $metric = $this->metric->of($result);
        if ($metric === null) {
            return new Outcome($this->text, null, false, "$this->text: there is no {$this->metric->name} in this result ({$this->metric->whyNot($result)})");
        }
        $holds = match ($this->comparison) {
            '<' => $value < $this->limit,
            '<=' => $value <= $this->limit,
            '>' => $value > $this->limit,
            '>=' => $value >= $this->limit,
            '==' => $value === $this->limit,
            default => $value !== $this->limit,
        };

        return new Outcome($this->text, $value, $holds, "$this->text: {$this->metric->name} is {$this->metric->text($metric)}");
    }
}
