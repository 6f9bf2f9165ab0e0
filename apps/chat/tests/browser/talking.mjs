// SPDX-License-Identifier: MIT
// What people do: come, talk, go, come back.
import assert from 'node:assert/strict';
import { Person } from './harness.mjs';
import { browser, scene, test, trouble } from './scene.mjs';

test('a bad name is refused with a sentence, a good one comes in', () => scene(async ({ server }) => {
  const person = new Person(await browser.createBrowserContext(), server, 'nobody', trouble);
  const tab = await person.tab();
  await tab.page.waitForSelector('#door:not([hidden])');
  await tab.page.type('#login-name', '<img src=x>');
  await tab.page.click('#login [type=submit]');
  await tab.sees('the reason', () => /letters and digits/.test(document.querySelector('#login-error').textContent));
  await tab.screenshot('door');
  await tab.enter('Zoë');
  await tab.sees('the name', () => document.querySelector('#me').textContent.includes('Zoë'));
  await person.leave();
}));

test('a newcomer may type and join before the session is answered; that answer then disturbs nobody', () => scene(async ({ server }) => {
  const person = new Person(await browser.createBrowserContext(), server, 'early', trouble);
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  const tab = await person.tab({ before: async (page) => {
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      if (new URL(request.url()).pathname === '/me') await held;
      request.continue();
    });
  } });
  await tab.page.waitForSelector('#door:not([hidden])');
  await tab.page.keyboard.type('<b>\n'); // the field has the focus by itself
  await tab.sees('the reason', () => /letters and digits/.test(document.querySelector('#login-error').textContent));
  await tab.page.$eval('#login-name', (field) => field.select());
  await tab.page.keyboard.type('Early\n');
  await tab.isLive();
  const answered = tab.page.waitForResponse((response) => new URL(response.url()).pathname === '/me');
  release();
  await answered;
  await tab.page.evaluate(() => new Promise((resolve) => { setTimeout(resolve, 0); }));
  await tab.say('here I am');
  await tab.has('here I am');
  assert.equal(await tab.page.$eval('#door', (door) => door.hidden), true);
  await person.leave();
}));

test('a picture that is pasted, or dropped on the page, is refused with a sentence; the draft and the page stay', () => scene(async ({ come }) => {
  const { tab } = await come('Anna');
  const give = (name, type) => tab.page.evaluate((name, type) => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], 'x.png', { type: 'image/png' }));
    if (type !== undefined) data.setData(type, 'text as well');
    const event = name === 'paste' ? new ClipboardEvent(name, { clipboardData: data, bubbles: true, cancelable: true }) : new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true });
    document.querySelector(name === 'paste' ? '#text' : '#log').dispatchEvent(event);
    return [event.defaultPrevented, document.querySelector('#left').textContent];
  }, name, type);
  await tab.page.type('#text', 'draft');
  assert.deepEqual(await give('paste'), [true, 'Only text can be sent']);
  await tab.page.type('#text', ' goes on');
  assert.equal(await tab.page.$eval('#left', (left) => left.textContent), '');
  assert.deepEqual(await give('paste', 'text/plain'), [false, '']); // of a text processor, which brings a picture along
  assert.deepEqual(await give('dragover'), [true, '']);
  assert.deepEqual(await give('drop'), [true, 'Only text can be sent']);
  await tab.screenshot('only-text');
  await tab.page.keyboard.press('Enter');
  await tab.has('draft goes on');
}));

test('how much room is left is said in words, to who sees the page at once, to who hears it when the typing pauses', () => scene(async ({ come }) => {
  const { tab } = await come('Anna');
  const write = (length) => tab.page.evaluate((length) => {
    const field = document.querySelector('#text');
    field.value = 'x'.repeat(length);
    field.dispatchEvent(new Event('input'));
    return [document.querySelector('#left').textContent, field.getAttribute('aria-invalid'), document.querySelector('#send').disabled];
  }, length);
  const heard = (words) => tab.sees(`"${words}" to be heard`, (words) => document.querySelector('#left-said').textContent === words, words);
  const limit = 4000;
  assert.deepEqual(await write(limit - 300), ['', 'false', false]);
  assert.deepEqual(await write(limit - 299), ['299 characters left', 'false', false]);
  assert.deepEqual(await write(limit - 1), ['1 character left', 'false', false]);
  assert.deepEqual(await write(limit), ['0 characters left', 'false', false]);
  await heard('0 characters left');
  assert.deepEqual(await write(limit + 103), ['103 characters too long', 'true', true]);
  await heard('103 characters too long');
  await tab.screenshot('too-long');
  assert.deepEqual(await write(5), ['', 'false', false]);
  await heard('');
}));

