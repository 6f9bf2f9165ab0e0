// SPDX-License-Identifier: MIT
// How the page is met: on a phone, by keyboard, in the dark, by ear, in a crowd, after a long day.
import assert from 'node:assert/strict';
import { Person } from './harness.mjs';
import { crooked, faint } from './eye.mjs';
import { browser, scene, test, trouble } from './scene.mjs';

test('on a phone the lists are a drawer; light and dark follow the system or the choice', () => scene(async ({ server, come }) => {
  const mara = await server.script('Mara');
  await mara.say('all', 'Good morning. Is the kettle on?');
  const { tab: desk } = await come('Nina');
  await mara.say('all', 'There is cake, too 🎂');
  await mara.say('Nina', 'It is lemon.');
  await desk.say('Save me a slice.');
  const { tab: phone } = await come('jonas', { phone: true, dark: true });
  await phone.has('Save me a slice.');
  await phone.screenshot('phone-dark');
  await server.kill();
  await phone.sees('trouble, without the drawer', () => document.querySelector('#state-small').checkVisibility() && document.querySelector('#state-small').textContent === 'Reconnecting');
  await server.start();
  await phone.isLive();
  assert.equal(await phone.page.$eval('#state-small', (pill) => pill.checkVisibility()), false);
  await phone.page.tap('#drawer');
  await phone.sees('the drawer', () => document.querySelector('#app').classList.contains('drawn') && document.querySelector('#side').getBoundingClientRect().left === 0);
  assert.equal(await phone.page.$eval('#main', (main) => main.inert), true);
  await phone.screenshot('phone-drawer');
  await phone.page.keyboard.press('Escape');
  await phone.sees('closed', () => !document.querySelector('#app').classList.contains('drawn') && document.activeElement.id === 'drawer');
  assert.equal(await phone.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'nothing is wider than the phone');
  await desk.badge('Mara', 1);
  await desk.screenshot('desk-light');
  await desk.page.click('#me');
  await desk.page.$eval('#settings [name=theme][value=dark]', (input) => input.click());
  await desk.page.click('#settings [data-close]');
  assert.equal(await desk.page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await desk.screenshot('desk-dark');
  await desk.page.reload();
  await desk.isLive();
  assert.equal(await desk.page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'the choice is kept');
}));

test('everything can be reached by keyboard and has a name', () => scene(async ({ come }) => {
  const { tab } = await come('Anna');
  await tab.page.bringToFront();
  const nameless = await tab.page.$$eval('button, input, textarea', (all) => all.filter((one) => one.checkVisibility() && !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length)).map((one) => one.id || one.className));
  assert.deepEqual(nameless, []);
  await tab.page.evaluate(() => document.activeElement.blur());
  const reached = new Set();
  for (let i = 0; i < 20; i++) {
    await tab.page.keyboard.press('Tab');
    reached.add(await tab.page.evaluate(() => document.activeElement.id || document.activeElement.dataset.talk || document.activeElement.className));
  }
  for (const id of ['skip', 'add-room', 'all', 'me', 'scroll', 'text']) assert.ok(reached.has(id), `${id} among ${[...reached]}`);
  const tree = await tab.page.accessibility.snapshot();
  assert.match(JSON.stringify(tree), /"role":"(log|textbox)"/);
}));

test('a link shows where it leads, and ends where its address does', () => scene(async ({ server, come }) => {
  const mara = await server.script('Mara');
  const { tab } = await come('Nina');
  const told = {
    'see (https://example.org/A_(b)), or https://example.org/x?a[0]=1.': [['https://example.org/A_(b)', 'https://example.org/A_(b)'], ['https://example.org/x?a[0]=1', 'https://example.org/x?a[0]=1']],
    'HTTP://EXAMPLE.ORG/Up!': [['http://example.org/Up', 'HTTP://EXAMPLE.ORG/Up']],
    'https://bank.example:login@evil.example/#bank.example': [['https://bank.example:login@evil.example/#bank.example', 'https://evil.example/#bank.example']],
    'https://\u0430\u0440\u0440\u04CF\u0435.com/x': [['https://xn--80ak6aa92e.com/x', 'https://xn--80ak6aa92e.com/x']],
    'https:// javascript:alert(1) data:text/html,x https://[ "https://example.org/"onclick=x': [['https://example.org/', 'https://example.org/']],
  };
  for (const [text, links] of Object.entries(told)) {
    await mara.say('all', text);
    await tab.sees(text, (count) => document.querySelectorAll('.bubble').length === count, Object.keys(told).indexOf(text) + 1);
    assert.deepEqual(await tab.page.evaluate(() => [...[...document.querySelectorAll('.bubble')].at(-1).querySelectorAll('a')].map((a) => [a.href, a.textContent])), links, text);
  }
  await mara.say('all', `https://a/${').'.repeat(1900)}b ${'https://a/'.padEnd(100, '(')}`);
  await tab.sees('it soon', () => document.querySelectorAll('.bubble').length === 6);
}));

