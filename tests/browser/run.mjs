// SPDX-License-Identifier: MIT
// Event streams that a page of another origin reads, and a page, a WebSocket and an event stream over TLS, in Chromium. Ends with "N passed, N failed, N skipped".
import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, php, root, run } from './frame.mjs';

const site = createServer((request, answer) => answer.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'who=ann; Path=/' }).end('<!doctype html><title>page</title>'));
site.listen(0, '127.0.0.1');
await once(site, 'listening');
const origin = `http://127.0.0.1:${site.address().port}`;
/** Starts tests/browser/NAME.php: [process, port]. */
async function start(name, argument) {
  const server = spawn(php[0], [...php.slice(1), join(root, `tests/browser/${name}.php`), argument], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(server.stdout, 'data');
  return [server, Number(String(line))];
}
const [server, port] = await start('streams', origin);
const streams = `http://127.0.0.1:${port}`;

/** A certificate of our own making for "localhost", and what Chromium is told of it: to trust that key and no other. */
const folder = mkdtempSync(join(tmpdir(), 'tusk-browser-'));
const pem = join(folder, 'own.pem');
execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost',
  '-addext', 'subjectAltName=DNS:localhost', '-keyout', join(folder, 'key.pem'), '-out', pem], { stdio: 'ignore' });
const certificate = new X509Certificate(readFileSync(pem));
const pin = createHash('sha256').update(certificate.publicKey.export({ type: 'spki', format: 'der' })).digest('base64');
writeFileSync(pem, readFileSync(join(folder, 'key.pem')), { flag: 'a' });
const [safe, safePort] = await start('secure', pem);
const secure = `https://localhost:${safePort}`;
const lives = []; // a test that fails leaves its own behind, which would hold the pipe of who reads this
/** examples/live.php on a port, the second time on the same: [process, port]. */
async function startLive(at = 0) {
  const free = at || await new Promise((resolve) => { const taken = createServer().listen(0, '127.0.0.1', () => { const { port } = taken.address(); taken.close(() => resolve(port)); }); });
  const process = spawn(php[0], [...php.slice(1), join(root, 'examples/live.php'), String(free)], { stdio: ['ignore', 'ignore', 'inherit'] });
  lives.push(process);
  for (let tries = 0; tries < 3000; tries++) {
    try {
      await (await fetch(`http://127.0.0.1:${free}/`)).text();
      return [process, free];
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10)); // a poll: nothing tells from outside that a port is bound
    }
  }
  throw new Error('examples/live.php does not listen');
}
const browser = await launch([`--ignore-certificate-errors-spki-list=${pin}`, `--user-data-dir=${join(folder, 'profile')}`]);
const stranger = await launch();

/** What a page of `origin` hears of a stream: its first events, or that it is refused. */
async function hears(path, withCredentials, events) {
  const page = await browser.newPage();
  await page.goto(`${origin}/`);
  const heard = await page.evaluate((url, withCredentials, events) => new Promise((resolve) => {
    const heard = [];
    const source = new EventSource(url, { withCredentials });
    const end = (last) => { source.close(); resolve(last === undefined ? heard : [...heard, last]); };
    source.onmessage = (event) => { heard.push(event.data); if (heard.length === events) end(); };
    source.onerror = () => { if (source.readyState === EventSource.CLOSED) end('refused'); };
  }), streams + path, withCredentials, events);
  await page.close();
  return heard;
}

/** What a page over TLS gets of its own server, by `script` in it. */
async function inSecurePage(script) {
  const page = await browser.newPage();
  await page.goto(`${secure}/`);
  const got = await page.evaluate(script);
  await page.close();
  return got;
}