/** A browser that refuses its storage to pages (all cookies and site data blocked), or has no room for more. */
const keepsNothing = (how) => (page) => page.evaluateOnNewDocument((how) => {
  const refuse = () => { throw new DOMException('not here', how === 'full' ? 'QuotaExceededError' : 'SecurityError'); };
  if (how === 'full') Storage.prototype.setItem = refuse;
  else for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: refuse });
}, how);

test('where the browser keeps nothing one comes in and talks, and choices last as long as the page', () => scene(async ({ come }) => {
  for (const [name, how] of [['Anna', 'refused'], ['Bela', 'full']]) {
    const { tab } = await come(name, { before: keepsNothing(how) });
    await tab.say(`${name} is here`);
    await tab.has(`${name} is here`);
    await tab.sees('it is sent', () => document.querySelector('.pending') === null);
    await tab.page.$eval('#settings [name=theme][value=dark]', (input) => input.click());
    await tab.sees('it is dark', () => document.documentElement.dataset.theme === 'dark');
  }
}));

test('two users, one with two tabs: each sees each message once, the sender in both tabs', () => scene(async ({ come }) => {
  const { person: anna, tab: one } = await come('Anna');
  const two = await anna.tab();
  await two.isLive();
  const { tab: ben } = await come('Ben');
  await one.sees('Ben in the list', () => document.querySelector('[data-talk="Ben"]') !== null);
  await one.say('hello');
  await ben.has('hello');
  await ben.say('hello yourself');
  await two.say('from my other tab');
  for (const tab of [one, two, ben]) {
    await tab.has('from my other tab');
    await tab.has('hello yourself');
    assert.deepEqual(await tab.texts(), ['hello', 'hello yourself', 'from my other tab']);
    await tab.sees('nothing pending', () => document.querySelector('.pending') === null);
  }
  assert.equal((await ben.notices()).join().match(/Anna/g)?.length ?? 0, 1, 'one notice for two tabs');
}));

test('whatever is typed is shown as text', () => scene(async ({ come }) => {
  const { tab: anna } = await come('Anna');
  const { tab: ben } = await come('Ben');
  const nasty = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>&lt;b&gt; javascript:alert(1) \u202Eevil';
  await anna.say(nasty);
  await ben.has(nasty.replace('\u202E', ''));
  assert.equal(await ben.page.evaluate(() => window.hacked), undefined);
  assert.equal(await ben.page.$('#log img, #log script, #log b'), null);
  const policy = (await ben.page.evaluate(async () => (await fetch('/')).headers.get('content-security-policy')));
  assert.match(policy, /default-src 'self'/);
}));

test('a direct message reaches the two and nobody else; unread is counted in list and title, and read on every tab', () => scene(async ({ come }) => {
  const { tab: anna } = await come('Anna');
  const { person: ben, tab: one } = await come('Ben');
  const two = await ben.tab();
  await two.isLive();
  const { tab: eve } = await come('Eve');
  await anna.open('Ben');
  await anna.say('for you alone');
  await anna.say('really');
  for (const tab of [one, two]) {
    await tab.badge('Anna', 2);
    await tab.title('(2) Tusk');
  }
  await one.page.bringToFront();
  await one.open('Anna');
  assert.deepEqual(await one.texts(), ['for you alone', 'really']);
  for (const tab of [one, two]) {
    await tab.badge('Anna', 0);
    await tab.title('Tusk');
  }
  // Something that Eve does see, sent after it, proves that the other did not come.
  await anna.open('all');
  await anna.say('for everybody');
  await eve.has('for everybody');
  assert.equal(await eve.page.$('[data-talk="Anna"] .badge'), null);
  assert.deepEqual(await eve.texts(), ['for everybody']);
}));