test('every text can be read on what it stands on, in light and dark, in every state', () => scene(async ({ server, come }) => {
  const names = Array.from({ length: 24 }, (_, i) => String.fromCharCode(97 + i).repeat(2) + i);
  for (const name of names) await (await server.script(name)).stay();
  const mara = await server.script('Mara');
  const { tab } = await come('Nina');
  await mara.say('all', 'See https://example.org/ before noon');
  await mara.say('Nina', 'psst');
  await tab.say('I have');
  await tab.has('I have');
  await tab.say('\u0001');
  await tab.sees('a refusal', () => document.querySelector('.failed') !== null);
  await mara.post('/typing', { to: 'all' });
  await tab.badge('Mara', 1);
  const check = async (what) => {
    for (const mode of ['light', 'dark']) {
      await tab.page.evaluate((mode) => { document.documentElement.dataset.theme = mode; }, mode);
      assert.deepEqual(await tab.page.evaluate(faint), [], `${what}, ${mode}`);
    }
  };
  await tab.page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  await check('live');
  for (const [opener, dialog] of [['#me', '#settings'], ['#add-room', '#room-dialog'], ['#add-direct', '#direct-dialog']]) {
    await tab.page.$eval(opener, (button) => button.click());
    await check(dialog);
    await tab.page.$eval(dialog, (one) => one.close());
  }
  await server.kill();
  await tab.sees('trouble', () => document.querySelector('#state').dataset.state !== 'live');
  await tab.say('later');
  await tab.sees('it waits', () => /Waits for the connection/.test(document.querySelector('.pending .note')?.textContent ?? ''));
  await check('cut off');
  await tab.screenshot('cut-off');
  assert.equal(await tab.page.evaluate(() => document.getAnimations().length), 0, 'nothing moves for whom movement is a trouble');
  await server.start();
  await tab.isLive();
  await tab.page.$eval('#me', (button) => button.click());
  await tab.page.$eval('#logout', (button) => button.click());
  await tab.sees('the door', () => !document.querySelector('#door').hidden);
  await tab.page.$eval('#login-more', (details) => { details.open = true; });
  await check('the door');
}));

test('what is heard: a log that speaks up politely, a state, labels on everything; dialogs give the focus back', () => scene(async ({ come }) => {
  const { tab } = await come('Anna');
  await tab.page.bringToFront();
  const role = (selector) => tab.page.$eval(selector, (one) => [one.getAttribute('role'), one.getAttribute('aria-live')]);
  assert.deepEqual(await role('#log'), ['log', 'polite']);
  assert.equal((await role('#state'))[0], 'status');
  assert.equal((await role('#login-error'))[0], 'alert');
  assert.equal((await role('#scroll'))[0], 'region'); // else nobody has to tell the name of that stop
  assert.equal(await tab.page.$eval('html', (html) => html.lang), 'en');
  const unnamed = await tab.page.$$eval('dialog, nav, aside, section, [role=log]', (all) => all.filter((one) => {
    const by = one.getAttribute('aria-labelledby');
    return one.id !== 'log' && !one.getAttribute('aria-label') && !document.getElementById(by)?.textContent.trim() && by !== 'settings-title';
  }).map((one) => one.outerHTML.slice(0, 60)));
  assert.deepEqual(unnamed, []);
  for (const [opener, dialog] of [['#me', '#settings'], ['#add-room', '#room-dialog'], ['#add-direct', '#direct-dialog']]) {
    await tab.page.focus(opener);
    await tab.page.keyboard.press('Enter');
    await tab.sees(dialog, (dialog) => document.querySelector(dialog).open && document.querySelector(dialog).contains(document.activeElement), dialog);
    await tab.page.keyboard.press('Escape');
    await tab.sees(`the focus is at ${opener} again`, (opener, dialog) => !document.querySelector(dialog).open && document.activeElement === document.querySelector(opener), opener, dialog);
  }
}));

