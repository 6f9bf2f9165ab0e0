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
            $pictures .= sprintf('<section><h2>%s <small>%s</small></h2>%s</section>', $name, self::told($run, $runs['sequential'] ?? $run), Picture::of($run, $span, "$name: {$sheet->title()}"));
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
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%1$s</title><style>%2$s%3$s</style>'
            . '<main><h1>%1$s</h1><p>%4$s</p><p>Each part takes %5$s ms. A bar is a part, a colour is a process.</p>%7$s%6$s</main></html>',
            $sheet->title(),
            'body{font:15px/1.5 system-ui,sans-serif;margin:0;background:#f5f6f8;color:#141a24}main{max-width:960px;margin:0 auto;padding:24px}'
            . 'section{background:#fff;border:1px solid #e4e8ee;border-radius:12px;padding:14px 18px;margin:14px 0}h2{font-size:16px;margin:0 0 6px}small{color:#566172}[aria-current]{font-weight:700}',
            Picture::STYLE,
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

        return $this->engines[$name] ?? throw new \RuntimeException('engine: ' . implode(', ', array_keys($this->engines)));
    }
}
