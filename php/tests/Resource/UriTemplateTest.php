<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Resource\Application;
use Tusk\Resource\Exception\UriException;
use Tusk\Resource\UriTemplate;

/** The examples of RFC 6570 (1.2 and 3.2.1 to 3.2.9), and what PHP's values become. */
final class UriTemplateTest extends TestCase
{
    private const VALUES = [
        'count' => ['one', 'two', 'three'],
        'dom' => ['example', 'com'],
        'dub' => 'me/too',
        'hello' => 'Hello World!',
        'half' => '50%',
        'var' => 'value',
        'who' => 'fred',
        'base' => 'http://example.com/home/',
        'path' => '/foo/bar',
        'list' => ['red', 'green', 'blue'],
        'keys' => ['semi' => ';', 'dot' => '.', 'comma' => ','],
        'v' => '6',
        'x' => '1024',
        'y' => '768',
        'empty' => '',
        'empty_keys' => [],
        'undef' => null,
    ];
    private const EXAMPLES = [
        '1.2 level 1 and 3.2.2 simple' => [
            '{var}' => 'value', '{hello}' => 'Hello%20World%21', '{half}' => '50%25', 'O{empty}X' => 'OX', 'O{undef}X' => 'OX',
            '{x,y}' => '1024,768', '{x,hello,y}' => '1024,Hello%20World%21,768', '?{x,empty}' => '?1024,', '?{x,undef}' => '?1024',
            '?{undef,y}' => '?768', '{var:3}' => 'val', '{var:30}' => 'value', '{list}' => 'red,green,blue', '{list*}' => 'red,green,blue',
            '{keys}' => 'semi,%3B,dot,.,comma,%2C', '{keys*}' => 'semi=%3B,dot=.,comma=%2C',
        ],
        '3.2.1 expansion' => [
            '{count}' => 'one,two,three', '{count*}' => 'one,two,three', '{/count}' => '/one,two,three', '{/count*}' => '/one/two/three',
            '{;count}' => ';count=one,two,three', '{;count*}' => ';count=one;count=two;count=three', '{?count}' => '?count=one,two,three',
            '{?count*}' => '?count=one&count=two&count=three', '{&count*}' => '&count=one&count=two&count=three',
        ],
        '3.2.3 reserved' => [
            '{+var}' => 'value', '{+hello}' => 'Hello%20World!', '{+half}' => '50%25', '{base}index' => 'http%3A%2F%2Fexample.com%2Fhome%2Findex',
            '{+base}index' => 'http://example.com/home/index', 'O{+empty}X' => 'OX', 'O{+undef}X' => 'OX', '{+path}/here' => '/foo/bar/here',
            'here?ref={+path}' => 'here?ref=/foo/bar', 'up{+path}{var}/here' => 'up/foo/barvalue/here', '{+x,hello,y}' => '1024,Hello%20World!,768',
            '{+path,x}/here' => '/foo/bar,1024/here', '{+path:6}/here' => '/foo/b/here', '{+list}' => 'red,green,blue', '{+list*}' => 'red,green,blue',
            '{+keys}' => 'semi,;,dot,.,comma,,', '{+keys*}' => 'semi=;,dot=.,comma=,',
        ],
        '3.2.4 fragment' => [
            '{#var}' => '#value', '{#hello}' => '#Hello%20World!', '{#half}' => '#50%25', 'foo{#empty}' => 'foo#', 'foo{#undef}' => 'foo',
            '{#x,hello,y}' => '#1024,Hello%20World!,768', '{#path,x}/here' => '#/foo/bar,1024/here', '{#path:6}/here' => '#/foo/b/here',
            '{#list}' => '#red,green,blue', '{#list*}' => '#red,green,blue', '{#keys}' => '#semi,;,dot,.,comma,,', '{#keys*}' => '#semi=;,dot=.,comma=,',
        ],
        '3.2.5 label' => [
            '{.who}' => '.fred', '{.who,who}' => '.fred.fred', '{.half,who}' => '.50%25.fred', 'www{.dom*}' => 'www.example.com', 'X{.var}' => 'X.value',
            'X{.empty}' => 'X.', 'X{.undef}' => 'X', 'X{.var:3}' => 'X.val', 'X{.list}' => 'X.red,green,blue', 'X{.list*}' => 'X.red.green.blue',
            'X{.keys}' => 'X.semi,%3B,dot,.,comma,%2C', 'X{.keys*}' => 'X.semi=%3B.dot=..comma=%2C', 'X{.empty_keys}' => 'X', 'X{.empty_keys*}' => 'X',
        ],
        '3.2.6 path segment' => [
            '{/who}' => '/fred', '{/who,who}' => '/fred/fred', '{/half,who}' => '/50%25/fred', '{/who,dub}' => '/fred/me%2Ftoo', '{/var}' => '/value',
            '{/var,empty}' => '/value/', '{/var,undef}' => '/value', '{/var,x}/here' => '/value/1024/here', '{/var:1,var}' => '/v/value',
            '{/list}' => '/red,green,blue', '{/list*}' => '/red/green/blue', '{/list*,path:4}' => '/red/green/blue/%2Ffoo',
            '{/keys}' => '/semi,%3B,dot,.,comma,%2C', '{/keys*}' => '/semi=%3B/dot=./comma=%2C',
        ],
        '3.2.7 path-style parameter' => [
            '{;who}' => ';who=fred', '{;half}' => ';half=50%25', '{;empty}' => ';empty', '{;v,empty,who}' => ';v=6;empty;who=fred',
            '{;v,bar,who}' => ';v=6;who=fred', '{;x,y}' => ';x=1024;y=768', '{;x,y,empty}' => ';x=1024;y=768;empty', '{;x,y,undef}' => ';x=1024;y=768',
            '{;hello:5}' => ';hello=Hello', '{;list}' => ';list=red,green,blue', '{;list*}' => ';list=red;list=green;list=blue',
            '{;keys}' => ';keys=semi,%3B,dot,.,comma,%2C', '{;keys*}' => ';semi=%3B;dot=.;comma=%2C',
        ],
        '3.2.8 form-style query' => [
            '{?who}' => '?who=fred', '{?half}' => '?half=50%25', '{?x,y}' => '?x=1024&y=768', '{?x,y,empty}' => '?x=1024&y=768&empty=',
            '{?x,y,undef}' => '?x=1024&y=768', '{?var:3}' => '?var=val', '{?list}' => '?list=red,green,blue', '{?list*}' => '?list=red&list=green&list=blue',
            '{?keys}' => '?keys=semi,%3B,dot,.,comma,%2C', '{?keys*}' => '?semi=%3B&dot=.&comma=%2C',
        ],
        '3.2.9 form-style continuation' => [
            '{&who}' => '&who=fred', '{&half}' => '&half=50%25', '?fixed=yes{&x}' => '?fixed=yes&x=1024', '{&x,y,empty}' => '&x=1024&y=768&empty=',
            '{&x,y,undef}' => '&x=1024&y=768', '{&var:3}' => '&var=val', '{&list}' => '&list=red,green,blue', '{&list*}' => '&list=red&list=green&list=blue',
            '{&keys}' => '&keys=semi,%3B,dot,.,comma,%2C', '{&keys*}' => '&semi=%3B&dot=.&comma=%2C',
        ],
    ];

