// SPDX-License-Identifier: MIT
// What a browser keeps for the page: choices for its next visit, and what a tab has not sent for its next load. Where it keeps nothing (its storage
// is refused or full) that lasts as long as the page.

class Kept {
  #of;
  #here = new Map();

  constructor(of) {
    this.#of = of;
  }

  get(key) {
    if (this.#here.has(key)) return this.#here.get(key);
    try {
      return this.#of().getItem(key);
    } catch {
      return null;
    }
  }

  /** @param value null: nothing any more */
  set(key, value) {
    this.#here.delete(key);
    try {
      if (value === null) this.#of().removeItem(key);
      else this.#of().setItem(key, value);
    } catch {
      this.#here.set(key, value);
    }
  }
}

export const kept = new Kept(() => localStorage);
export const keptByTab = new Kept(() => sessionStorage);
