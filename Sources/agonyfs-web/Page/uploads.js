// Uploads files, three at a time, and shows the progress.
//
// 1. "Safe to delete" is shown only if the server verified every file, including those that were tried again.
// 2. During an upload the screen stays on and the page is not locked; nor while the user chooses files, during which
//    phones hide the page. Without a connection, the page is locked when nothing was sent for the idle time.
// 3. The list shows at most 60 files, and all failed ones.
// 4. A file goes to the album that was shown or chosen when it was added, even if it is tried again. The same holds for
//    the option to skip files that another album has.
// 5. An upload belongs to one batch, and batches do not affect each other: the rest of a cancelled batch changes
//    nothing of the next.
// 6. Failed files stay counted, and can be tried again, until the user closes the panel. Then the server drops their
//    received bytes, which take room in the space.

import { chooseAlbum } from './album-picker.js';
import { positions } from './api.js';
import { choose } from './dialogs.js';
import { make, plain } from './dom.js';
import { FileQueue, entriesOf } from './files.js';
import * as format from './format.js';
import { keepOpenWhile, readOnly, sign } from './session.js';
import { texts } from './texts.js';
import { Transfer, giveUp } from './tus.js';
import { UploadPanel } from './upload-panel.js';

const atOnce = 3;
// The most queries for positions without progress, and the pause between them in milliseconds.
const mostTries = 10;
const pause = 2000;

/** The files from the first chosen one until nothing is left to send, or until the user cancels. */
class Batch {
  stop = new AbortController();
  isOver = false;
  isCancelled = false;
  running = 0;
  /** Files taken from the queue and not verified: they are being sent, or failed. */
  left = new Set();
  /** The bytes of all opened files, and the bytes of them that the server has. */
  whole = 0;
  bytes = 0;

  /** `before` is the previous batch, whose unverified files wait until they are tried again. */
  constructor(before) {
    this.before = before;
    this.queue = new FileQueue();
    /** The number of verified files, how many of them the space had already, and their paths. */
    this.done = before?.done ?? 0;
    this.there = before?.there ?? 0;
    this.paths = [...before?.paths ?? []];
    /** The number of opened files. */
    this.taken = this.done;
  }

  /** Takes over the waiting files of all previous batches. */
  takeAll() {
    for (let { before } = this; before; { before } = before) {
      const left = new FileQueue();
      for (const next of before.left) left.add(next);
      this.queue.follow(before.queue);
      this.queue.follow(left);
    }
    this.before = null;
  }

  /** The addresses of incomplete uploads. */
  get places() {
    return [...this.left].map((next) => next.place).filter(Boolean).concat(this.before?.places ?? []);
  }

  /** The number of known files. */
  get all() { return this.done + this.unverified; }

  /** The number of known files that are not verified. */
  get unverified() { return this.left.size + this.queue.waiting + (this.before?.unverified ?? 0); }

  /** Whether all files were verified. */
  get isAll() { return this.left.size === 0 && this.queue.isEmpty && (this.before?.isAll ?? true); }

  /** The finished part, assuming that unopened files have the average size of the opened ones. */
  get part() {
    const all = Math.max(1, this.all);
    return this.whole > 0 ? (this.bytes / this.whole) * (this.taken / all) : this.done / all;
  }
}

export class Uploads {
  #batch = null;
  #lock = null;
  /** When bytes were sent last, and when the user began to choose files. */
  #lastSent = 0;
  #choosing = -Infinity;
  /** The last choice of the option to skip files that another album has. */
  #isOnce = false;
  listening = new AbortController();