test('an event stream and a WebSocket show the same room live', () => scene(async ({ come }) => {
  const { tab: stream } = await come('Anna', { transport: 'sse' });
  const { tab: socket } = await come('Ben', { transport: 'ws' });
  await stream.isLive('sse');
  await socket.isLive('ws');
  const said = [];
  for (let i = 0; i < 10; i++) {
    const tab = i % 2 === 0 ? stream : socket;
    await tab.say(`number ${i}`);
    said.push(`number ${i}`);
    for (const each of [stream, socket]) await each.has(`number ${i}`);
  }
  for (const tab of [stream, socket]) assert.deepEqual(await tab.texts(), said);
  await stream.choose('ws');
  await socket.choose('sse');
  await socket.say('the other way round');
  await stream.has('the other way round');
  await stream.say('and back');
  await socket.has('and back');
  for (const tab of [stream, socket]) assert.deepEqual(await tab.texts(), [...said, 'the other way round', 'and back']);
}));

test('a name in use is not given to a browser elsewhere, and a name that looks like it to nobody', () => scene(async ({ server, come }) => {
  const { tab: anna } = await come('Anna');
  const elsewhere = new Person(await browser.createBrowserContext(), server, 'elsewhere', trouble);
  const other = await elsewhere.tab();
  // A proxy that the server trusts says where somebody is; ours is the browser itself.
  await other.page.setExtraHTTPHeaders({ 'X-Forwarded-For': '198.51.100.7' });
  const tryAs = async (name, reason) => {
    await other.page.waitForSelector('#door:not([hidden])');
    await other.page.$eval('#login-name', (field) => { field.value = ''; });
    await other.page.type('#login-name', name);
    await other.page.click('#login [type=submit]');
    await other.sees(String(reason), (source) => new RegExp(source).test(document.querySelector('#login-error').textContent), reason);
  };
  await tryAs('anna', '"Anna" is in use');
  await other.screenshot('in-use');
  await tryAs('\u0430nn\u0430', 'one alphabet');
  await tryAs('\u0410\u043d\u043da', 'one alphabet');
  await anna.say('undisturbed');
  await anna.has('undisturbed');
  await elsewhere.leave();
}, '--trust=127.0.0.1'));

test('typing is told to those whom it concerns, and ends with the message', () => scene(async ({ come }) => {
  const { tab: anna } = await come('Anna', { transport: 'ws' });
  const { tab: ben } = await come('Ben', { transport: 'sse' });
  await anna.page.bringToFront();
  await anna.page.type('#text', 'well');
  await ben.sees('Anna is typing', () => document.querySelector('#typing').textContent === 'Anna is typing');
  await anna.page.keyboard.press('Enter');
  await ben.has('well');
  await ben.sees('nobody is typing', () => document.querySelector('#typing').textContent === '');
}));

test('a message to somebody who is away is kept and delivered on return, marked with its time', () => scene(async ({ server, come }) => {
  const { tab: anna } = await come('Anna');
  const { person: ben, tab } = await come('Ben');
  await anna.sees('Ben is here', () => document.querySelector('[data-talk="Ben"] [data-online=true]') !== null);
  await anna.open('Ben');
  await tab.page.close();
  await anna.sees('Ben is away', () => /Away/.test(document.querySelector('#subtitle').textContent));
  await anna.say('read this later');
  await anna.sees('it is stored', () => document.querySelector('.row') !== null && document.querySelector('.pending') === null);
  await server.kill();
  await server.start();

  const back = await ben.tab();
  await back.isLive();
  await back.badge('Anna', 1);
  await back.title('(1) Tusk');
  await back.open('Anna');
  assert.deepEqual(await back.texts(), ['read this later']);
  await back.sees('the mark', () => /^Sent .*\d.*, while you were away$/.test(document.querySelector('.kept')?.textContent ?? ''));
  await back.badge('Anna', 0);
  await back.screenshot('kept');
}));

test('a reload is neither leaving nor coming', () => scene(async ({ come }) => {
  const { tab: anna } = await come('Anna');
  const { tab } = await come('Ben');
  await anna.sees('Ben joined', () => /Ben/.test(document.querySelector('.notice')?.textContent ?? ''));
  for (let i = 0; i < 5; i++) {
    await tab.page.reload();
    await tab.isLive();
  }
  await tab.say('still me');
  await anna.has('still me');
  assert.doesNotMatch((await anna.notices()).join(), /left/, 'nobody left');
  assert.equal((await anna.notices()).join().match(/Ben/g).length, 1, 'nobody came twice');
}, '--grace=60'));

