<?php

declare(strict_types=1);

$finder = (new PhpCsFixer\Finder())
    ->in(array_filter([__DIR__ . '/php', __DIR__ . '/apps', __DIR__ . '/examples', __DIR__ . '/tests'], is_dir(...)))
    ->exclude(['vendor', 'stubs', 'node_modules'])
    ->append(array_filter([__DIR__ . '/bin/tusk'], is_file(...)));

return (new PhpCsFixer\Config())
    ->setCacheFile(__DIR__ . '/build/php-cs-fixer.cache')
    ->setRiskyAllowed(true)
    ->setUnsupportedPhpVersionAllowed(true)
    ->setRules([
        '@PSR12' => true,
        'declare_strict_types' => true,
        'no_unused_imports' => true,
        'array_syntax' => ['syntax' => 'short'],
        'trailing_comma_in_multiline' => ['elements' => ['arrays', 'arguments', 'parameters', 'match']],
        'blank_line_after_opening_tag' => true,
        // A one-line closure or an empty constructor body may stay on its line.
        'braces_position' => ['allow_single_line_empty_anonymous_classes' => true, 'allow_single_line_anonymous_functions' => true],
        'single_line_empty_body' => true,
    ])
    ->setFinder($finder);