test('what is typed into a sheet that asks for a name is that name', () => scene(async ({ come }) => {
  const { tab } = await come('Anna');
  await tab.page.bringToFront();
  await tab.page.focus('#add-direct');
  await tab.page.keyboard.press('Enter');
  await tab.sees('the sheet', () => document.querySelector('#direct-dialog').open);
  await tab.page.keyboard.type('Nobody\n');
  await tab.sees('who is not there', () => /Nobody/.test(document.querySelector('#direct-error').textContent));
  await tab.page.keyboard.press('Escape');
  await tab.page.focus('#add-room');
  await tab.page.keyboard.press('Enter');
  await tab.sees('the sheet', () => document.querySelector('#room-dialog').open);
  await tab.page.keyboard.type('tea\n');
  await tab.sees('the room', () => document.querySelector('#title').textContent === 'tea' && !document.querySelector('#room-dialog').open);
}));

test('Escape ends the sheet that lies over the drawer, then the drawer; each gives the focus back', () => scene(async ({ come }) => {
  const { tab } = await come('Anna', { phone: true });
  await tab.page.bringToFront();
  const drawn = () => tab.page.$eval('#drawer', (one) => one.getAttribute('aria-expanded'));
  await tab.page.focus('#drawer');
  await tab.page.keyboard.press('Enter');
  await tab.sees('the drawer', () => document.querySelector('#side').contains(document.activeElement));
  await tab.page.focus('#add-room');
  await tab.page.keyboard.press('Enter');
  await tab.sees('the sheet', () => document.querySelector('#room-dialog').open);
  await tab.page.keyboard.press('Escape');
  await tab.sees('no sheet', () => !document.querySelector('#room-dialog').open);
  assert.equal(await drawn(), 'true');
  await tab.sees('the focus where the sheet was asked for', () => document.activeElement.id === 'add-room');
  await tab.page.keyboard.press('Escape');
  await tab.sees('the focus where the drawer was asked for', () => document.activeElement.id === 'drawer');
  assert.equal(await drawn(), 'false');
}));

test('everything is the page\'s own, and the policy says so', () => scene(async ({ come }) => {
  const { tab } = await come('Anna');
  const { policy, from, refused } = await tab.page.evaluate(async () => {
    const refused = [];
    document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
    try { document.body.innerHTML += '<b>markup</b>'; } catch { refused.push('markup'); }
    const script = document.createElement('script');
    try { script.src = 'https://example.org/x.js'; document.head.append(script); } catch { refused.push('script'); }
    const style = document.createElement('style');
    style.textContent = 'body { display: none }';
    document.head.append(style);
    return {
      policy: (await fetch('/')).headers.get('content-security-policy'),
      from: [...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin))],
      refused,
    };
  });
  assert.deepEqual(from, [tab.origin], 'no other site is asked for anything');
  for (const part of ["default-src 'self'", "script-src 'self'", "style-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]) {
    assert.ok(policy.includes(part), `${part} in ${policy}`);
  }
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  assert.ok(refused.includes('markup'), 'markup cannot be set');
  assert.equal(await tab.page.evaluate(() => getComputedStyle(document.body).display), 'block', 'nor a style');
  tab.forgive();
}));

