// SPDX-License-Identifier: MIT
// What the browser tests stand on: a server that can be killed and started again, people with pages, and waiting for what is seen.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, php, root } from '../../../../tests/browser/frame.mjs';

const shots = join(root, 'build/screenshots');
const DEADLINE = 30000;

/** The chat in a process of its own, with a folder of its own that outlives a kill. */
export class Server {
  folder = mkdtempSync(join(tmpdir(), 'tusk-chat-browser-'));
  port = 0;
  log = '';

  constructor(options = []) {
    this.isSecure = options.includes('tls');
    this.options = options.filter((option) => option !== 'tls');
    if (this.isSecure) this.options.push(...this.#certificate());
  }

  /** A certificate that nobody has signed; PHP makes it, so that no other program is needed. */
  #certificate() {
    const code = `$k = openssl_pkey_new(['private_key_bits' => 2048]); $own = $k; $r = openssl_csr_new(['commonName' => '127.0.0.1'], $own);
      openssl_x509_export(openssl_csr_sign($r, null, $k, 1), $c); openssl_pkey_export($k, $p); echo json_encode([$c, $p]);`;
    const [certificate, key] = JSON.parse(execFileSync(php[0], ['-r', code]));
    writeFileSync(join(this.folder, 'cert.pem'), certificate);
    writeFileSync(join(this.folder, 'key.pem'), key);
    return [`--cert=${this.folder}/cert.pem`, `--key=${this.folder}/key.pem`];
  }

