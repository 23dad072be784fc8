// The grid, which keeps only the photos near the screen in the document.
//
// 1. At most 400 elements, however many photos there are.
// 2. The photo at the top of the screen stays there when the width changes.
// 3. Every photo first gets its small thumbnail. On a high-resolution screen, the visible ones get a sharper thumbnail
//    when scrolling stops, because that is four times as wide, and the server may have to make it.

import { make } from './dom.js';
import { GridCells } from './grid-cells.js';
import { Layout } from './layout.js';
import { MappedScroll } from './scroll.js';
import { kinds } from './snapshot.js';
import { texts } from './texts.js';
import { Thumbs } from './thumbs.js';

const mostElements = 380;
/** The height of rows in device pixels from which small thumbnails look coarse. */
const fineHeight = 300;
/** The milliseconds without movement before sharper thumbnails are requested. */
const calmTime = 400;

export class Grid {
  #rows = new Map();
  #headers = new Map();
  #speed = 0;
  #seen = { top: 0, time: 0 };
  #frame = 0;
  #calm;
  #still;
  /** The photo at the top of the screen before a layout, and the distance from its top to that of the screen. */
  #kept;

  /** `leading` and `trailing` are the elements above and below the photos; `moved()` is called after every movement. */
  constructor({ snapshot, selection, leading, trailing, moved }) {
    // `density` is a factor for the target height of rows.
    Object.assign(this, { snapshot, selection, leading, trailing, density: 1, focused: 0 });
    this.canvas = make('div', { class: 'canvas', role: 'grid', 'aria-label': texts.photos, 'aria-multiselectable': 'true' });
    this.element = make('div', { class: 'scroller', tabIndex: -1 }, leading, this.canvas, ...[trailing].filter(Boolean));
    this.scroll = new MappedScroll(this.element, this.canvas, () => {
      this.#soon();
      moved?.(this);
    });
    this.cells = new GridCells(snapshot, selection);
    this.thumbs = new Thumbs(snapshot, 256, 700, (item, address) => {
      this.cells.show(item, address);
      this.#sharpen();
    });
    this.sharp = new Thumbs(snapshot, 512, 150, (item, address) => this.cells.sharpen(item, address));
    this.selection.addEventListener('change', () => this.#marks());
    this.element.classList.toggle('selecting', selection.isActive);
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(this.element);
    for (const part of [leading, trailing]) if (part) this.observer.observe(part);
  }

  /** Lays out all photos for the current width; the photo at the top of the screen stays there. */
  measure(isForced = false) {
    const width = this.canvas.clientWidth;
    const lead = this.leading?.offsetHeight ?? 0;
    const trail = this.trailing?.offsetHeight ?? 0;
    const view = this.element.clientHeight;
    if (width <= 0 || view <= 0) return;
    this.scroll.view = view;
    // A screen full of photos has to fit into the limit of elements. Steps below the usual height still have to differ,
    // so they are distributed over the remaining range.
    const least = Math.sqrt((width * view) / 130);
    const usual = Math.max(width < 500 ? 128 : width < 1000 ? 176 : 216, least);
    const height = this.density > 1 ? usual * this.density
      : usual * (Math.max(usual / 2, least) / usual) ** -Math.log2(this.density);
    const now = this.layout;
    if (!isForced && now && now.width === width && now.height === height && this.lead === lead && this.trail === trail) return this.#soon();
    // As long as a layout is not finished, the screen still shows the position from the one before.
    if (!now || now.done) {
      const anchor = now && this.scroll.top > lead ? now.first[now.rowAt(this.scroll.top - lead)] : null;
      this.#kept = { anchor, offset: anchor === null ? 0 : this.scroll.top - lead - now.top[now.rowOf(anchor)] };
    }
    const { anchor, offset } = this.#kept;
    this.lead = lead;
    this.trail = trail;
    if (now) now.isCancelled = true;
    clearTimeout(this.#still);
    this.layout = new Layout(this.snapshot, { width, height, gap: width < 500 ? 3 : 4, header: 52, lead: 0 });
    for (const number of [...this.#rows.keys()]) this.#drop(number);
    for (const number of [...this.#headers.keys()]) this.#dropHeader(number);
    const layout = this.layout;
    layout.run(() => {
      if (layout !== this.layout) return;
      this.canvas.setAttribute('aria-rowcount', layout.done ? layout.rows : -1);
      this.scroll.setTotal(lead + layout.total + (trail || 96), lead, trail);
      if (anchor !== null && layout.done) this.scroll.jump(layout.top[layout.rowOf(anchor)] + offset + this.lead);
      else this.#soon();
      if (layout.done) this.element.dispatchEvent(new Event('laidout'));
    });
  }

  #soon() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.draw();
    });
  }

  /** The visible range of the content, in pixels from the first row. */
  get window() {
    const top = this.scroll.top - this.lead;
    return { top, bottom: top + this.scroll.view };
  }

  draw() {
    const { layout } = this;
    if (!layout || layout.rows === 0) return;
    const now = performance.now();
    this.#speed = Math.abs(this.scroll.top - this.#seen.top) / Math.max(1, now - this.#seen.time);
    this.#seen = { top: this.scroll.top, time: now };
    const { top, bottom } = this.window;
    const first = layout.rowAt(top);
    const last = layout.rowAt(bottom);
    let low = first;
    let high = last;
    let elements = this.#cost(first, last + 1) + 6;
    // Adds up to one screen above and one below, within the limit of elements.
    while (elements < mostElements) {
      const isBelow = high + 1 < layout.rows && layout.top[high + 1] < bottom + this.scroll.view;
      const isAbove = low > 0 && layout.top[low - 1] > top - this.scroll.view;
      if (!isBelow && !isAbove) break;
      if (isBelow) {
        elements += this.#cost(high + 1, high + 2);
        if (elements < mostElements) high += 1;
      }
      if (isAbove && elements < mostElements) {
        elements += this.#cost(low - 1, low);
        if (elements < mostElements) low -= 1;
      }
    }
    for (const number of [...this.#rows.keys()]) if (number < low || number > high) this.#drop(number);
    const fromGroup = layout.groupAt(layout.top[low]);
    const toGroup = layout.groupAt(layout.top[high]);
    for (const number of [...this.#headers.keys()]) if (number < fromGroup || number > toGroup) this.#dropHeader(number);
    const { shift } = this.scroll;
    for (let group = fromGroup; group <= toGroup; group += 1) this.#header(group, shift);
    for (let row = low; row <= high; row += 1) this.#row(row, shift);
    this.#ask(first, last, low, high);
  }

  // The number of elements in rows: two for each photo, and five for a title above.
  #cost(from, to) {
    let elements = 0;
    for (let row = from; row < to; row += 1) {
      const first = this.layout.first[row];
      const begins = this.snapshot.groups[this.snapshot.groupOf(first)].first === first;
      elements += 1 + (this.layout.end(row) - first) * 2 + (begins ? 5 : 0);
    }
    return elements;
  }

  // During fast scrolling nothing is requested, because it would be out of sight before it arrives.
  #ask(first, last, low, high) {
    clearTimeout(this.#calm);
    clearTimeout(this.#still);
    this.sharp.want([]);
    this.seen = [first, last];
    if (this.#speed > 6 && this.scroll.isMoving) {
      this.thumbs.want([]);
      this.#calm = setTimeout(() => this.draw(), 90);
      return;
    }
    const items = [];
    const add = (from, to) => {
      for (let item = this.layout.first[from]; item < this.layout.end(to); item += 1) items.push(item);
    };
    add(first, last);
    if (high > last) add(last + 1, high);
    if (low < first) add(low, first - 1);
    this.thumbs.want(items);
    this.#sharpen();
    for (const item of [items[0], items[items.length - 1]]) {
      this.snapshot.facts(item).then(() => this.cells.refreshAll(), () => {});
    }
  }

  // Requests sharper thumbnails of visible photos, after a pause in scrolling and when all small ones are loaded.
  #sharpen() {
    clearTimeout(this.#still);
    if (this.layout.height * devicePixelRatio <= fineHeight || !this.thumbs.isDone) return;
    this.#still = setTimeout(() => {
      const items = [];
      const [first, last] = this.seen;
      for (let item = this.layout.first[first]; item < this.layout.end(last); item += 1) {
        // For a video, the server would have to make one, which would not be sharper than the video.
        if (this.snapshot.kind(item) !== kinds.video) items.push(item);
      }
      this.sharp.want(items);
    }, calmTime);
  }

  #row(number, shift) {
    let row = this.#rows.get(number);
    const top = `${Math.round(this.layout.top[number]) - shift}px`;
    if (!row) {
      row = make('div', { role: 'row', class: 'row', 'aria-rowindex': number + 1 });
      const edges = this.layout.edges(number);
      const from = this.layout.first[number];
      const end = this.layout.end(number);
      for (let item = from; item < end; item += 1) {
        const left = edges[item - from];
        row.append(this.cells.make(item, left, edges[item - from + 1] - left - this.layout.gap, item === this.focused,
          this.sharp.get(item) || this.thumbs.get(item)));
      }
      row.style.height = `${this.layout.tall[number]}px`;
      row.style.top = top;
      this.#rows.set(number, row);
      this.canvas.append(row);
    } else if (row.style.top !== top) row.style.top = top;
  }

  #marks() {
    this.element.classList.toggle('selecting', this.selection.isActive);
    this.cells.markAll();
    for (const [group, header] of this.#headers) this.cells.markHeader(group, header);
  }

  #drop(number) {
    const row = this.#rows.get(number);
    this.#rows.delete(number);
    // Keeps the keyboard focus in the grid, so that it can return when the row does.
    if (row.contains(document.activeElement)) this.element.focus({ preventScroll: true });
    this.cells.drop(row);
  }

  #header(group, shift) {
    if (this.snapshot.groups[group].title === '' && this.snapshot.groups.length === 1) return;
    let header = this.#headers.get(group);
    if (!header) {
      header = this.cells.header(group);
      this.#headers.set(group, header);
      this.canvas.append(header);
    }
    header.style.top = `${Math.round(this.layout.groupTop[group]) - shift}px`;
  }

  #dropHeader(group) {
    this.#headers.get(group).remove();
    this.#headers.delete(group);
  }

  refresh(item) { this.cells.refresh(item); }

  /** Scrolls a photo into view, to the middle or with as little movement as possible. */
  reveal(item, isMiddle = false) {
    const row = this.layout.rowOf(item);
    const top = this.layout.top[row];
    const { top: from, bottom } = this.window;
    const { view } = this.scroll;
    const tall = this.layout.tall[row];
    if (isMiddle) this.scroll.jump(top + this.lead - (view - tall) / 2);
    else if (top < from + 60) this.scroll.jump(top + this.lead - 60);
    else if (top + tall > bottom - 8) this.scroll.jump(top + this.lead + tall - view + 96);
  }

  /** Moves the keyboard focus to a photo. */
  focus(item) {
    const before = this.cells.get(this.focused);
    if (before) before.tabIndex = -1;
    this.focused = Math.max(0, Math.min(this.snapshot.count - 1, item));
    this.reveal(this.focused);
    this.draw();
    const cell = this.cells.get(this.focused);
    if (!cell) return;
    cell.tabIndex = 0;
    cell.focus({ preventScroll: true });
  }

  close() {
    this.observer.disconnect();
    if (this.layout) this.layout.isCancelled = true;
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#calm);
    clearTimeout(this.#still);
    this.thumbs.clear();
    this.sharp.clear();
    this.cells.clear();
  }
}