test('a server that is killed and started again loses nothing and doubles nothing, on either transport', () => scene(async ({ server, come }) => {
  const { tab: anna } = await come('Anna', { transport: 'sse' });
  const { tab: ben } = await come('Ben', { transport: 'ws' });
  const said = [];
  const say = async (tab, text) => { said.push(text); await tab.say(text); };
  for (let round = 0; round < 3; round++) {
    await say(anna, `before ${round}`);
    await ben.has(`before ${round}`);
    await server.kill();
    for (const tab of [anna, ben]) {
      await tab.sees('a quiet state', () => ['waiting', 'connecting'].includes(document.querySelector('#state').dataset.state));
    }
    await say(anna, `meanwhile ${round}`);
    await anna.sees('it waits', () => document.querySelector('.pending') !== null);
    if (round === 0) await anna.screenshot('reconnecting');
    await server.start();
    for (const tab of [anna, ben]) {
      await tab.isLive();
      await tab.has(`meanwhile ${round}`);
    }
    await anna.sees('nothing waits', () => document.querySelector('.pending') === null);
  }
  for (const tab of [anna, ben]) {
    assert.deepEqual(await tab.texts(), said);
    assert.doesNotMatch((await tab.notices()).join(), /left/, 'a restart is no leaving');
  }
}, '--grace=60'));

test('over https and wss a browser talks, is cut off and resumes, by either transport', () => scene(async ({ server, come }) => {
  const { tab: anna } = await come('Anna', { transport: 'sse' });
  const { tab: ben } = await come('Ben', { transport: 'ws' });
  await anna.isLive('sse');
  await ben.isLive('ws');
  assert.deepEqual(await ben.page.evaluate(() => [location.protocol, isSecureContext, document.cookie]), ['https:', true, ''], 'the cookie is not for scripts');
  const [cookie] = await ben.page.cookies();
  assert.deepEqual([cookie.secure, cookie.httpOnly, cookie.sameSite], [true, true, 'Lax']);
  await anna.say('by stream');
  await ben.has('by stream');
  await ben.say('by socket');
  await anna.has('by socket');
  await server.kill();
  await anna.say('meanwhile');
  await server.start();
  for (const tab of [anna, ben]) {
    await tab.isLive();
    await tab.has('meanwhile');
    assert.deepEqual(await tab.texts(), ['by stream', 'by socket', 'meanwhile']);
  }
}, 'tls', '--grace=60'));

test('what others said while the page was away from the server comes once', () => scene(async ({ server, come }) => {
  const { tab: anna } = await come('Anna', { transport: 'sse' });
  const { tab: ben } = await come('Ben', { transport: 'ws' });
  const script = await server.script('robot');
  await script.say('all', 'one');
  for (const tab of [anna, ben]) {
    await tab.has('one');
    await tab.page.setOfflineMode(true);
    // Emulation leaves open connections alone: the page hears of it as of a real loss, by the event, and reopens when it is back.
    await tab.sees('offline', () => document.querySelector('#state').dataset.state === 'offline');
  }
  await script.say('all', 'two');
  await script.say('all', 'three');
  for (const tab of [anna, ben]) await tab.page.setOfflineMode(false);
  await script.say('all', 'four');
  for (const tab of [anna, ben]) {
    await tab.isLive();
    await tab.has('four');
    assert.deepEqual(await tab.texts(), ['one', 'two', 'three', 'four']);
  }
}));

