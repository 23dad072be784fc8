// Files that are neither photos nor videos: listed below the photos of an album or of the trash, and below the albums.
//
// 1. A file can only be downloaded, never shown: it may be a page with scripts.
// 2. A line is removed only after the server confirmed that the file was moved.

import { each, follow } from './actions.js';
import { chooseAlbum } from './album-picker.js';
import * as api from './api.js';
import { question } from './dialogs.js';
import { button, make, plain } from './dom.js';
import * as format from './format.js';
import { texts } from './texts.js';

/** The number of lines that are shown at first, and added by each press. */
const step = 100;
// The shortest and longest pause before unexamined files are queried again, in milliseconds.
const shortest = 1000;
const longest = 60_000;

async function move(snapshot, item, name) {
  const album = await chooseAlbum(texts.moveTo(name), true);
  return album && each(snapshot, [item], (id, items) => api.moveToAlbum(id, items, album.path),
    () => texts.moved(name, plain(album.name)));
}

async function toTrash(snapshot, item, name) {
  const yes = await question(texts.trashFile(name), texts.trashFileText, texts.toTrash, true);
  return yes ? each(snapshot, [item], api.trash, () => texts.fileTrashed(name)) : undefined;
}

const restore = (snapshot, item, name) => each(snapshot, [item], api.restore, () => texts.fileRestored(name));

export class OtherFiles {
  #files = [];
  #shown = 0;
  #pause = shortest;
  #timer;
  count = 0;

  /**
   * The files of an album (`album`, its path) or of the trash (`trash`). `changed()` is called when an action failed,
   * because the list may be outdated; `counted()` when the number of files is known. Nothing is listed before `load()`,
   * which may be called again.
   */
  constructor(place, changed, counted = () => {}) {
    Object.assign(this, { place, changed, counted });
    this.title = make('h2', { id: 'other-files', tabIndex: -1 });
    this.list = make('ul', { 'aria-labelledby': this.title.id });
    this.more = make('button', { type: 'button', class: 'button', hidden: true,
      onclick: () => this.#more().querySelector('button').focus() });
    this.rest = make('p', { class: 'quiet', hidden: true });
    this.problem = make('p', { role: 'alert' });
    this.element = make('section', { class: 'others', 'aria-labelledby': this.title.id, hidden: true },
      this.title, this.problem, this.list, this.more, this.rest);
  }

  /** Fetches the list. It never throws: photos and albums are usable without it. */
  async load(signal) {
    try {
      const answer = await api.otherFiles(this.place, signal);
      this.snapshot = { id: answer.snapshot };
      this.#files = answer.files;
      this.#shown = 0;
      this.count = answer.count;
      this.rest.textContent = texts.firstFiles(answer.files.length);
      this.rest.hidden = answer.count === answer.files.length;
      this.problem.textContent = '';
      this.list.replaceChildren();
      this.#more();
      // A new file may turn out to be a photo when it is examined.
      clearTimeout(this.#timer);
      if (answer.pending > 0) this.#later();
    } catch (problem) {
      if (signal?.aborted || problem.status === 401) return;
      this.title.textContent = texts.otherFilesUnknown;
      this.problem.textContent = problem.message;
      this.element.hidden = false;
    }
  }

  #later() {
    this.#timer = setTimeout(() => {
      if (!this.element.isConnected) return;
      if (this.element.contains(document.activeElement) || document.querySelector('dialog')) this.#later();
      else this.load();
    }, this.#pause);
    this.#pause = Math.min(2 * this.#pause, longest);
  }

  #counts() {
    this.title.textContent = texts.otherFiles(this.count);
    this.element.hidden = this.count === 0;
    this.counted();
    const left = this.#files.length - this.#shown;
    this.more.hidden = left === 0;
    this.more.textContent = texts.showMore(Math.min(step, left));
  }

  // Lists some more files, and returns the first new line.
  #more() {
    const lines = this.#files.slice(this.#shown, this.#shown + step).map((file) => this.#line(file));
    this.#shown += lines.length;
    this.list.append(...lines);
    this.#counts();
    return lines[0];
  }

  #line({ i, name, size }) {
    const shown = plain(name);
    // The file's number belongs to this snapshot, whatever is listed later.
    const { snapshot } = this;
    const act = (drawing, words, call) => button(drawing, words, async () => {
      const done = await call(snapshot, i, shown);
      if (done === 1) this.#remove(line);
      if (done === 0) this.changed();
    });
    const line = make('li', {}, make('div', { class: 'what' }, make('bdi', { text: shown }),
      make('small', { text: format.size(size) })),
    button('download', texts.downloadFile(shown), () => follow(api.address(snapshot.id, i, 'original', true))),
    ...(this.place.trash ? [act('restore', texts.restoreFile(shown), restore)]
      : [act('album', texts.moveFile(shown), move), act('trash', texts.fileToTrash(shown), toTrash)]));
    return line;
  }

  #remove(line) {
    const near = line.nextElementSibling ?? line.previousElementSibling;
    line.remove();
    this.count -= 1;
    this.#counts();
    (near?.querySelector('button') ?? this.title).focus();
  }
}
