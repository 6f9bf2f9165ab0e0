// SPDX-License-Identifier: MIT
// The pages of tusk bench in Chromium: the master's, and the report's, wide and narrow, light and dark, without script. Ends with "N passed, N failed, N skipped".
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch, php, root, run } from '../../../../tests/browser/frame.mjs';
import { runsOnAgents } from './master.mjs';

const sizes = { desktop: { width: 1280, height: 900 }, narrow: { width: 375, height: 760, isMobile: true, deviceScaleFactor: 2 } };

const folder = mkdtempSync(join(tmpdir(), 'tusk-bench-browser-'));
const browser = await launch(['--force-color-profile=srgb']);
const tests = [];

async function look(variant, size, scheme) {
  const page = await browser.newPage();
  const asked = [];
  const trouble = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => trouble.push(String(error)));
  page.on('console', (message) => trouble.push(message.text()));
  await page.setJavaScriptEnabled(false);
  await page.setViewport(sizes[size]);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  const address = String(pathToFileURL(join(folder, `${variant}.html`)));
  await page.goto(address, { waitUntil: 'load' });
  await page.screenshot({ path: join(root, `build/screenshots/bench-${variant}-${size}-${scheme}.png`), fullPage: true });
  const seen = await page.evaluate(() => {
    const shown = (element) => element.getBoundingClientRect().width > 0;
    const page = document.documentElement;
    return {
      verdict: document.querySelector('.badge').textContent,
      headings: [...document.querySelectorAll('h2')].filter(shown).map((heading) => heading.textContent),
      wide: [...document.querySelectorAll('svg.wide')].filter(shown).length,
      slim: [...document.querySelectorAll('svg.slim')].filter(shown).length,
      overflow: page.scrollWidth - page.clientWidth,
      // No text of a drawing leaves it, or stands on another of its axis.
      outside: [...document.querySelectorAll('svg')].filter(shown).flatMap((svg) => {
        const frame = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('text')].filter((text) => {
          const box = text.getBoundingClientRect();
          return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
        }).map((text) => `${svg.getAttribute('aria-label')}: ${text.textContent}`);
      }),
      touching: [...document.querySelectorAll('svg')].filter(shown).flatMap((svg) => {
        const boxes = [...svg.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
        return boxes.flatMap(([a, x], i) => boxes.slice(i + 1)
          .filter(([, y]) => x.left < y.right - 1 && y.left < x.right - 1 && x.top < y.bottom - 3 && y.top < x.bottom - 3)
          .map(([b]) => `${svg.getAttribute('aria-label')}: ${a} / ${b}`));
      }),
      ink: getComputedStyle(document.body).color,
      paper: getComputedStyle(document.body).backgroundColor,
    };
  });
  const moved = await page.evaluate(() => {
    const table = document.querySelector('.scroll');
    table?.scrollTo(table.scrollWidth, 0);
    const name = table?.querySelector('tr:last-child > :first-child')?.getBoundingClientRect();
    return { named: name === undefined || name.left >= 0, reached: table === null || table.tabIndex === 0 };
  });
  await page.close();
  assert.ok(moved.named, 'a row keeps its name while the table is moved');
  assert.ok(moved.reached, 'the keyboard reaches what is moved');
  assert.deepEqual(asked, [address], 'the page asks for nothing else');
  assert.deepEqual(trouble, []);
  assert.equal(seen.overflow, 0, 'nothing is wider than the page');
  assert.deepEqual(seen.outside, [], 'texts stay in their drawings');
  assert.deepEqual(seen.touching, [], 'texts do not touch');
  assert.equal(seen[size === 'desktop' ? 'slim' : 'wide'], 0);
  const light = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
  assert.ok((light(seen.paper) > light(seen.ink)) === (scheme === 'light'), 'the scheme is followed');
  return { ...seen, drawings: seen.wide + seen.slim };
}

const test = (name, body) => tests.push([`bench page: ${name}`, body]);
for (const variant of ['stall', 'clean', 'empty']) {
  execFileSync(php[0], [...php.slice(1), join(root, 'php/tests/Bench/browser/page.php'), variant, join(folder, `${variant}.html`)], { stdio: 'inherit' });
  for (const size of Object.keys(sizes)) {
    for (const scheme of ['light', 'dark']) {
      test(`${variant}, ${size}, ${scheme}`, async () => {
        const seen = await look(variant, size, scheme);
        assert.equal(seen.verdict, variant === 'clean' ? 'VALID' : 'NOT VALID');
        if (variant === 'empty') {
          assert.equal(seen.drawings, 0);
        } else {
          for (const heading of ['Latency over time', 'Percentiles', 'Throughput', 'Where the time goes', 'Phases of a connection', 'CPU']) {
            assert.ok(seen.headings.includes(heading), `${heading} is there`);
          }
        }
      });
    }
  }
}
test('the master runs a plan on two agents', () => runsOnAgents({ browser, php, root }));
await run(tests, async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});
