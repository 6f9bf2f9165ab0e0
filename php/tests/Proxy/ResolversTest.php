<?php

declare(strict_types=1);

namespace Tusk\Tests\Proxy;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Tusk\Proxy\BadRoutes;
use Tusk\Proxy\Callback;
use Tusk\Proxy\Dns;
use Tusk\Proxy\Field;
use Tusk\Proxy\Fixed;
use Tusk\Proxy\Lookup;
use Tusk\Proxy\Map;
use Tusk\Proxy\Observed;
use Tusk\Proxy\Refused;
use Tusk\Proxy\Resolver;
use Tusk\Proxy\Route;
use Tusk\Proxy\Target;

#[RequiresPhpExtension('tusk')]
#[CoversClass(Fixed::class)]
#[CoversClass(Callback::class)]
#[CoversClass(Map::class)]
#[CoversClass(Dns::class)]
#[CoversClass(Observed::class)]
#[CoversClass(Field::class)]
#[CoversClass(BadRoutes::class)]
final class ResolversTest extends TestCase
{
    private string $file = '';

    protected function setUp(): void
    {
        $this->file = (string) tempnam(sys_get_temp_dir(), 'tusk-map');
    }

    protected function tearDown(): void
    {
        @unlink($this->file);
    }

    public function testAFixedResolverReadsNothingSoThatOneAnswerServesAll(): void
    {
        $lookup = Lookup::of(user: 'anna');

        self::assertSame(['a:1', 'b:2'], self::addresses((new Fixed(['a:1', new Target('b:2')]))->resolve($lookup)));
        self::assertSame([], $lookup->fieldsRead());
    }

    public function testACertificateIsReadAsOneAndLookedUpByItsFingerprint(): void
    {
        $key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
        self::assertInstanceOf(\OpenSSLAsymmetricKey::class, $key);
        $signer = $key;
        $request = openssl_csr_new(['commonName' => 'mara'], $key);
        self::assertInstanceOf(\OpenSSLCertificateSigningRequest::class, $request);
        $signed = openssl_csr_sign($request, null, $signer, 2);
        self::assertNotFalse($signed);
        openssl_x509_export($signed, $pem);
        self::assertIsString($pem);
        $fingerprint = openssl_x509_fingerprint($pem, 'sha256');
        $lookup = Lookup::of(certificate: $pem);

        self::assertSame($fingerprint, Field::Certificate->of($lookup));
        self::assertSame('mara', $lookup->certificate?->commonName);
        self::assertSame(['certificate'], $lookup->fieldsRead());
        self::assertNull(Field::Certificate->of(Lookup::of(user: 'anna')));
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage('Field "certificate" must be a certificate as text (PEM)');
        Lookup::of(certificate: substr($pem, 0, 200));
    }

    public function testEveryFieldReadsItselfAndNothingElse(): void
    {
        foreach (Field::cases() as $field) {
            if ($field === Field::Certificate) {
                continue; // below
            }
            $lookup = Lookup::of(...[$field->value => 'x']);

            self::assertSame('x', $field->of($lookup));
            self::assertSame([$field->value], $lookup->fieldsRead());
        }
    }

    public function testACallbackThatCanNeverTakeALookupIsRefusedWhereItIsMade(): void
    {
        foreach ([static fn () => null, static fn ($l) => null, static fn (?Lookup $l, int $more = 1) => null, static fn (object $l) => null, static fn (mixed ...$l) => null, static fn (string|Lookup $l) => null] as $closure) {
            new Callback($closure);
        }
        foreach (['string $sni' => static fn (string $sni) => null, 'Tusk\\Proxy\\Target|string $to' => static fn (Target|string $to) => null, '$lookup, $more' => static fn ($lookup, $more) => null] as $declared => $closure) {
            try {
                (new \ReflectionClass(Callback::class))->newInstance($closure);
                self::fail("taken: $declared");
            } catch (\TypeError $e) {
                self::assertSame("Tusk\\Proxy\\Callback::__construct(): Argument #1 (\$resolve) must take Tusk\\Proxy\\Lookup as its one parameter, ($declared) declared", $e->getMessage());
            }
        }
    }