test('on a phone the field stays where it is while one types and sends, and the keyboard stays open', () => scene(async ({ come }) => {
  const { tab } = await come('Anna', { phone: true });
  const place = () => tab.page.$eval('#text', (field) => Math.round(field.getBoundingClientRect().bottom));
  await tab.page.tap('#text');
  const before = await place();
  await tab.page.type('#text', 'on my way');
  assert.equal(await place(), before);
  await tab.page.tap('#send');
  await tab.has('on my way');
  assert.equal(await tab.page.evaluate(() => document.activeElement.id), 'text', 'the focus stays, and with it the keyboard');
  assert.equal(await place(), before);
  // A keyboard that covers the page (iOS): what is visible gets lower, and the page with it.
  await tab.page.evaluate(() => {
    Object.defineProperty(visualViewport, 'height', { configurable: true, value: innerHeight - 300 });
    visualViewport.dispatchEvent(new Event('resize'));
  });
  assert.ok(await place() <= 844 - 300, 'the field is above the keyboard');
  await tab.page.evaluate(() => {
    delete visualViewport.height;
    visualViewport.dispatchEvent(new Event('resize'));
  });
  assert.equal(await place(), before);
}));

test('a long day leaves the page short, and all of it can be read back', () => scene(async ({ server, come }) => {
  const script = await server.script('robot');
  const { tab } = await come('Anna');
  const say = async (from, to) => {
    for (let at = from; at < to; at += 40) await Promise.all(Array.from({ length: 40 }, (_, i) => script.say('all', `line ${at + i}`)));
  };
  await say(0, 360);
  await script.say('all', 'the end');
  await tab.has('the end');
  const rows = () => tab.page.$$eval('#log .row', (all) => all.length);
  const shown = await rows();
  assert.ok(shown <= 300, `${shown} rows`);
  await tab.page.bringToFront();
  for (let i = 0; i < 20 && await rows() < 361; i++) {
    const count = await rows();
    await tab.page.evaluate(() => { document.querySelector('#scroll').scrollTop = 0; });
    await tab.sees('more', (count) => document.querySelectorAll('#log .row').length > count, count);
  }
  assert.equal(new Set(await tab.texts()).size, 361);
  await tab.page.click('#jump');
  await script.say('all', 'good night');
  await tab.has('good night');
  await tab.sees('it is short again', () => document.querySelectorAll('#log .row').length <= 300);
  assert.deepEqual((await tab.texts()).slice(-2), ['the end', 'good night']);
}));

test('a name from right to left turns nothing around it', () => scene(async ({ server, come }) => {
  const { tab } = await come('Anna');
  const crowd = await Promise.all(['\u05d0\u05d1\u05e8\u05d4\u05dd', '\u0645\u062d\u0645\u062f', 'Ben'].map((name) => server.script(name)));
  for (const one of crowd) {
    await one.stay();
    await tab.sees(`${one.name} is in a notice`, (name) => [...document.querySelectorAll('.notice')].some(({ textContent }) => textContent.includes(name)), one.name);
    await one.say('all', `from ${one.name}`);
    await tab.has(`from ${one.name}`);
  }
  const order = await tab.page.evaluate(() => {
    /** Where a part of a text stands: its left edge. `from`: not before that place. */
    const left = (element, part, from = 0) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.data.indexOf(part, from);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + part.length);
        return range.getBoundingClientRect().left;
      }
      throw new Error(`${part} is not in ${element.textContent}`);
    };
    const names = ['\u05d0\u05d1\u05e8\u05d4\u05dd', '\u0645\u062d\u0645\u062f', 'Ben'];
    const marks = [...document.querySelectorAll('.row .by')].map((by) => {
      const name = names.find((one) => by.textContent.includes(one));
      const time = by.querySelector('time');
      const [hour, minute] = [time.textContent.slice(0, 2), time.textContent.slice(3, 5)]; // which may be equal
      return left(by, name) < left(time, hour) && left(time, hour) < left(time, minute, 3);
    });
    const notices = [...document.querySelectorAll('.notice')].map((notice) => left(notice, names.find((one) => notice.textContent.includes(one))) < left(notice, 'joined'));
    return { marks, notices };
  });
  assert.deepEqual(order.marks, [true, true, true], 'a name, then its time');
  assert.ok(order.notices.every(Boolean) && order.notices.length > 0, JSON.stringify(order.notices));
}));