    /** @return iterable<string, array{string, string}> */
    public static function examples(): iterable
    {
        foreach (self::EXAMPLES as $section => $examples) {
            foreach ($examples as $template => $expected) {
                yield "$section: $template" => [$template, $expected];
            }
        }
    }

    #[DataProvider('examples')]
    public function test_expands_the_examples_of_the_RFC(string $template, string $expected): void
    {
        self::assertSame($expected, UriTemplate::expand($template, self::VALUES));
    }

    /** @return iterable<string, array{mixed, string}> */
    public static function values(): iterable
    {
        yield 'null' => [null, ''];
        yield 'false' => [false, ''];
        yield 'true' => [true, '1'];
        yield 'a float' => [1.5, '1.5'];
        yield 'a list' => [[1, 2], '1,2'];
        yield 'a map' => [['k' => 1], 'k,1'];
        yield 'slash, space and question mark' => ['a b/c?', 'a%20b%2Fc%3F'];
        yield 'a list with null in it' => [[1, null, 2], '1,2'];
        yield 'letters beyond ASCII' => ['ü', '%C3%BC'];
    }

    #[DataProvider('values')]
    public function test_values_of_PHP_become_text(mixed $value, string $expected): void
    {
        self::assertSame($expected, UriTemplate::expand('{i}', ['i' => $value]));
    }