test('history comes while scrolling up, and the place does not jump', () => scene(async ({ server, come }) => {
  const script = await server.script('robot');
  for (let i = 1; i <= 170; i++) await script.say('all', `line ${i}`);
  const { tab } = await come('Anna');
  await tab.has('line 170');
  assert.ok((await tab.texts()).length < 100, 'not everything at once');
  await tab.page.bringToFront();
  // Scrolling and looking are one step of the page's: between two of the test's, older lines may have come already.
  const place = (top = null) => tab.page.evaluate((top) => {
    const scroll = document.querySelector('#scroll');
    if (top !== null) scroll.scrollTop = top;
    const edge = scroll.getBoundingClientRect().top;
    const row = [...document.querySelectorAll('.row')].find((one) => one.getBoundingClientRect().bottom > edge + 1);
    return { text: row.querySelector('.bubble').textContent, offset: Math.round(row.getBoundingClientRect().top - edge), count: document.querySelectorAll('.row').length };
  }, top);
  const before = await place(300);
  await tab.sees('older lines', (count) => document.querySelectorAll('.row').length > count, before.count);
  const after = await place();
  assert.equal(after.text, before.text);
  assert.ok(Math.abs(after.offset - before.offset) <= 2, `${JSON.stringify(before)} ${JSON.stringify(after)}`);
  await tab.sees('the way down', () => !document.querySelector('#jump').hidden);
  await script.say('all', 'news');
  await tab.sees('news are counted', () => document.querySelector('#jump').textContent === '1 new');
  const gap = () => tab.page.evaluate(() => document.querySelector('#text').getBoundingClientRect().top - document.querySelector('#jump').getBoundingClientRect().bottom);
  const one = await gap();
  await tab.page.$eval('#text', (field) => { field.value = 'a\nlong\ntext\nof\nsix\nlines'; field.dispatchEvent(new Event('input')); });
  await tab.sees('the field has grown', () => document.querySelector('#text').offsetHeight > 100);
  assert.ok(one >= 0 && await gap() === one, `the way down keeps its distance from the field: ${one}, ${await gap()}`);
  await tab.page.$eval('#text', (field) => { field.value = ''; field.dispatchEvent(new Event('input')); });
  for (let i = 0; i < 6; i++) {
    const texts = await tab.texts();
    if (texts[0] === 'line 1') break;
    const count = texts.length;
    await tab.page.evaluate(() => { document.querySelector('#scroll').scrollTop = 0; });
    await tab.sees('more or the beginning', (count) => document.querySelectorAll('.row').length > count || document.querySelector('#older').textContent !== '', count);
  }
  assert.deepEqual(await tab.texts(), [...Array.from({ length: 170 }, (_, i) => `line ${i + 1}`), 'news']);
  await tab.page.click('#jump');
  await tab.sees('the end', () => document.querySelector('#jump').hidden);
}));

test('who has scrolled up stays there, also when something is drawn before the page hears of it', () => scene(async ({ server, come }) => {
  const script = await server.script('robot');
  for (let i = 1; i <= 60; i++) await script.say('all', `line ${i}`);
  const { tab } = await come('Anna');
  await tab.has('line 60');
  await tab.page.evaluate(() => {
    const scroll = document.querySelector('#scroll');
    // The event of a scrolling comes with the next frame, a drawing may come before: here it surely does.
    window.late = (event) => event.stopImmediatePropagation();
    addEventListener('scroll', window.late, true);
    scroll.scrollTop -= 500;
    window.place = scroll.scrollTop;
    dispatchEvent(new Event('offline'));
  });
  await tab.sees('it is drawn', () => document.querySelector('#subtitle').textContent === 'Waiting for the connection');
  assert.equal(await tab.page.evaluate(() => document.querySelector('#scroll').scrollTop - window.place), 0, 'the place has jumped');
  await tab.page.evaluate(() => {
    removeEventListener('scroll', window.late, true);
    document.querySelector('#scroll').dispatchEvent(new Event('scroll'));
  });
  await tab.sees('the way down', () => !document.querySelector('#jump').hidden);
  await tab.page.evaluate(() => dispatchEvent(new Event('online')));
  await tab.isLive();
  await script.say('all', 'news');
  await tab.sees('news are counted', () => document.querySelector('#jump').textContent === '1 new');
}));

test('older lines and news that are drawn at once leave the place where it is', () => scene(async ({ server, come }) => {
  const script = await server.script('robot');
  for (let i = 1; i <= 120; i++) await script.say('all', `line ${i}`);
  const { tab } = await come('Anna', {
    before: (page) => page.evaluateOnNewDocument(() => {
      // Drawings wait while `held` is a list; what events say is known before it is drawn.
      window.held = null;
      window.heard = '';
      window.pending = 0;
      const { setTimeout, JSON, performance } = window;
      const [parse, now] = [JSON.parse, performance.now.bind(performance)];
      window.setTimeout = (body, ms, ...rest) => {
        if (Number.isNaN(ms)) return window.held.push(body);
        if (!(ms <= 50)) return setTimeout(body, ms, ...rest);
        window.pending++;
        return setTimeout(() => { window.pending--; body(...rest); }, ms);
      };
      performance.now = () => (window.held === null ? now() : NaN); // how long a drawing is to wait is not known then
      const { json } = Response.prototype;
      Response.prototype.json = async function () {
        const value = await json.call(this);
        window.heard += this.url;
        return value;
      };
      JSON.parse = (text, ...rest) => { window.heard += text; return parse(text, ...rest); };
    }),
  });
  await tab.has('line 120');
  const place = () => tab.page.evaluate(() => {
    const edge = document.querySelector('#scroll').getBoundingClientRect().top;
    const row = [...document.querySelectorAll('.row')].find((one) => one.getBoundingClientRect().bottom > edge + 1);
    return `${row.querySelector('.bubble').textContent} ${Math.round(row.getBoundingClientRect().top - edge)}`;
  });
  await tab.sees('a moment without a drawing', () => {
    if (window.pending > 0) return false;
    window.held = [];
    window.heard = '';
    document.querySelector('#scroll').scrollTop = 300;
    return true;
  });
  const before = await place();
  await script.say('all', 'news');
  await tab.sees('both have come', () => window.heard.includes('"news"') && /history\?.*before=/.test(window.heard));
  const drawings = await tab.page.evaluate(() => {
    const held = window.held;
    window.held = null;
    held.forEach((draw) => draw());
    return held.length;
  });
  assert.equal(drawings, 1);
  assert.ok((await tab.texts()).length > 100, 'older lines are there');
  assert.equal((await tab.texts()).at(-1), 'news');
  assert.equal(await place(), before);
}));

