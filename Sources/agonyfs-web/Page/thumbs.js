// Thumbnails: requested in batches, and kept as blobs while they are near the screen.
//
// 1. At most 60 thumbnails in a request, and two requests at a time; a request is cancelled if few of its thumbnails
//    are still wanted.
// 2. At most `kept` blobs are kept, and none after `clear`.

import * as api from './api.js';
import { onForget } from './session.js';

const batch = 60;
const atOnce = 2;
const all = new Set();

export class Thumbs {
  #addresses = new Map();
  #wanted = [];
  #asked = new Map();
  #requests = new Set();

  /** Calls `arrived(item, address)` for each; the address is '' if there is no thumbnail. */
  constructor(snapshot, size, kept, arrived) {
    Object.assign(this, { snapshot, size, kept, arrived });
    all.add(this);
  }

  /** The address of the blob, if it is loaded. */
  get(item) {
    const address = this.#addresses.get(item);
    if (address !== undefined) {
      this.#addresses.delete(item);
      this.#addresses.set(item, address);
    }
    return address;
  }

  /** Sets the wanted thumbnails, in the order of loading. */
  want(items) {
    this.#wanted = items.filter((item) => !this.#addresses.has(item));
    const wanted = new Set(this.#wanted);
    for (const request of this.#requests) {
      let left = 0;
      let useful = 0;
      for (const item of request.items) {
        if (this.#asked.get(item) !== request) continue;
        left += 1;
        if (wanted.has(item)) useful += 1;
      }
      if (useful * 4 < left || useful === 0) request.controller.abort();
    }
    this.#ask();
  }

  #ask() {
    while (this.#requests.size < atOnce) {
      const items = this.#wanted.filter((item) => !this.#asked.has(item) && !this.#addresses.has(item)).slice(0, batch);
      if (items.length === 0) return;
      // The first request is small, so that the screen fills quickly from the middle of attention.
      this.#request(this.#requests.size === 0 && items.length > 24 ? items.slice(0, 24) : items);
    }
  }

  async #request(items) {
    const request = { items, controller: new AbortController() };
    this.#requests.add(request);
    for (const item of items) this.#asked.set(item, request);
    let isWhole = true;
    try {
      await api.thumbs(this.snapshot.id, items, this.size, request.controller.signal, (item, bytes) => {
        if (this.#asked.get(item) !== request) return;
        this.#asked.delete(item);
        this.#keep(item, bytes.length ? URL.createObjectURL(new Blob([bytes], { type: 'image/jpeg' })) : '');
      });
      // A missing thumbnail is not requested again and again.
      for (const item of items) if (this.#asked.get(item) === request) this.#keep(item, '');
    } catch (error) {
      isWhole = error.name === 'AbortError';
    }
    this.#requests.delete(request);
    for (const item of items) if (this.#asked.get(item) === request) this.#asked.delete(item);
    if (isWhole) this.#ask();
    else setTimeout(() => this.#ask(), 2000);
  }

  #keep(item, address) {
    if (!all.has(this)) return URL.revokeObjectURL(address);
    this.#addresses.set(item, address);
    this.arrived(item, address);
    for (const [old, its] of this.#addresses) {
      if (this.#addresses.size <= this.kept) break;
      URL.revokeObjectURL(its);
      this.#addresses.delete(old);
    }
  }

  /** Whether all wanted thumbnails are loaded. */
  get isDone() { return this.#wanted.every((item) => this.#addresses.has(item)); }

  /** Cancels all requests and releases all blobs. */
  clear() {
    all.delete(this);
    this.#wanted = [];
    this.#asked.clear();
    for (const request of this.#requests) request.controller.abort();
    for (const address of this.#addresses.values()) URL.revokeObjectURL(address);
    this.#addresses.clear();
  }
}

onForget(() => { for (const thumbs of [...all]) thumbs.clear(); });