  async start() {
    const [command, ...before] = php;
    const child = this.child = spawn(command, [...before, join(root, 'apps/chat/server.php'), String(this.port), `--var=${this.folder}`, '--grace=1', '--rate=0', ...this.options], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stderr.on('data', (data) => { this.log += data; });
    this.ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
    await new Promise((resolve, reject) => {
      let out = '';
      const timer = setTimeout(() => reject(new Error(`The server did not start: ${out} ${this.log}`)), DEADLINE);
      child.stdout.on('data', (data) => {
        out += data;
        const match = /https?:\/\/127\.0\.0\.1:(\d+)\//.exec(out);
        if (match) { clearTimeout(timer); this.port = Number(match[1]); resolve(); }
      });
      child.once('exit', (code) => { clearTimeout(timer); reject(new Error(`The server ended with ${code}: ${out} ${this.log}`)); });
    });
  }

  get address() { return `${this.isSecure ? 'https' : 'http'}://127.0.0.1:${this.port}`; }

  async kill(signal = 'SIGKILL') {
    this.child.kill(signal);
    return this.ended;
  }

  async end() {
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  /** A user without a page: a script with a bearer token. */
  async script(name) {
    const ask = async (path, fields, headers = {}) => {
      const response = await fetch(this.address + path, { method: 'POST', body: new URLSearchParams(fields), headers });
      const body = await response.json();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${body.message}`);
      return body;
    };
    const { token } = await ask('/login', { name, token: '1' });
    const headers = { Authorization: `Bearer ${token}` };
    const streams = new AbortController();
    const held = []; // a response that nobody holds is collected, and its stream closed
    return {
      name,
      headers,
      say: (to, text) => ask('/messages', { to, text }, headers),
      post: (path, fields) => ask(path, fields, headers),
      // Somebody who is here, without a page.
      stay: async () => { held.push(await fetch(`${this.address}/events`, { headers, signal: streams.signal })); },
      go: () => { streams.abort(); held.length = 0; },
    };
  }
}

export async function openBrowser() {
  const profile = mkdtempSync(join(tmpdir(), 'tusk-chromium-'));
  const browser = await launch(['--headless', '--ignore-certificate-errors', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', '--disable-background-timer-throttling', '--disable-renderer-backgrounding', '--disable-backgrounding-occluded-windows'], { userDataDir: profile, protocolTimeout: 180000 });
  return { browser, close: async () => { await browser.close(); rmSync(profile, { recursive: true, force: true, maxRetries: 5 }); } };
}

/** Somebody with a browser of his own: cookies are shared by his tabs and by nobody else's. */
export class Person {
  constructor(context, server, name, trouble) {
    Object.assign(this, { context, server, name, trouble });
  }

  static async come(browser, server, name, trouble, options = {}) {
    const person = new Person(await browser.createBrowserContext(), server, name, trouble);
    const tab = await person.tab(options);
    await tab.enter(name);
    return { person, tab };
  }

  /** @param how.before what is done to the page before it is loaded */
  async tab({ phone = false, size = [390, 844], transport = null, dark = false, before = null } = {}) {
    const page = await this.context.newPage();
    page.setDefaultTimeout(DEADLINE);
    // Anything but a refused request or a server that we killed is a fault of the page.
    page.on('pageerror', (error) => this.trouble.push(`${this.name}: ${error.message}`));
    page.on('dialog', (dialog) => { this.trouble.push(`${this.name}: a dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('console', (message) => {
      if (message.type() === 'error' && !/Failed to load resource|net::ERR_|WebSocket connection|ERR_CONNECTION/.test(message.text())) this.trouble.push(`${this.name}: ${message.text()}`);
    });
    await page.setViewport(phone ? { width: size[0], height: size[1], deviceScaleFactor: 2, isMobile: true, hasTouch: true } : { width: 1280, height: 820 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
    if (transport) await page.evaluateOnNewDocument((mode) => localStorage.setItem('tusk-transport', mode), transport);
    if (before) await before(page);
    await page.goto(this.server.address, { waitUntil: 'domcontentloaded' });
    return new Tab(page, this);
  }

  leave() { return this.context.close(); }
}

/** One page, by what a person sees and does. */
export class Tab {
  constructor(page, person) {
    this.page = page;
    this.person = person;
  }

  get origin() { return this.person.server.address; }

  /** What the page complained about so far was asked for. */
  forgive() { this.person.trouble.length = 0; }

  async enter(name, password = null) {
    await this.page.waitForSelector('#door:not([hidden])');
    await this.page.$eval('#login-name', (field) => { field.value = ''; });
    await this.page.type('#login-name', name);
    if (password !== null) {
      await this.page.$eval('#login-more', (details) => { details.open = true; });
      await this.page.type('#login-password', password);
    }
    await this.page.click('#login [type=submit]');
    await this.isLive();
  }

  /** Waits until `what` holds in the page; the message tells what was seen instead. */
  async sees(promise, what, ...args) {
    try {
      await this.page.waitForFunction(what, { polling: 40, timeout: DEADLINE }, ...args);
    } catch (error) {
      const seen = await this.page.evaluate(() => `${document.title} | ${document.querySelector('#state')?.textContent} | ${document.body.innerText.slice(-700)}`).catch(() => '');
      throw new Error(`not seen: ${promise}\n${error.message.split('\n')[0]}\n---\n${seen}\n---`);
    }
  }

  isLive(kind = null) {
    return this.sees(`live ${kind ?? ''}`, (kind) => {
      const state = document.querySelector('#state').dataset;
      return !document.querySelector('#app').hidden && state.state === 'live' && (kind === null || state.kind === kind);
    }, kind);
  }

  async open(talk) {
    await this.page.waitForSelector(`[data-talk="${talk}"]`);
    await this.page.$eval(`[data-talk="${talk}"]`, (button) => button.click());
    await this.sees(`${talk} is open`, (talk) => document.querySelector(`[data-talk="${talk}"]`)?.getAttribute('aria-current') === 'true' && document.querySelector('#log').getAttribute('aria-busy') === 'false', talk);
  }

  async say(text) {
    await this.page.$eval('#text', (field, text) => { field.value = text; field.dispatchEvent(new Event('input', { bubbles: true })); }, text);
    await this.page.$eval('#composer', (form) => form.requestSubmit());
  }

  has(text) {
    return this.sees(`"${text}"`, (text) => [...document.querySelectorAll('#log .bubble')].some((bubble) => bubble.textContent === text), text);
  }

  /** What people said in the open talk, in the order shown. */
  texts() {
    return this.page.$$eval('#log .row', (rows) => rows.map((row) => row.querySelector('.bubble').textContent));
  }

  notices() {
    return this.page.$$eval('#log .notice', (notices) => notices.map((notice) => notice.textContent));
  }

  badge(talk, count) {
    return this.sees(`badge of ${talk} is ${count}`, (talk, count) => (document.querySelector(`[data-talk="${talk}"] .badge`)?.textContent ?? '0') === String(count), talk, count);
  }

  title(text) {
    return this.sees(`title "${text}"`, (text) => document.title === text, text);
  }

  async choose(transport) {
    await this.page.click('#me');
    await this.page.$eval(`#settings [name=transport][value=${transport}]`, (input) => input.click());
    await this.page.click('#settings [data-close]');
    if (transport !== 'auto') await this.isLive(transport);
  }

  async screenshot(name) {
    mkdirSync(shots, { recursive: true });
    await this.page.bringToFront();
    await this.page.screenshot({ path: join(shots, `${name}.png`) });
  }
}
