// A grid of photos: all photos, or those of an album, of a search, or of the trash.

import * as actions from './actions.js';
import { newSelection } from './choice.js';
import { choose } from './dialogs.js';
import { button, make, plain, say } from './dom.js';
import { listenToGrid } from './grid-input.js';
import { Grid } from './grid.js';
import { OtherFiles } from './other-files.js';
import { Scrubber } from './scrubber.js';
import { Search } from './search.js';
import { readOnly } from './session.js';
import { Snapshot } from './snapshot.js';
import { texts } from './texts.js';
import { isOpen, showViewer } from './viewer.js';

const orders = ['time', '-time', 'name', 'size', 'rating'];
const groups = ['month', 'day', 'album', 'place', 'tag', 'type', 'none'];
/** The size of thumbnails in steps from the usual size, until the page is reloaded. */
let size = 0;
const sizes = { smallest: -3, largest: 4, step: 1.25 };
// The shortest and longest pause before unexamined photos are queried again, in milliseconds.
const shortest = 4000;
const longest = 600_000;

export class Photos {
  #asking = null;
  #isClosed = false;
  #pause = shortest;
  #pending = 0;
  #timer;
  /** The list of other files, which stays until it is reloaded, and the text that is shown if there are no photos. */
  #others;
  #nothing;
  /** The slider exists twice: if the bar is too narrow, it is shown above the photos. */
  #sliders = [this.#slider(), this.#slider()];

  /**
   * `place`: title, question (q, group, sort, album, trash), `lead()` for elements above, `others(changed, counted)`
   * for the list of other files below, `back` if there is a way back.
   */
  constructor(place) {
    this.place = place;
    this.question = { group: 'month', sort: 'time', q: '', ...place.question };
    this.bar = make('header', { class: 'bar' });
    this.body = make('div', { class: 'body' });
    this.element = make('section', { class: 'view', 'aria-label': plain(place.title) }, this.bar, this.body);
    const name = place.back ? texts.searchIn(plain(place.title)) : texts.search;
    this.search = new Search(this.question.q, name, (q) => {
      this.question.q = q;
      this.load();
    });
    this.#bar();
    this.load();
  }

  /** Loads the photos; if `isQuiet`, the scroll position is kept. */
  async load(isQuiet = false, mayWait = false) {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    if (!isQuiet) this.body.classList.add('waiting');
    const kept = this.grid?.scroll.top ?? 0;
    try {
      // Photos do not wait for the list below them.
      if (!this.#isSearch) this.#listOthers(asking.signal);
      const [snapshot, lead] = await Promise.all([Snapshot.open(this.question, asking.signal), this.place.lead?.()]);
      if (asking.signal.aborted) return;
      if (mayWait && this.#isUsed) return this.#later();
      this.#show(snapshot, lead, isQuiet ? kept : 0);
    } catch (problem) {
      if (asking.signal.aborted || problem.status === 401) return;
      // The user did not request this load, and the current photos are still usable, so they stay.
      if ((mayWait || (isQuiet && problem.status === 0)) && this.grid) return this.#later();
      this.#close();
      this.body.replaceChildren(make('div', { class: 'nothing', role: 'alert' }, make('p', { text: problem.message }),
        make('button', { type: 'button', class: 'button', text: texts.again, onclick: () => this.load() })));
    } finally {
      if (!asking.signal.aborted) this.body.classList.remove('waiting');
    }
    return undefined;
  }

  #listOthers(signal) {
    this.#others ??= this.place.others?.(() => this.#others.load(), () => this.#sayNothing());
    this.#others?.load(signal);
  }

  #sayNothing() {
    if (!this.#nothing) return;
    this.#nothing.textContent = this.#isSearch ? texts.nothingFound
      : this.#others?.count > 0 ? texts.noPhotosHere : this.place.nothing ?? texts.nothingHere;
  }

  get #isSearch() { return this.question.q !== (this.place.question.q ?? ''); }

  // Whether the user would lose something if the photos were reloaded.
  get #isUsed() {
    return document.hidden || isOpen() || !(this.selection?.isEmpty ?? true) || document.querySelector('dialog') !== null
      || Boolean(this.#others?.element.contains(document.activeElement));
  }

  #later(milliseconds = 1000) {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => this.refresh(), milliseconds);
  }