    public function testACallbackMayAnswerARouteATargetATextOrNothing(): void
    {
        $answers = ['route' => Route::to('a:1', ttl: 3.0), 'target' => new Target('b:2'), 'text' => 'c:3', 'none' => null];
        $resolver = new Callback(static fn (Lookup $lookup): Route|Target|string|null => $answers[$lookup->user ?? ''] ?? null, ttl: 7.0);

        self::assertSame(3.0, $resolver->resolve(Lookup::of(user: 'route'))->ttl);
        self::assertSame([['b:2'], 7.0], [self::addresses($resolver->resolve(Lookup::of(user: 'target'))), $resolver->resolve(Lookup::of(user: 'text'))->ttl]);
        self::assertRefused(404, $resolver, Lookup::of(user: 'none'));
    }

    public function testAnObserverIsToldOfEveryAnswerAndChangesNone(): void
    {
        $told = [];
        $resolver = new Observed(
            new Callback(static fn (Lookup $lookup): ?string => match ($lookup->user) {
                'anna' => 'a:1', 'broken' => throw new \LogicException('no'), default => null,
            }),
            static function (Lookup $lookup, Route|\Throwable $answer, float $seconds) use (&$told): void {
                $told[] = [$lookup->fieldsRead(), $answer instanceof Route ? self::addresses($answer) : $answer->getCode(), $seconds >= 0 && $seconds < 60];
            },
        );

        self::assertSame(['a:1'], self::addresses($resolver->resolve(Lookup::of(user: 'anna'))));
        self::assertRefused(404, $resolver, Lookup::of(user: 'nobody'));
        try {
            $resolver->resolve(Lookup::of(user: 'broken'));
            self::fail('what is thrown is swallowed');
        } catch (\Throwable $thrown) {
            self::assertSame('no', $thrown->getMessage());
        }
        self::assertSame([[['user'], ['a:1'], true], [['user'], 404, true], [['user'], 0, true]], $told);
    }

    public function testAnObservedMapIsReadAgainAsAMapIs(): void
    {
        file_put_contents($this->file, "* a:1\n");
        $resolver = new Observed(new Map($this->file, Field::Host), static fn (Lookup $lookup, Route|\Throwable $answer, float $seconds) => null);
        file_put_contents($this->file, "* b:2\n");

        self::assertTrue($resolver->reload(true));
        self::assertSame(['b:2'], self::addresses($resolver->resolve(Lookup::of(host: 'x'))));
        self::assertFalse((new Observed(new Fixed('a:1'), static fn (Lookup $lookup, Route|\Throwable $answer, float $seconds) => null))->reload(true));
    }

    public function testAMapKnowsNamesSuffixesAndTheRest(): void
    {
        $map = $this->map("# routes\nShop.Example.org 10.0.0.7:443 10.0.0.8:443*3 # two\n*.example.org [fd00::1]:443\n*.deep.example.org a:1\n\n* unix:/run/x\n");

        $shop = $map->resolve(Lookup::of(serverName: 'shop.example.org'));
        self::assertSame(['10.0.0.7:443', '10.0.0.8:443'], self::addresses($shop));
        self::assertSame([1, 3], array_map(static fn (Target $target): int => $target->weight, $shop->targets));
        self::assertSame(['[fd00::1]:443'], self::addresses($map->resolve(Lookup::of(serverName: 'other.example.org'))));
        self::assertSame(['a:1'], self::addresses($map->resolve(Lookup::of(serverName: 'x.y.deep.example.org'))));
        self::assertSame(['unix:/run/x'], self::addresses($map->resolve(Lookup::of(serverName: 'example.org'))));
        self::assertSame(['unix:/run/x'], self::addresses($map->resolve(Lookup::of())));
    }

    public function testAMapWithoutARestRefuses(): void
    {
        $lookup = Lookup::of(serverName: 'unknown');

        self::assertRefused(404, $this->map("known a:1\n"), $lookup);
        self::assertSame(['serverName'], $lookup->fieldsRead());
    }

    public function testAMapIsReadAgainWhenItsFileChangesOrIsAskedTo(): void
    {
        $map = $this->map("* a:1\n");
        self::assertFalse($map->reload(false));
        self::assertTrue($map->reload(true));

        file_put_contents($this->file, "* longer:1\n");
        self::assertTrue($map->reload(false));
        self::assertFalse($map->reload(false));
        self::assertSame(['longer:1'], self::addresses($map->resolve(Lookup::of())));
    }

