<?php

// SPDX-License-Identifier: MIT
// The manual of classes, of their docblocks and signatures, as tools/gen-docs writes it.
declare(strict_types=1);

const INTERNAL = '~^(@(generate|strict-properties|not-serializable|refcount|cvalue|alias|implementation-alias|prefer-ref'
    . '|tentative-return-type|readonly|var \w+$))~';
/** A type at the beginning, with what stands in its brackets. */
const TYPE = '~^(?:[^\s<{(]++|(<(?:[^<>]++|(?1))*>)|(\{(?:[^{}]++|(?2))*\})|(\((?:[^()]++|(?3))*\)))++~';

/** The text of a docblock without stars and without tags that only the generator reads; tags come apart. */
function docblock(string|false $comment): array
{
    $text = preg_replace(['~^\s*/\*\*+ ?|\s*\*+/$~', '~^[ \t]*\* ?~m'], '', (string) $comment);
    $lines = array_filter(explode("\n", $text), fn (string $line): bool => preg_match(INTERNAL, ltrim($line)) === 0);
    [$prose, $tags] = ['', []];
    foreach ($lines as $line) {
        if (preg_match('~^\s*@([\w-]+)\s*(.*)$~', $line, $m) === 1) {
            $tags[] = [$m[1], $m[2]];
        } elseif ($tags !== [] && trim($line) !== '') {
            $tags[array_key_last($tags)][1] .= ' ' . trim($line);
        } else {
            $prose .= rtrim($line) . "\n";
        }
    }
    return [trim($prose), $tags];
}

function literal(mixed $value): string
{
    return match (true) {
        is_array($value) && array_is_list($value) => '[' . implode(', ', array_map(literal(...), $value)) . ']',
        $value === null => 'null',
        is_bool($value) => $value ? 'true' : 'false',
        $value instanceof UnitEnum => (new ReflectionClass($value))->getShortName() . '::' . $value->name,
        is_int($value) && $value >= 1 << 20 && $value % (1 << 20) === 0 => sprintf('%d << 20', $value >> 20),
        default => (string) var_export($value, true),
    };
}

function signature(ReflectionMethod $method): string
{
    $parameters = array_map(fn (ReflectionParameter $p): string => ltrim(
        $p->getType() . ' ' . ($p->isPassedByReference() ? '&' : '') . ($p->isVariadic() ? '...' : '') . '$' . $p->getName()
        . ($p->isDefaultValueAvailable() ? ' = ' . literal($p->getDefaultValue()) : '')
    ), $method->getParameters());
    $head = ($method->isStatic() ? 'static ' : '') . $method->getName();
    $tail = $method->hasReturnType() ? ': ' . $method->getReturnType() : '';
    $line = $head . '(' . implode(', ', $parameters) . ')' . $tail;
    return strlen($line) <= 110 ? $line : "$head(\n    " . implode(",\n    ", $parameters) . "\n)$tail";
}

function paragraphs(string|false $comment): string
{
    [$prose, $tags] = docblock($comment);
    $out = $prose === '' ? '' : "$prose\n\n";
    $list = '';
    foreach ($tags as [$tag, $text]) {
        $tag = preg_replace('~^phpstan-~', '', $tag);
        if ($tag === 'param' && preg_match('~^(.*?)\s*(\$\w+)\s*(.*)$~', $text, $m) === 1) {
            $list .= "- `{$m[2]}`" . (preg_match('~[<{(|]~', $m[1]) === 1 ? " (`{$m[1]}`)" : '') . ($m[3] === '' ? '' : ": {$m[3]}") . "\n";
        } elseif ($tag === 'throws' || $tag === 'return') {
            $list .= preg_replace(TYPE, ($tag === 'throws' ? '- throws' : '- returns') . ' `$0`', $text) . "\n";
        }
    }
    return $out . ($list === '' ? '' : "$list\n");
}