    public function test_an_undefined_name_is_empty_and_left_out_of_a_query(): void
    {
        self::assertSame('app://self/user/', UriTemplate::expand('app://self/user/{id}', []));
        self::assertSame('/list?a=1&b=2', UriTemplate::expand('/list{?a,b,c}', ['a' => 1, 'b' => 2]));
        self::assertSame('/list', UriTemplate::expand('/list{?a,b}', []));
        self::assertSame('/list?x=1&y=2', UriTemplate::expand('/list{?q*}', ['q' => ['x' => 1, 'y' => 2]]));
    }

    public function test_an_array_of_nulls_alone_is_undefined_also_where_a_prefix_is_asked_for(): void
    {
        self::assertSame('/list', UriTemplate::expand('/list{?a,b*,c:3,d:3}', ['a' => [null], 'b' => ['x' => null], 'c' => [null, null], 'd' => ['k' => null]]));
    }

    public function test_a_prefix_counts_characters_not_bytes(): void
    {
        self::assertSame('%C3%BC%C3%B6', UriTemplate::expand('{s:2}', ['s' => 'üöä']));
    }

    public function test_escapes_in_literals_and_reserved_values_stay(): void
    {
        self::assertSame('/a%20b%25%C3%BC', UriTemplate::expand('/a%20b%ü', []));
        self::assertSame('%20%25zz', UriTemplate::expand('{+v}', ['v' => '%20%zz']));
    }

    public function test_names_are_told_once_and_in_order(): void
    {
        self::assertSame(['id', 'page', 'q.x'], UriTemplate::variables('/u/{id}{?page,q.x*}{&id:3}'));
    }

    public function test_an_empty_member_that_is_exploded_is_shown_as_an_empty_value_is(): void
    {
        $values = ['l' => ['a', '', 'b'], 'm' => ['k' => '', 'n' => 'x']];
        foreach (['{;l*}' => ';l=a;l;l=b', '{;m*}' => ';k;n=x', '{?l*}' => '?l=a&l=&l=b', '{&m*}' => '&k=&n=x', '{m*}' => 'k=,n=x', '{/l*}' => '/a//b'] as $template => $expected) {
            self::assertSame($expected, UriTemplate::expand($template, $values)); // RFC 6570, appendix A
        }
    }

    /** @return iterable<string, array{string}> */
    public static function broken(): iterable
    {
        foreach (['{', '}', 'a{b', 'a}b', '{{x}}', '{}', '{a b}', '{=x}', '{,x}', '{!x}', '{@x}', '{|x}', '{x,}', '{x:0}', '{x:10000}', '{x:}', '{x**}', "{x\n}"] as $template) {
            yield $template => [$template];
        }
    }

    #[DataProvider('broken')]
    public function test_a_template_that_is_none_is_refused_by_name(string $template): void
    {
        $this->expectException(UriException::class);
        $this->expectExceptionMessage($template);
        UriTemplate::expand($template, ['x' => 'x']);
    }

    public function test_a_value_that_cannot_stand_in_a_URI_is_refused_by_name(): void
    {
        $request = (new Application('X'))->client()->get->uri('app://self/x'); // as text it would run
        foreach ([[[1, [2]], '{v}', 'array'], [new \stdClass(), '{v}', 'stdClass'], [[1], '{v:3}', 'prefix'], [['of' => $request], '{v}', 'Request'], [$request, '{?v}', 'Request']] as [$value, $template, $what]) {
            try {
                UriTemplate::expand($template, ['v' => $value]);
                self::fail("$template was expanded");
            } catch (UriException $e) {
                self::assertStringContainsString('{v}', $e->getMessage());
                self::assertStringContainsString($what, $e->getMessage());
            }
        }
    }
}