  /** `album()` is the current album; `changed()` is called when files were added. */
  constructor({ album, changed }) {
    Object.assign(this, { album, changed });
    this.panel = new UploadPanel(() => this.cancel(), () => this.again(), () => this.#closed());
    this.inputs = { media: this.#input({ accept: 'image/*,video/*' }), originals: this.#input({}),
      folder: this.#input({ webkitdirectory: true }) };
    this.cover = make('div', { class: 'drop', hidden: true, text: texts.dropHere });
    this.element = make('div', { class: 'uploads' }, this.panel.element, this.cover, ...Object.values(this.inputs));
    keepOpenWhile(() => Math.max(this.#isBusy ? this.#lastSent : -Infinity, this.#choosing));
    const { signal } = this.listening;
    addEventListener('dragover', (event) => this.#over(event), { signal });
    addEventListener('dragleave', (event) => event.relatedTarget || (this.cover.hidden = true), { signal });
    addEventListener('drop', (event) => this.#dropped(event), { signal });
    addEventListener('beforeunload', (event) => this.#isBusy && event.preventDefault(), { signal });
    document.addEventListener('visibilitychange', () => this.#isBusy && this.#stayAwake(), { signal });
  }

  get #isBusy() { return this.#batch !== null && !this.#batch.isOver; }

  #input(facts) {
    const input = make('input', { type: 'file', multiple: true, hidden: true, 'aria-hidden': 'true', tabIndex: -1,
      ...facts });
    input.addEventListener('cancel', () => { this.#choosing = -Infinity; });
    input.addEventListener('change', () => {
      this.#choosing = -Infinity;
      this.#begin((queue) => queue.addFiles(input.files, input.album ?? '', this.#isOnce));
      input.value = '';
    });
    return input;
  }

  /** Asks for the files to upload, and for the album. */
  async choose(album = this.album()) {
    const chosen = await choose(album?.path ? texts.uploadTo(plain(album.name)) : texts.upload, [
      { name: texts.uploadMedia, value: 'media', drawing: 'photos' },
      { name: texts.uploadOriginals, value: 'originals', drawing: 'upload' },
      { name: texts.uploadFolder, value: 'folder', drawing: 'album' },
      { name: texts.otherAlbum, value: 'album', drawing: 'more' },
      { name: texts.onlyOnce, value: 'once', drawing: 'group', isChosen: this.#isOnce }]);
    if (chosen === 'album') {
      const other = await chooseAlbum(texts.uploadWhere, true);
      if (other) this.choose(other);
    } else if (chosen === 'once') {
      this.#isOnce = !this.#isOnce;
      this.choose(album);
    } else if (chosen) {
      this.inputs[chosen].album = album?.path;
      this.#choosing = Date.now();
      this.inputs[chosen].click();
    }
  }

  #over(event) {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    if (readOnly()) event.dataTransfer.dropEffect = 'none';
    else this.cover.hidden = false;
  }

  #dropped(event) {
    this.cover.hidden = true;
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    if (readOnly()) return;
    const entries = entriesOf(event.dataTransfer);
    this.#begin((queue) => queue.addEntries(entries, this.album()?.path ?? '', this.#isOnce));
  }

  // The last batch with failed files that the user did not cancel.
  get #failed() {
    let batch = this.#batch;
    while (batch?.isCancelled) batch = batch.before;
    return batch?.isAll ? undefined : batch;
  }

  // Adds files to the current batch, or begins a new one.
  #begin(add, before = this.#failed) {
    if (!this.#isBusy) {
      this.#batch?.stop.abort();
      this.#batch = new Batch(before);
      this.panel.begin();
    }
    const batch = this.#batch;
    add(batch.queue, batch);
    this.#lastSent = Date.now();
    sign();
    this.#stayAwake();
    while (batch.running < atOnce) this.#run(batch);
  }

  async #run(batch) {
    batch.running += 1;
    const { queue, stop: { signal } } = batch;
    for (let next = await queue.next(signal); next; next = await queue.next(signal)) await this.#send(next, batch);
    batch.running -= 1;
    if (batch.running === 0 && !batch.isOver) this.#finish(batch);
  }

  async #send(next, batch) {
    const { signal } = batch.stop;
    batch.left.add(next);
    let entry;
    let transfer;
    try {
      const file = await next.file();
      if (batch.isOver) return undefined;
      batch.taken += 1;
      batch.whole += file.size;
      entry = this.panel.entry(plain(next.path || file.name), file.size);
      const facts = { filename: file.name, album: next.album, modified: file.lastModified,
        relativePath: next.path, ...(next.isOnce ? { skipDuplicates: 1 } : {}) };
      let sent = 0;
      transfer = new Transfer(file, facts, {
        progress: (bytes) => {
          batch.bytes += bytes - sent;
          sent = bytes;
          this.#lastSent = Date.now();
          entry.progress(file.size === 0 ? 1 : bytes / file.size);
          this.#summary(batch);
        },
        waiting: (isWaiting) => entry.waiting(isWaiting),
      }, next.place);
      const { name, path, there } = await transfer.run(signal);
      batch.left.delete(next);
      batch.done += 1;
      if (path) batch.paths.push(path);
      if (there) batch.there += 1;
      if (there) entry.done(texts.wasThere(plain(there)));
      else entry.done(name && name.split('/').pop() !== file.name ? texts.savedAs(plain(name)) : texts.verified);
    } catch (problem) {
      next.place = transfer?.place;
      if (batch.isOver) return entry?.stopped();
      const text = problem.status === undefined ? texts.fileUnreadable : problem.message;
      (entry ?? this.panel.entry(plain(next.path) || '…', 0)).failed(text);
    }
    return this.#summary(batch);
  }

  #summary(batch) {
    if (batch.isOver) return;
    this.panel.summary(texts.uploading(batch.done, batch.all, format.size(batch.bytes)), batch.part);
  }

  #finish(batch) {
    batch.isOver = true;
    this.#lock?.release();
    const { all, done, isAll, unverified } = batch;
    if (all === 0) return this.panel.finish(texts.nothingToSend, false, true);
    this.panel.finish(isAll ? texts.allVerified(done, batch.there) : texts.someFailed(done, unverified), isAll, isAll);
    sign();
    if (done > 0) this.changed();
    return this.#tellPositions(batch);
  }

  // The server examines new files a little later, so their positions are queried repeatedly. The upload does not depend
  // on it.
  async #tellPositions({ paths, stop: { signal } }) {
    let left = paths;
    let all = 0;
    for (let tries = 0; left.length > 0 && tries < mostTries && !signal.aborted; tries += 1) {
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      try {
        const { missing, pending } = await positions(left, signal);
        if (signal.aborted) return;
        all += missing;
        if (all > 0) this.panel.note(texts.positionMissing(all));
        if (pending.length < left.length) tries = 0;
        left = pending;
      } catch {
        // A failed request, as without a connection, is repeated as well.
      }
    }
    // Shows the photos that are known by now, even if some are missing.
    if (paths.length > 0 && !signal.aborted) this.changed();
  }

  async #stayAwake() {
    if (this.#lock && !this.#lock.released) return;
    const lock = await navigator.wakeLock?.request('screen').catch(() => null);
    // The upload may have ended, or two requests may have been made at once.
    if (!this.#isBusy || (this.#lock && !this.#lock.released)) lock?.release();
    else this.#lock = lock;
  }

  /** Sends failed and cancelled files again. */
  again() {
    this.panel.clear();
    this.#begin((queue, batch) => batch.takeAll(), this.#batch);
  }

  // The user closed the panel, and does not want to try failed files again.
  #closed() {
    const places = this.#batch?.places ?? [];
    this.#forget();
    // If this fails, the server drops the upload after some days.
    for (const place of places) giveUp(place).catch(() => {});
  }

  #forget() {
    this.#end();
    this.#batch = null;
  }

  cancel() {
    const batch = this.#batch;
    batch.isCancelled = true;
    this.#end();
    this.panel.finish(texts.cancelled(batch.done), false, batch.isAll);
    if (batch.done > 0) this.changed();
  }

  #end() {
    if (this.#batch === null) return;
    this.#batch.isOver = true;
    this.#batch.stop.abort();
    this.#lock?.release();
  }

  /** Ends all uploads. Returns a message about files that were not sent. */
  close() {
    const batch = this.#batch;
    const left = batch && !batch.isAll && !batch.isCancelled ? texts.interrupted(batch.done, batch.unverified) : '';
    this.#forget();
    this.panel.clear();
    this.listening.abort();
    return left;
  }
}