function manual(ReflectionClass $class): string
{
    $kind = match (true) { $class->isEnum() => 'enum', $class->isInterface() => 'interface', default => 'class' };
    $parent = $class->getParentClass();
    $interfaces = array_diff($class->getInterfaceNames(), $parent ? $parent->getInterfaceNames() : [], ['UnitEnum', 'BackedEnum']);
    $out = "### {$class->getName()}\n\n`" . ($class->isFinal() && $kind === 'class' ? 'final ' : '') . "$kind {$class->getShortName()}"
        . ($parent ? " extends \\{$parent->getName()}" : '') . ($interfaces === [] ? '' : ($kind === 'interface' ? ' extends ' : ' implements ') . implode(', ', $interfaces)) . "`\n\n";
    $out .= paragraphs($class->getDocComment());
    $rows = '';
    foreach ($class->getReflectionConstants(ReflectionClassConstant::IS_PUBLIC) as $constant) {
        $name = $constant->isEnumCase() ? "case {$constant->getName()}" : $constant->getName();
        $value = $constant->getValue();
        $value = $value instanceof BackedEnum ? $value->value : ($value instanceof UnitEnum ? '' : literal($value));
        $rows .= "| `$name` | $value | " . strtr(docblock($constant->getDocComment())[0], ["\n" => ' ', '|' => '\|']) . " |\n";
    }
    $out .= $rows === '' ? '' : "| constant | value | |\n|---|---|---|\n$rows\n";
    [$rows, $defaults] = ['', []];
    foreach ($class->getConstructor()?->getParameters() ?? [] as $parameter) {
        $defaults[$parameter->getName()] = $parameter->isDefaultValueAvailable() ? '`' . literal($parameter->getDefaultValue()) . '`' : '';
    }
    foreach ($class->getProperties(ReflectionProperty::IS_PUBLIC) as $property) {
        if ($property->getDeclaringClass()->getName() === $class->getName() && !$class->isEnum()) {
            $readonly = $property->isReadOnly() || str_contains((string) $property->getDocComment(), '@readonly');
            $text = strtr(docblock($property->getDocComment())[0], ["\n" => ' ', '|' => '\|']);
            $rows .= '| `' . strtr((string) $property->getType(), ['|' => '\|']) . " \${$property->getName()}` | " . ($readonly ? $defaults[$property->getName()] ?? '' : 'writable') . " | $text |\n";
        }
    }
    $out .= $rows === '' ? '' : "| property | default | |\n|---|---|---|\n$rows\n";
    foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        $isFactory = $method->isStatic() && $class->implementsInterface(Throwable::class); // who throws it calls that
        $isPhps = $method->getDocComment() === false && preg_match('~^__(destruct|debugInfo|serialize|unserialize)$~', $method->getName()) === 1;
        if ($method->getDeclaringClass()->getName() === $class->getName() && !$method->isInternal() && !$isFactory && !$isPhps) {
            $out .= "```php\n" . signature($method) . "\n```\n\n" . paragraphs($method->getDocComment());
        }
    }
    return $out;
}

/** A page of classes, in the order given. @param list<ReflectionClass> $classes */
function page(string $head, array $classes): string
{
    $link = fn (ReflectionClass $class): string => "[{$class->getShortName()}](#" . strtolower(strtr($class->getName(), ['\\' => ''])) . ')';
    $index = $parts = [];
    foreach ($classes as $class) {
        $index[$class->getNamespaceName()][] = $link($class);
        $parts[$class->getNamespaceName()][] = manual($class);
    }
    $manual = "$head\n\n" . implode('', array_map(fn (string $namespace, array $links): string => "- `$namespace`: " . implode(', ', $links) . "\n", array_keys($index), $index));
    return $manual . implode('', array_map(fn (string $namespace, array $texts): string => "\n## $namespace\n\n" . rtrim(implode('', $texts)) . "\n", array_keys($parts), $parts));
}
