// SPDX-License-Identifier: MIT
// The field where one writes: grows with the text, keeps a draft per talk, tells others that one types.
import { $, icon } from './dom.js';

const TYPING_EVERY_MS = 2500;
const SAY_AFTER_MS = 800;

const isFile = (data) => data?.types.includes('Files') ?? false;

const characters = (count) => `${count} character${count === 1 ? '' : 's'}`;
const room = (left) => (left < 0 ? `${characters(-left)} too long` : `${characters(left)} left`);

export class Composer {
  #drafts = new Map();
  #saying;
  #typedAt = 0;
  #talk = 'all';

  /** @param on {send(text), typing()} */
  constructor(store, on) {
    this.store = store;
    this.on = on;
    this.field = $('text');
    $('send').append(icon('send'));
    // The field keeps the focus, and so a phone its keyboard: nothing jumps.
    $('send').addEventListener('pointerdown', (event) => event.preventDefault());
    $('composer').addEventListener('submit', (event) => { event.preventDefault(); this.#submit(); });
    this.field.addEventListener('keydown', (event) => {
      // On a phone the return key makes a line; there is a button beside it.
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && !matchMedia('(pointer: coarse)').matches) {
        event.preventDefault();
        this.#submit();
      }
    });
    this.field.addEventListener('input', () => this.#typed());
    this.field.addEventListener('paste', (event) => {
      if (isFile(event.clipboardData) && !event.clipboardData.types.includes('text/plain')) this.#refuse(event);
    });
    // A browser would show the file in place of this page.
    document.addEventListener('dragover', (event) => isFile(event.dataTransfer) && event.preventDefault());
    document.addEventListener('drop', (event) => isFile(event.dataTransfer) && this.#refuse(event));
    this.#size();
  }

  open(name, label) {
    this.#drafts.set(this.#talk, this.field.value);
    this.#talk = name;
    this.#typedAt = 0;
    this.field.value = this.#drafts.get(name) ?? '';
    this.field.placeholder = `Message ${label}`;
    this.#size();
    if (!matchMedia('(pointer: coarse)').matches) this.field.focus();
  }

  clear() {
    this.#drafts.clear();
    this.field.value = '';
    this.#size();
  }

  #submit() {
    const text = this.field.value.trim();
    if (text === '' || [...text].length > this.store.limits.text) return;
    this.field.value = '';
    this.#typedAt = 0;
    this.#size();
    this.on.send(text);
  }

  /** Until something is typed. */
  #refuse(event) {
    event.preventDefault();
    this.#tell('Only text can be sent', 0);
  }

  #typed() {
    this.#size();
    if (this.field.value.trim() !== '' && Date.now() - this.#typedAt > TYPING_EVERY_MS) {
      this.#typedAt = Date.now();
      this.on.typing();
    }
  }

  #size() {
    this.field.style.height = 'auto';
    this.field.style.height = `${Math.min(190, this.field.scrollHeight + 2)}px`;
    const left = this.store.limits.text - [...this.field.value].length;
    this.#tell(left < 300 ? room(left) : '', SAY_AFTER_MS);
    $('left').classList.toggle('over', left < 0);
    this.field.setAttribute('aria-invalid', String(left < 0));
    $('send').disabled = this.field.value.trim() === '' || left < 0;
  }

  /** Below the field at once; to who hears the page when the typing pauses, as each key would be a sentence. */
  #tell(words, afterMs) {
    $('left').textContent = words;
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => { $('left-said').textContent = words; }, words === '' ? 0 : afterMs);
  }
}
