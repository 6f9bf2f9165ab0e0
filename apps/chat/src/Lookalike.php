<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * Names that people take for one another (Unicode Technical Standard 39): which scripts may stand together in a name, and the form in which
 * names that look the same are the same.
 */
final class Lookalike
{
    /** Scripts that one language mixes. */
    private const TOGETHER = [
        '\p{Latin}\p{Han}\p{Hiragana}\p{Katakana}', '\p{Latin}\p{Han}\p{Hangul}', '\p{Latin}\p{Han}\p{Bopomofo}',
    ];

    /** Scripts with letters that look like another one's. */
    private const ALIKE = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic'];

    /** Letters of other alphabets and digits, by the Latin letter that they look like; before upper and lower case are folded. */
    private const LIKE = [
        'а' => 'a', 'е' => 'e', 'ё' => 'ë', 'о' => 'o', 'р' => 'p', 'с' => 'c', 'у' => 'y', 'х' => 'x', 'і' => 'i', 'ї' => 'ï', 'ј' => 'j', 'ѕ' => 's', 'ԁ' => 'd',
        'ԛ' => 'q', 'ԝ' => 'w', 'һ' => 'h', 'ӏ' => '|', 'ү' => 'y', 'ѵ' => 'v', 'г' => 'r', 'п' => 'n', 'ь' => 'b', 'ɑ' => 'a', 'ɡ' => 'g', 'ı' => 'i',
        'А' => 'a', 'В' => 'b', 'Е' => 'e', 'К' => 'k', 'М' => 'm', 'Н' => 'h', 'О' => 'o', 'Р' => 'p', 'С' => 'c', 'Т' => 't', 'У' => 'y', 'Х' => 'x', 'І' => '|',
        'Ј' => 'j', 'Ѕ' => 's', 'Ӏ' => '|', 'Ү' => 'y', 'Ԛ' => 'q', 'Ԝ' => 'w', 'Ԁ' => 'd', 'Һ' => 'h',
        'α' => 'a', 'γ' => 'y', 'ι' => 'i', 'κ' => 'k', 'ν' => 'v', 'ο' => 'o', 'ρ' => 'p', 'σ' => 'o', 'τ' => 't', 'υ' => 'u', 'χ' => 'x', 'ϲ' => 'c', 'ϳ' => 'j',
        'Α' => 'a', 'Β' => 'b', 'Ε' => 'e', 'Ζ' => 'z', 'Η' => 'h', 'Ι' => '|', 'Κ' => 'k', 'Μ' => 'm', 'Ν' => 'n', 'Ο' => 'o', 'Ρ' => 'p', 'Τ' => 't', 'Υ' => 'y',
        'Χ' => 'x', 'օ' => 'o', 'ո' => 'n', 'ս' => 'u', 'հ' => 'h', 'ց' => 'g', 'զ' => 'q', 'ѡ' => 'w',
        '0' => 'o', 'O' => 'o', '1' => '|', 'l' => '|', 'I' => '|', '٥' => 'o', '۵' => 'o', '०' => 'o', '௦' => 'o', '১' => '|', '١' => '|', '۱' => '|',
    ];

    private function __construct() {}

    /** Whether the letters of a name may stand together: nobody writes one name in two alphabets. */
    public static function isOneScript(string $name): bool
    {
        foreach (self::TOGETHER as $scripts) {
            if (preg_match("/^[$scripts\\p{Common}\\p{Inherited}]*$/u", $name) === 1) {
                return true;
            }
        }
        $alike = array_filter(self::ALIKE, static fn (string $script): bool => preg_match("/\\p{{$script}}/u", $name) === 1);
        return $alike === [] || (count($alike) === 1 && preg_match('/^[\p{' . current($alike) . '}\p{Common}\p{Inherited}]*$/u', $name) === 1);
    }

    /** What a name looks like: two names with the same form cannot be told apart at a glance. */
    public static function skeleton(string $name): string
    {
        return mb_convert_case(strtr($name, self::LIKE), MB_CASE_FOLD, 'UTF-8');
    }
}