test('who types faster than the limit waits, and all of it arrives once and in order; what is refused says why', () => scene(async ({ come }) => {
  const { tab: anna } = await come('Anna');
  const { tab: ben } = await come('Ben', { transport: 'ws' });
  const said = Array.from({ length: 25 }, (_, i) => `quick ${i}`);
  for (const text of said) await anna.say(text);
  await ben.has('quick 24');
  await anna.sees('nothing waits', () => document.querySelector('.pending') === null);
  for (const tab of [anna, ben]) assert.deepEqual(await tab.texts(), said);

  // The page would not let an empty text through; a character that no page shows is nothing, too.
  await ben.say('\u0001');
  await ben.sees('the reason', () => /nothing in this message/.test(document.querySelector('.failed .note')?.textContent ?? ''));
  await ben.page.$$eval('.failed .note button', (buttons) => buttons.find((button) => button.textContent === 'Discard').click());
  await ben.sees('it is gone', () => document.querySelector('.failed') === null);
}, '--rate=3'));

test('rooms are made, joined, talked in and left', () => scene(async ({ server, come }) => {
  const { tab: anna } = await come('Anna');
  const { tab: ben } = await come('Ben', { transport: 'ws' });
  await anna.page.bringToFront();
  await anna.page.click('#add-room');
  await anna.page.type('#room-name', 'tea');
  await anna.page.keyboard.press('Enter');
  await anna.sees('the room', () => document.querySelector('#title').textContent === 'tea');
  await ben.page.bringToFront();
  await ben.page.click('#add-room');
  await ben.page.waitForSelector('#room-list button');
  await ben.page.$eval('#room-list button', (button) => button.click());
  await ben.sees('the room', () => document.querySelector('#title').textContent === 'tea');
  await ben.say('is there any left?');
  await anna.has('is there any left?');
  const { say } = await server.script('outsider');
  await assert.rejects(say('#tea', 'let me in'), /403 Join #tea first/);
  await ben.page.bringToFront();
  await ben.page.click('#leave');
  await ben.sees('everyone', () => document.querySelector('#title').textContent === 'Everyone' && document.querySelector('[data-talk="#tea"]') === null);
}));

test('a name can be protected; a log-out ends all tabs of that browser and no other', () => scene(async ({ server, come }) => {
  const { person: anna, tab } = await come('Anna');
  const { tab: phone } = await come('Anna', { phone: true });
  const second = await anna.tab();
  await second.isLive();
  await tab.page.bringToFront();
  await tab.page.click('#me');
  assert.equal(await tab.page.$eval('#protect [autocomplete=username]', (field) => field.value), 'Anna'); // a browser that keeps the password keeps whose it is
  await tab.page.type('#protect-new', 'correct horse');
  await tab.page.$eval('#protect', (form) => form.requestSubmit());
  await tab.sees('done', () => /From now on/.test(document.querySelector('#protect-note').textContent));
  await phone.sees('the door', () => !document.querySelector('#door').hidden);
  await second.isLive();
  await phone.page.$eval('#login [type=submit]', (button) => button.click());
  await phone.sees('a question for the password', () => document.querySelector('#login-more').open && /protected/.test(document.querySelector('#login-error').textContent));
  await phone.enter('Anna', 'correct horse');
  await tab.page.bringToFront();
  await tab.page.click('#logout');
  for (const each of [tab, second]) await each.sees('the door', () => !document.querySelector('#door').hidden);
  await phone.isLive();
}));
