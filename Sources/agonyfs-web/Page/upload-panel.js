// The panel that shows an upload.

import { button, make } from './dom.js';
import * as format from './format.js';
import { texts } from './texts.js';

const most = 60;
// Failed files are removed from the list last, because their originals must be kept.
const mostFailed = 1000;

export class UploadPanel {
  /** `closed()` is called when the user closes the panel. */
  constructor(cancel, again, closed) {
    this.title = make('p', { class: 'summary', role: 'status' });
    this.bar = make('progress', { max: 1, value: 0, 'aria-label': texts.upload });
    this.notes = make('div', { class: 'notes', role: 'status' });
    this.list = make('ul', { class: 'files', tabIndex: 0, 'aria-label': texts.files });
    this.stop = button('close', texts.cancel, () => {
      if (this.isRunning) return cancel();
      this.element.hidden = true;
      return closed();
    });
    this.again = make('button', { type: 'button', class: 'button', text: texts.tryAgain, hidden: true, onclick: again });
    this.element = make('aside', { class: 'upload-panel', 'aria-label': texts.upload, hidden: true },
      make('header', {}, this.title, this.stop), this.bar, this.notes, this.again, this.list);
  }

  begin() {
    this.isRunning = true;
    this.element.className = 'upload-panel';
    this.element.hidden = false;
    this.again.hidden = true;
    this.notes.replaceChildren();
    for (const line of this.list.querySelectorAll('.done')) line.remove();
    this.summary(texts.uploadBegins, 0);
    this.#name(texts.cancel);
  }

  #name(name) {
    this.stop.title = name;
    this.stop.setAttribute('aria-label', name);
  }

  summary(text, part) {
    if (!this.isRunning) return;
    this.title.textContent = text;
    this.bar.value = Math.min(1, part);
  }

  /** `isAll`: no file is left that could be tried again. */
  finish(text, isGood, isAll) {
    this.isRunning = false;
    this.title.textContent = text;
    this.bar.value = isGood ? 1 : this.bar.value;
    this.element.classList.add(isGood ? 'good' : 'bad');
    this.again.hidden = isAll;
    this.#name(texts.close);
  }

  /** Shows a fact that is known only later. A screen reader reads each text once. */
  note(text) {
    if (this.notes.textContent !== text) this.notes.replaceChildren(make('p', { text }));
  }

  /** Removes all names. */
  clear() {
    this.title.textContent = '';
    this.notes.replaceChildren();
    this.list.replaceChildren();
  }

  /** Adds a line for a file. If there are too many, the oldest successful ones are removed. */
  entry(name, size) {
    const said = make('span', { class: 'state', text: format.size(size) });
    const bar = make('span', { class: 'part' });
    const line = make('li', {}, make('bdi', { text: name }), said, bar);
    this.list.prepend(line);
    const failed = this.list.querySelectorAll('.failed');
    for (let at = mostFailed; at < failed.length; at += 1) failed[at].remove();
    while (this.list.childElementCount > most + Math.min(failed.length, mostFailed)) {
      const oldest = [...this.list.children].reverse();
      (oldest.find((each) => each.classList.contains('done')) ?? oldest.find((each) => !each.classList.contains('failed')))
        .remove();
    }
    const end = (kind, text) => {
      line.className = kind;
      said.textContent = text;
      bar.remove();
    };
    return {
      progress: (part) => { bar.style.width = `${part * 100}%`; },
      waiting: (isWaiting) => { said.textContent = isWaiting ? texts.waitingForConnection : format.size(size); },
      done: (text) => end('done', text),
      failed: (text) => end('failed', text),
      stopped: () => end('stopped', texts.stopped),
    };
  }
}