    public function testABrokenFileIsToldOnceAndTheOldRoutesStay(): void
    {
        $map = $this->map("* a:1\n");
        file_put_contents($this->file, "* nonsense\n");
        try {
            $map->reload(false);
            self::fail('the broken file was taken');
        } catch (BadRoutes $fault) {
            self::assertSame("{$this->file}:1: \"nonsense\" is no target such as 10.0.0.7:443 or [fd00::7]:443", $fault->getMessage());
        }

        self::assertFalse($map->reload(false));
        self::assertSame(['a:1'], self::addresses($map->resolve(Lookup::of())));
    }

    public function testAWrongLineIsSaidWholeWhateverBytesItHas(): void
    {
        try {
            $this->map("a.example 10.0.0.7:443\nb.example 10.0.0\0.7\x1b[31m:443\n");
            self::fail('nothing was thrown');
        } catch (BadRoutes $fault) {
            self::assertSame("{$this->file}:2: \"10.0.0\\000.7\\033[31m:443\" is no target such as 10.0.0.7:443 or [fd00::7]:443", $fault->getMessage());
        }
    }

    /** @return iterable<string, array{string, string}> */
    public static function brokenMaps(): iterable
    {
        yield 'no target' => ["a:1\n", 'a key without a target'];
        yield 'a star inside' => ["shop.*.org a:1\n", 'a star stands alone'];
        yield 'a port out of range' => ["x a:65536\n", 'is no target'];
        yield 'more targets than a route has' => ['x' . str_repeat(' a:1', 65) . "\n", ':1: a key with 65 targets, 64 at most'];
        yield 'the second line' => ["x a:1\ny b\n", ':2:'];
    }

    #[DataProvider('brokenMaps')]
    public function testABrokenMapNamesTheLine(string $text, string $named): void
    {
        $this->expectException(BadRoutes::class);
        $this->expectExceptionMessage($named);
        $this->map($text);
    }

    public function testAMapThatIsNotThereIsSaid(): void
    {
        $this->expectExceptionMessage('/no/such/file');
        new Map('/no/such/file', Field::Host);
    }

    public function testDnsMakesANameOfWhatTheClientSaid(): void
    {
        $dns = new Dns('db-{database}.{user}.internal:5432');
        $lookup = Lookup::of(user: 'Anna', database: 'shop_1');

        self::assertSame(['db-shop_1.anna.internal:5432'], self::addresses($dns->resolve($lookup)));
        self::assertSame(['user', 'database'], $lookup->fieldsRead());
    }

    /** @return iterable<string, array{string}> */
    public static function hostileNames(): iterable
    {
        foreach (['', 'a b', "a\n", '..', '.a', 'a.', 'a:1', '-', '[::1]', 'a/b', '{user}', "a\0b", 'ä', str_repeat('a', 300)] as $name) {
            yield json_encode($name, JSON_THROW_ON_ERROR) => [$name];
        }
    }

    #[DataProvider('hostileNames')]
    public function testANameThatIsNoneIsRefused(string $name): void
    {
        self::assertRefused(404, new Dns('{database}.internal:5432'), Lookup::of(database: $name));
    }

    public function testABadPatternIsRefusedWhenItIsMade(): void
    {
        foreach (['fixed:1', '{nonsense}:1', '{user}', '{user}:0'] as $pattern) {
            try {
                new Dns($pattern);
                self::fail("$pattern was taken");
            } catch (BadRoutes $fault) {
                self::assertStringContainsString($pattern, $fault->getMessage());
            }
        }
    }

    private function map(string $text): Map
    {
        file_put_contents($this->file, $text);

        return new Map($this->file, Field::ServerName);
    }

    /** @return list<string> */
    private static function addresses(Route $route): array
    {
        return array_map(static fn (Target $target): string => $target->address, $route->targets);
    }

    private static function assertRefused(int $status, Resolver $resolver, Lookup $lookup): void
    {
        try {
            $resolver->resolve($lookup);
            self::fail('it was not refused');
        } catch (Refused $refused) {
            self::assertSame($status, $refused->getCode());
        }
    }
}