test('marks that are piled up on letters stay within their message', () => scene(async ({ server, come }) => {
  const { tab } = await come('Anna');
  const ben = await server.script('Ben');
  await ben.say('all', 'what others wrote');
  await ben.say('all', 'e\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u030a\u030b\u030c\u0301\u0302\u0303\u0304\u0305\u0306\u0307'.repeat(12));
  await tab.sees('both', () => document.querySelectorAll('#log .bubble').length === 2);
  await tab.page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  const first = await tab.page.$eval('#log .bubble', (bubble) => {
    const { x, y, width, height } = bubble.getBoundingClientRect();
    return { x, y, width, height };
  });
  const seen = async () => Buffer.from(await tab.page.screenshot({ clip: first })).toString('base64');
  const withMarks = await seen();
  await tab.page.$$eval('#log .bubble', (bubbles) => { bubbles[1].firstChild.data = bubbles[1].firstChild.data.replaceAll(/\p{M}/gu, ''); });
  assert.equal(withMarks, await seen());
}));

test('what is written is shown where it is written, also while it cannot leave', () => scene(async ({ server, come }) => {
  const { tab } = await come('Anna');
  const ben = await server.script('Ben');
  for (let i = 0; i < 40; i++) await ben.say('all', `line ${i}`);
  await tab.has('line 39');
  await tab.page.bringToFront();
  await tab.page.evaluate(() => { document.querySelector('#scroll').scrollTop = 0; });
  await tab.sees('the way down', () => !document.querySelector('#jump').hidden);
  await server.kill();
  await tab.say('can anybody hear me?');
  await tab.sees('it, in view', () => {
    const bubble = document.querySelector('.pending .bubble')?.getBoundingClientRect();
    return bubble !== undefined && bubble.bottom <= document.querySelector('#scroll').getBoundingClientRect().bottom;
  });
}));

test('who left in a crowd is shown no longer than the number of those who are here', () => scene(async ({ server, come }) => {
  // What is asked for in a while is never asked for here.
  const { tab } = await come('Anna', { before: (page) => page.evaluateOnNewDocument(() => {
    const later = window.setTimeout;
    window.setTimeout = (what, delay, ...rest) => (delay >= 2000 ? 0 : later(what, delay, ...rest));
  }) });
  const crowd = await Promise.all(Array.from({ length: 80 }, (_, i) => server.script(`guest${i}x`)));
  for (let at = 0; at < 80; at += 20) {
    await Promise.all(crowd.slice(at, at + 20).map((one) => one.stay()));
    await tab.sees('they are listed', (count) => document.querySelectorAll('#here .talk').length === count, at + 20);
  }
  for (const one of crowd) one.go();
  await tab.sees('only her', () => document.querySelector('#here-count').textContent === '1' && document.querySelectorAll('#here .talk').length === 0);
}));

test('a crowd that comes at once is one notice', () => scene(async ({ server, come }) => {
  const { tab } = await come('Anna');
  const crowd = await Promise.all(Array.from({ length: 120 }, (_, i) => server.script(`guest${i}x`)));
  await Promise.all(crowd.map((one) => one.stay()));
  await tab.sees('all of them are counted', () => document.querySelector('#subtitle').textContent === '121 here now' && document.querySelector('#here-count').textContent === '121');
  await tab.sees('a notice about them', () => [...document.querySelectorAll('.notice')].some(({ textContent }) => / and \d+ others joined$/.test(textContent)));
  const { tab: late } = await come('Ben');
  await late.sees('some names and a number', () => Number(/^and (\d+) more$/.exec(document.querySelector('#here-more').textContent)?.[1]) + document.querySelectorAll('#here .talk').length === 121);
  await late.screenshot('crowd');
  for (const one of crowd) one.go();
  await tab.sees('they left', () => [...document.querySelectorAll('.notice')].some(({ textContent }) => / others left$/.test(textContent)));
}));