const tests = {
  'a page over TLS 1.3, asked for by its name': async () => assert.equal(await inSecurePage(() => document.title), 'TLS 1.3 of localhost'),
  'a WebSocket over TLS says hello, and brings back a message of a megabyte': async () =>
    assert.deepEqual(await inSecurePage(() => new Promise((resolve, reject) => {
      const heard = [];
      const large = 'Käse '.repeat(200000);
      const socket = new WebSocket(`wss://${location.host}/echo`);
      socket.onerror = () => reject(new Error('an error'));
      socket.onopen = () => { socket.send('hello'); socket.send(large); };
      socket.onmessage = ({ data }) => {
        heard.push(data === large ? 'all of it' : data);
        if (heard.length === 3) socket.close(1000, 'done');
      };
      socket.onclose = ({ code, wasClean }) => resolve([...heard, code, wasClean]);
    })), ['TLS 1.3 of localhost', 'hello', 'all of it', 1000, true]),
  'an event stream over TLS comes back with its id': async () =>
    assert.deepEqual(await inSecurePage(() => new Promise((resolve) => {
      const heard = [];
      const source = new EventSource('/events');
      source.onmessage = ({ data }) => { heard.push(data); if (heard.length === 2) { source.close(); resolve(heard); } };
    })), ['first, TLS 1.3 of localhost', 'again, TLS 1.3 of localhost']),
  'a browser that does not know the certificate shows nothing of the page': async () => {
    const page = await stranger.newPage();
    await assert.rejects(page.goto(`${secure}/`), /ERR_CERT_AUTHORITY_INVALID/);
    await page.close();
  },
  'a listed page reads, with its cookie, and comes back with its id': async () =>
    assert.deepEqual(await hears('/listed', true, 2), ['seen: first, ann', 'seen: again, ann']),
  'without credentials it is nobody': async () =>
    assert.deepEqual(await hears('/listed', false, 1), ['seen: first, nobody']),
  'a WebSocket that comes back misses nothing and shows nothing twice, and shows what it alone is sent; one that cannot be served says so': async () => {
    let [process, port] = await startLive();
    const page = await browser.newPage();
    await page.evaluateOnNewDocument(() => {
      const Plain = window.WebSocket;
      window.addresses = [];
      window.WebSocket = class extends Plain { constructor(url) { super(url); window.last = this; window.addresses.push(String(url)); } };
      Math.random = () => 0.1;
    });
    await page.goto(`http://127.0.0.1:${port}/`);
    const say = (text) => fetch(`http://127.0.0.1:${port}/say`, { method: 'POST', body: text });
    const shows = (lines) => page.waitForFunction((lines) => JSON.stringify([...document.querySelectorAll('li')].map((one) => one.textContent)) === lines, { timeout: 30000 }, JSON.stringify(lines));
    const state = (wanted) => page.waitForFunction((wanted) => document.querySelector('#state').textContent === wanted, { timeout: 30000 }, wanted);
    await state('open');
    await page.type('input', 'one');
    await page.keyboard.press('Enter');
    await shows(['one']);
    await say('two');
    await shows(['one', 'two']);
    await page.evaluate(() => window.last.close(4000));
    await say('three');
    await shows(['one', 'two', 'three']);
    assert.match(await page.evaluate(() => window.addresses.at(-1)), /since=/);
    await page.evaluate(() => { for (const text of ['for you', 'alone']) window.last.onmessage({ data: JSON.stringify({ text }) }); });
    await shows(['one', 'two', 'three', 'for you', 'alone']);
    await page.evaluate(() => window.last.close(4000));
    await page.waitForFunction(() => window.addresses.length === 3, { timeout: 30000 });
    assert.match(await page.evaluate(() => window.addresses.at(-1)), /since=[0-9a-f]+%3A\d/);
    await state('open');
    process.kill('SIGKILL');
    await once(process, 'exit');
    await state('waiting');
    [process] = await startLive(port);
    await state('open');
    await say('four');
    await shows(['one', 'two', 'three', 'for you', 'alone', '(something may be missing: load it anew)', 'four']);
    await page.close();
    process.kill('SIGTERM');
    await once(process, 'exit');
  },
  'a page that is not listed is refused': async () => assert.deepEqual(await hears('/others', true, 1), ['refused']),
  'where no origins are given a browser lets no other origin read': async () =>
    assert.deepEqual(await hears('/silent', false, 1), ['refused']),
};
await run(Object.entries(tests), async () => {
  await browser.close();
  await stranger.close();
  site.close();
  for (const one of lives) one.kill('SIGKILL');
  for (const one of [server, safe]) {
    one.kill('SIGTERM');
    await once(one, 'exit');
  }
  rmSync(folder, { recursive: true });
});
