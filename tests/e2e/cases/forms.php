<?php

declare(strict_types=1);

// Forms as programs of others send them.

namespace Tusk\E2e;

return static function (Suite $s): void {
    $s->test('what curl sends as a form arrives as fields and files, and a file over the limit is refused', static function (): void {
        needs('curl');
        $server = new Script(<<<'PHP'
            $server = new Server('127.0.0.1:0', limits: new Limits(fileBytes: 300_000));
            $server->onStart($started);
            $server->post('/', fn (Request $r) => Response::json(['fields' => $r->formAll(), 'files' => array_map(
                fn ($file) => [$file->field, $file->name, $file->type, $file->size, sha1($file->contents()), sha1((string) stream_get_contents($file->stream()))],
                $r->files(),
            )]));
            exit($server->run());
            PHP);
        $bytes = '';
        for ($i = 0; strlen($bytes) < 300_000; $i++) {
            $bytes .= sha1((string) $i, true) . "\r\n--";
        }
        $bytes = substr($bytes, 0, 300_000);
        $file = folder() . '/upload "ä".bin';
        file_put_contents($file, $bytes);
        $send = static fn (string $options): array => command("curl -sS -w '\\n%{http_code}' $options http://127.0.0.1:$server->port/");
        $quoted = escapeshellarg("f[]=@\"" . addcslashes($file, '"\\') . '";type=image/png');
        [$status, $text] = $send("-F 'a=one two' -F 'tags[]=1' -F 'tags[]=2' -F $quoted -F 'f[]=@/dev/null;filename=empty.txt'");
        expect($status === 0, $text);
        [$json, $code] = explode("\n", $text) + ['', ''];
        expect($code === '200', $text);
        $hash = sha1($bytes);
        $wanted = ['fields' => ['a' => ['one two'], 'tags[]' => ['1', '2']],
            'files' => [['f[]', 'upload "ä".bin', 'image/png', 300_000, $hash, $hash], ['f[]', 'empty.txt', 'text/plain', 0, sha1(''), sha1('')]]];
        expect(json_decode($json, true) === $wanted, "what came: $json");
        file_put_contents($file, 'x', FILE_APPEND);
        [, $text] = $send("-F $quoted");
        contains($text, "a file of the form has more than ", 'the answer');
        contains($text, "\n413", 'the answer');
        expect($server->stop() === 0, $server->log());
    });
};