for (const [device, how, least] of [
  ['a phone', { phone: true }, { target: 40, font: 11, field: 16 }],
  ['a small phone', { phone: true, size: [320, 568] }, { target: 40, font: 11, field: 16 }],
  ['a phone on its side', { phone: true, size: [844, 390] }, { target: 24, font: 11, field: 16 }],
  ['a desk', {}, { target: 24, font: 11, field: 13 }],
]) {
  test(`on ${device} nothing is outside, cut off, covered, too small or too faint, in light and dark`, () => scene(async ({ server, come }) => {
    const script = await server.script('Maximiliane-Featherston');
    const other = await server.script('李小龍');
    await (await server.script('W'.repeat(24))).say('all', 'The widest name that there is.');
    await script.say('all', 'Good morning. Is the kettle on?');
    await other.say('all', 'https://example.org/a/path/that/goes/on/and/on/without/any/place/to/break/it?and=a&query=too#and-a-fragment');
    const guest = new Person(await browser.createBrowserContext(), server, 'nobody', trouble);
    const tab = await guest.tab(how);
    await tab.page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    const wrong = [];
    const look = async (what) => {
      for (const mode of ['light', 'dark']) {
        await tab.page.evaluate((mode) => { document.documentElement.dataset.theme = mode; }, mode);
        for (const one of [...await tab.page.evaluate(crooked, least), ...await tab.page.evaluate(faint)]) wrong.push(`${what}, ${mode}: ${one}`);
        await tab.screenshot(`${device.replaceAll(' ', '-')}-${what.replaceAll(' ', '-')}-${mode}`);
      }
    };
    await tab.page.waitForSelector('#door:not([hidden])');
    await tab.page.$eval('#login-more', (details) => { details.open = true; });
    await look('door');
    await tab.enter('Nina');
    await script.say('all', 'W'.repeat(300));
    await other.say('all', '🎂🎂🎂');
    await script.say('Nina', 'psst');
    await tab.say('Save me a slice, and one for everybody who comes later than I do, please.');
    await tab.has('Save me a slice, and one for everybody who comes later than I do, please.');
    const beyond = (all) => all.filter((by) => { const text = document.createRange(); text.selectNodeContents(by); return text.getBoundingClientRect().right > innerWidth; }).map((by) => by.textContent);
    assert.deepEqual(await tab.page.$$eval('.by', beyond), [], 'names end within the screen');
    await tab.sees('it is sent', () => document.querySelector('.pending') === null);
    await look('talk');
    if (await tab.page.$eval('#drawer', (button) => button.checkVisibility())) {
      await tab.page.$eval('#drawer', (button) => button.click());
      await tab.badge('Maximiliane-Featherston', 1);
      await look('drawer');
      await tab.page.keyboard.press('Escape');
    }
    for (const [opener, dialog] of [['#me', '#settings'], ['#add-room', '#room-dialog'], ['#add-direct', '#direct-dialog']]) {
      await tab.page.$eval(opener, (button) => button.click());
      await look(dialog.slice(1));
      await tab.page.$eval(dialog, (one) => one.close());
    }
    await guest.leave();
    assert.deepEqual(wrong, []);
  }));
}

test('what is crooked is seen: each fault that is put into the page, and none without', () => scene(async ({ come }) => {
  const { tab } = await come('Nina', { phone: true });
  await tab.say('Is anything out of place?');
  await tab.has('Is anything out of place?');
  await tab.sees('it is sent and shown', () => document.querySelector('.pending') === null && document.querySelector('#log .mine') !== null);
  const least = { target: 40, font: 11, field: 16 };
  for (const [rule, sentence] of [
    ['', null],
    ['.mine { position: relative; left: 200px; }', /^outside the window: div\.bubble/],
    ['#title { display: block; overflow: hidden; width: 20px; text-overflow: clip; }', /^cut off: h1#title/],
    ['#composer { margin-top: -70px; }', /^on top of each other: /],
    ['#send { width: 30px; height: 30px; }', /^too small to hit: button#send/],
    ['#subtitle { font-size: 9px; }', /^too small to read: p#subtitle/],
    ['#text { font-size: 14px; }', /^a phone would zoom in: textarea#text/],
    ['.head { height: 500px; }', /^little room for messages/],
    ['#composer { margin-bottom: 200px; }', /^the field is not at the bottom/],
    ['#log .bubble { background: #777; color: #666; }', /bubble.* 1\.\d\d$/],
  ]) {
    const found = await tab.page.evaluate((rule) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(rule);
      document.adoptedStyleSheets = [sheet];
    }, rule).then(async () => [...await tab.page.evaluate(crooked, least), ...await tab.page.evaluate(faint)]);
    if (sentence === null) assert.deepEqual(found, []);
    else assert.ok(found.some((one) => sentence.test(one)), `${rule}: ${JSON.stringify(found)}`);
  }
}));
