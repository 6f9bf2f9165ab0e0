--TEST--
The guide's tables have every limit of the class with its default, and each of their counters is one of stats()
--SKIPIF--
<?php if (!is_file(__DIR__ . '/../../../docs/guide/limits.md')) die('skip the guide is not here'); ?>
--FILE--
<?php
use Tusk\{Limits, Server};

/** "16 KiB" in bytes, "10 s" in milliseconds, "10,000" as it is; "off" and "0 = …" are 0. */
function number(string $text): ?int
{
    $units = ['' => 1, 'KiB' => 1 << 10, 'MiB' => 1 << 20, 'ms' => 1, 's' => 1000];
    if (!preg_match('/^(off|[\d,]+)(?: (KiB|MiB|ms|s)\b)?/', trim($text), $m)) {
        return null;
    }
    return $m[1] === 'off' ? 0 : (int) str_replace(',', '', $m[1]) * $units[$m[2] ?? ''];
}

$guide = explode("## How much memory", file_get_contents(__DIR__ . '/../../../docs/guide/limits.md'))[0];
$limits = get_object_vars(new Limits());
$stats = (new Server())->stats();
$said = [];
$counters = 0;
foreach (explode("\n", $guide) as $line) {
    if (!preg_match('/^\| (.+?) \| (.+?) \| .+ \| (.+?) \|$/', $line, $row) || str_starts_with($row[1], 'limit')) {
        continue;
    }
    preg_match_all('/`(\w+)`/', $row[1], $names);
    $ours = array_values(array_intersect($names[1], array_keys($limits)));
    $defaults = explode(', ', $row[2]);
    foreach ($ours as $i => $name) {
        $said[] = $name;
        $default = number($defaults[$i] ?? $defaults[0]);
        echo $default === $limits[$name] ? '' : "$name: {$limits[$name]}, the guide says $row[2]\n";
    }
    preg_match_all('/`(\w+)`/', $row[3], $counted);
    foreach ($counted[1] as $counter) {
        $counters++;
        echo array_key_exists($counter, $stats) ? '' : "$row[1]: no counter $counter\n";
    }
    echo $counted[1] !== [] || $row[3] === 'the same' ? '' : "$row[1]: no counter is named\n";
}
foreach ((new ReflectionMethod(Limits::class, '__construct'))->getParameters() as $parameter) {
    $name = $parameter->getName();
    echo $parameter->getDefaultValue() === $limits[$name] ? '' : "$name: the declaration has another default\n";
}
echo 'not in the guide: ', json_encode(array_values(array_diff(array_keys($limits), $said))), "\n";
echo count($said) === count(array_unique($said)) ? "each once\n" : "some twice\n";
echo $counters > 30 ? "counters were looked up\n" : "only $counters counters were found\n";
?>
--EXPECT--
not in the guide: []
each once
counters were looked up