  /** Shows new photos as soon as nothing is selected or open. */
  refresh() {
    if (this.#isUsed) this.#later();
    else this.load(true, true);
  }

  #show(snapshot, lead, kept) {
    this.#close();
    this.snapshot = snapshot;
    // If the mount does not examine files now, there is nothing to wait for.
    if (snapshot.examining && snapshot.pending > 0 && this.#pause < longest) {
      this.#later(this.#pause);
      this.#pause *= snapshot.pending === this.#pending ? 2 : 1;
    }
    this.#pending = snapshot.pending;
    this.selection = newSelection(snapshot);
    this.selection.addEventListener('change', () => this.#bar());
    const isSearch = this.#isSearch;
    const title = isSearch ? texts.answers(snapshot.count) : plain(this.place.title);
    const about = make('div', { class: 'about' }, make('h1', { text: title, dir: 'auto' }),
      !isSearch && make('p', { text: texts.number(snapshot.count) }),
      snapshot.pending > 0 && make('p', { text: texts.pending(snapshot.pending) }), snapshot.count > 0 && this.#sliders[1]);
    const leading = make('div', { class: 'lead' }, about, ...(lead ?? []));
    this.#nothing = undefined;
    if (snapshot.error) leading.append(Search.mistake(this.question.q, snapshot.error));
    else if (snapshot.count === 0) {
      this.#nothing = make('p');
      this.#sayNothing();
      leading.append(make('div', { class: 'nothing' }, this.#nothing));
    }
    this.grid = new Grid({ snapshot, selection: this.selection, leading,
      trailing: isSearch ? undefined : this.#others?.element, moved: () => this.scrubber?.follow() });
    this.grid.density = sizes.step ** size;
    this.scrubber = new Scrubber(this.grid);
    listenToGrid(this.grid, { open: (item) => this.#open(item), zoom: (step) => this.#resize(size + step) });
    if (kept > 0) this.grid.element.addEventListener('laidout', () => this.grid.scroll.jump(kept), { once: true });
    this.body.replaceChildren(this.grid.element, this.scrubber.element);
    this.#bar();
  }

  #close() {
    clearTimeout(this.#timer);
    this.grid?.close();
    this.grid = this.scrubber = undefined;
  }

  #slider() {
    const slider = make('input', { type: 'range', class: 'size', 'aria-label': texts.thumbnailSize, title: texts.thumbnailSize,
      min: sizes.smallest, max: sizes.largest, oninput: () => this.#resize(Number(slider.value)) });
    this.#say(slider);
    return slider;
  }

  #say(slider) {
    slider.value = size;
    slider.setAttribute('aria-valuetext', texts.percent(sizes.step ** size));
  }

  #resize(wanted) {
    size = Math.max(sizes.smallest, Math.min(sizes.largest, wanted));
    for (const slider of this.#sliders) this.#say(slider);
    if (!this.grid) return;
    this.grid.density = sizes.step ** size;
    this.grid.measure();
  }

  #open(item) {
    showViewer({ snapshot: this.snapshot, item, grid: this.grid, inTrash: this.question.trash === 1,
      changed: () => this.load(true) });
  }

  #bar() {
    // A choice has its own bar.
    const isSelecting = this.selection && !this.selection.isAsked && !this.selection.isEmpty;
    this.element.classList.toggle('selecting', Boolean(isSelecting));
    if (isSelecting) return this.#selectionBar();
    // A search field that the user is typing in stays.
    if (this.bar.contains(this.search.element)) return undefined;
    this.bar.className = 'bar';
    this.bar.replaceChildren(...[this.place.back && button('back', texts.back, this.place.back), this.search.element,
      this.#sliders[0], button('group', texts.groupAndSort, () => this.#order()),
      ...(this.place.buttons?.(this) ?? [])].filter(Boolean));
    return undefined;
  }

  #selectionBar() {
    const items = () => this.selection.items();
    const finish = (number) => {
      if (number > 0) this.selection.clear();
    };
    const gone = (number) => {
      // After an error some photos may be gone anyway. The list is reloaded later, so that the selection can be tried
      // again.
      if (number === 0) this.refresh();
      if (number > 0) {
        this.selection.clear();
        this.load(true);
      }
    };
    const act = (drawing, name, call, after = finish) =>
      button(drawing, name, async () => after(await call(this.snapshot, items())));
    const actions_ = this.question.trash
      ? [act('restore', texts.restore, actions.fromTrash, gone)]
      : [act('download', texts.download, actions.download, () => {}), act('album', texts.addToAlbum, actions.addToAlbum),
        act('tag', texts.addTag, actions.addTag), act('star', texts.rate, actions.rate),
        act('heart', texts.favourite, (snapshot, some) =>
          actions.favourite(snapshot, some, (item) => this.grid.refresh(item)), () => {}),
        act('trash', texts.toTrash, actions.toTrash, gone)];
    // An album has one cover, so the button is shown for a single photo.
    const cover = this.place.album && act('photos', texts.albumCover, actions.makeCover);
    if (cover) {
      cover.classList.add('makes-cover');
      actions_.splice(2, 0, cover);
    }
    const number = texts.selected(this.selection.count);
    const shown = this.bar.querySelector('.count');
    if (shown) shown.textContent = number;
    else {
      this.bar.className = 'bar selection';
      this.bar.replaceChildren(button('close', texts.endSelection, () => this.selection.clear()),
        make('output', { class: 'count', text: number }),
        make('div', { class: 'acts', role: 'toolbar', 'aria-label': texts.actions }, ...actions_));
    }
    const only = this.bar.querySelector('.makes-cover');
    if (only) only.hidden = this.selection.count !== 1;
  }

  async #order() {
    const mark = (part, values) => values.map((value) =>
      ({ name: texts[part][value], value: [part, value], isChosen: this.question[part] === value }));
    const chosen = await choose(texts.groupAndSort,
      [{ heading: texts.groupBy }, ...mark('group', groups), { heading: texts.sortBy }, ...mark('sort', orders)]);
    if (!chosen) return;
    this.question[chosen[0]] = chosen[1];
    this.load();
  }

  /** The server dropped the snapshot, so the question is asked again. */
  gone() {
    say(texts.askedAgain);
    this.load(true);
  }

  close() {
    this.#isClosed = true;
    this.#asking?.abort();
    this.#close();
  }
}

/** The trash is not grouped, because titles of days are of no use there. */
export const trash = () => ({ title: texts.trash, nothing: texts.trashEmpty, question: { trash: 1, group: 'none' },
  others: (changed, counted) => new OtherFiles({ trash: 1 }, changed, counted),
  buttons: (view) => (readOnly() ? [] : [button('trash', texts.emptyTrash,
    async () => (await actions.emptyTrash()) && view.load(true))]) });
