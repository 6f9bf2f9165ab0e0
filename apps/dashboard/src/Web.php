<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard;

use Tusk\Http\Request;
use Tusk\Http\Response;
use Tusk\Resource\Application;
use Tusk\Server;

/** The dashboard over HTTP: a page with a timeline for each engine, the picture alone, the JSON alone. */
final readonly class Web
{
    private const STYLE = ':root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:0;background:#f5f6f8;color:#141a24}main{max-width:960px;margin:0 auto;padding:24px}'
        . 'nav a{display:inline-block;padding:6px 10px 6px 0}section{--card:#fff;background-color:var(--card);border:1px solid #e4e8ee;border-radius:12px;padding:14px 18px;margin:14px 0}h2{font-size:16px;margin:0 0 6px}small{color:#566172}[aria-current]{font-weight:700}';
    /** Drawings that shrank with a telephone could not be read: they are moved sideways, by the keyboard too. A shadow says that there is more. */
    private const NARROW = '@media(max-width:700px){main{padding:12px}h1{font-size:22px}section{overflow-x:auto;--more:#0003;background-image:linear-gradient(90deg,var(--card),transparent),linear-gradient(270deg,var(--card),transparent),linear-gradient(90deg,var(--more),transparent),linear-gradient(270deg,var(--more),transparent);background-repeat:no-repeat;background-size:40px 100%,40px 100%,14px 100%,14px 100%;background-position:0,100%,0,100%;background-attachment:local,local,scroll,scroll}h2{position:sticky;left:0}svg{width:760px}}';
    private const DARK = '@media(prefers-color-scheme:dark){body{background:#12161d;color:#e6eaf1}section{--card:#1b212b;--more:#000a;border-color:#2b3340}small{color:#a3adbd}a{color:#8ab4ff}'
        . '.tick{fill:#a3adbd}.grid{stroke:#2b3340}.name{fill:#e6eaf1}.p0{fill:#6b9bff}.p1{fill:#35c4b5}.p2{fill:#e0a040}.p3{fill:#ab8bff}.p4{fill:#ff7a80}.p5{fill:#4cc274}'
        . '.p6{fill:#45b8e0}.p7{fill:#ee6ab0}.p8{fill:#9cc24a}.p9{fill:#cf9a66}.p10{fill:#9aa6b8}.p11{fill:#d98080}}';
    private const DELAY_MAX = 1000.0;

    /**
     * @param array<string, Application> $engines by name
     * @param float                      $delay   milliseconds of a part, unless the request says otherwise
     */
    public function __construct(
        private array $engines,
        private float $delay,
        private Database $database,
    ) {}

    public function on(Server $server): void
    {
        $server->get('/', fn (Request $r): Response => $this->answer($r, $this->page(...)));
        $server->get('/timeline.svg', fn (Request $r): Response => $this->answer($r, $this->picture(...)));
        $server->get('/dashboard.json', fn (Request $r): Response => $this->answer($r, $this->json(...)));
    }

    /** @param \Closure(Request, Sheet, float, Source): Response $do */
    private function answer(Request $r, \Closure $do): Response
    {
        $sheet = Sheet::tryFrom($r->query('page') ?? 'large');
        $source = Source::tryFrom($r->query('source') ?? 'panel');
        $delay = $r->query('delay') ?? (string) $this->delay;
        if ($sheet === null || $source === null || !is_numeric($delay) || (float) $delay < 0 || (float) $delay > self::DELAY_MAX) {
            return Response::text('page: small, medium, large, users; source: panel, query; delay: 0 to ' . self::DELAY_MAX . " milliseconds\n", 400);
        }
        try {
            return $do($r, $sheet, (float) $delay, $source);
        } catch (\OutOfBoundsException $e) { // what was asked for is not there
            return Response::text($e->getMessage() . "\n", 400);
        } catch (\RuntimeException $e) {
            return Response::text($e->getMessage() . "\n", 503);
        }
    }

    private function json(Request $r, Sheet $sheet, float $delay, Source $source): Response
    {
        $run = Run::of($this->engine($r), $sheet, $delay, $source);

        return new Response(200, $run->json, ['Content-Type' => 'application/json', 'Server-Timing' => sprintf('page;dur=%.3f', $run->milliseconds())]);
    }

    private function picture(Request $r, Sheet $sheet, float $delay, Source $source): Response
    {
        $run = Run::of($this->engine($r), $sheet, $delay, $source);

        return new Response(200, Picture::file(Picture::of($run, $run->milliseconds(), $sheet->title())), ['Content-Type' => 'image/svg+xml', 'Cache-Control' => 'no-store']);
    }

    private function page(Request $r, Sheet $sheet, float $delay, Source $source): Response
    {
        $runs = array_map(static fn (Application $application): Run => Run::of($application, $sheet, $delay, $source), $this->engines);
        $span = max(array_map(static fn (Run $run): float => $run->milliseconds(), $runs) ?: [1.0]);
        $pictures = '';
        foreach ($runs as $name => $run) {
            $pictures .= sprintf(
                '<section tabindex="0" aria-labelledby="%1$s"><h2 id="%1$s">%1$s <small>%2$s</small></h2>%3$s</section>',
                $name,
                self::told($run, $runs['sequential'] ?? $run),
                Picture::of($run, $span, "$name: {$sheet->title()}"),
            );
        }
        $links = '';
        foreach ($this->database->told() === null ? [Source::Panel] : Source::cases() as $of) {
            foreach (Sheet::cases() as $other) {
                if ($of === Source::Panel || $other !== Sheet::Users) {
                    $links .= sprintf(
                        '<a href="/?page=%s&amp;source=%s&amp;delay=%s"%s>%s%s</a> ',
                        $other->value,
                        $of->value,
                        $delay,
                        $other === $sheet && $of === $source ? ' aria-current="page"' : '',
                        $other->value,
                        $of === Source::Query ? ' (PostgreSQL)' : '',
                    );
                }
            }
        }

        return Response::html(sprintf(
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%1$s</title><link rel="icon" href="data:,"><style>%2$s%3$s</style>'
            . '<main><h1>%1$s</h1><nav aria-label="Pages">%4$s</nav><p>Each part takes %5$s ms. A bar is a part, a colour is a process.</p>%7$s%6$s</main></html>',
            $sheet->title(),
            self::STYLE,
            Picture::STYLE . self::NARROW . self::DARK,
            $links,
            $delay,
            $pictures,
            $source === Source::Query ? '<p>' . htmlspecialchars((string) $this->database->told()) . '</p>' : '',
        ));
    }

    /** How long, where, and how much faster than one part after another. */
    private static function told(Run $run, Run $sequential): string
    {
        $processes = count(array_unique(array_map(static fn (Ran $ran): int => $ran->process, $run->parts)));

        return sprintf('%.2f ms in %s', $run->milliseconds(), $processes === 1 ? 'one process' : "$processes processes")
            . ($run === $sequential ? '' : sprintf(', %.1f times as fast as sequential', $sequential->milliseconds() / $run->milliseconds()));
    }

    private function engine(Request $r): Application
    {
        $name = $r->query('engine') ?? (string) array_key_last($this->engines);

        return $this->engines[$name] ?? throw new \OutOfBoundsException('engine: ' . implode(', ', array_keys($this->engines)));
    }
}
