// The elements of the grid's photos and titles, which are recycled.
//
// 1. A cell shows its position, colour and kind at once, and its picture and name when they arrive.
// 2. A recycled cell does not keep its earlier picture.

import { isStill, make, plain } from './dom.js';
import * as format from './format.js';
import { kinds } from './snapshot.js';
import { texts } from './texts.js';

const kindNames = Object.keys(kinds);
const mostSpare = 200;

export class GridCells {
  #cells = new Map();
  #spare = [];

  constructor(snapshot, selection) { Object.assign(this, { snapshot, selection }); }

  get(item) { return this.#cells.get(item); }

  /** The cell of a photo; `address` is its thumbnail if that is loaded. */
  make(item, left, width, isFocused, address) {
    const cell = this.#spare.pop() ?? make('div', { role: 'gridcell' },
      make('img', { alt: '', decoding: 'async', draggable: 'false' }));
    cell.item = item;
    cell.tabIndex = isFocused ? 0 : -1;
    cell.style.left = `${left}px`;
    cell.style.width = `${width}px`;
    cell.style.backgroundColor = this.snapshot.colour(item);
    cell.className = `cell ${kindNames[this.snapshot.kind(item)] ?? 'other'}`;
    this.#cells.set(item, cell);
    this.#mark(cell);
    this.refresh(item);
    if (address) this.show(item, address, true);
    return cell;
  }

  /** Shows a thumbnail that has arrived. */
  show(item, address, isKnown = false) {
    const cell = this.#cells.get(item);
    if (!cell || !address) return;
    const image = cell.firstChild;
    image.className = isKnown || isStill() ? 'shown' : '';
    image.onload = () => { image.className = 'shown'; };
    image.src = address;
  }

  /** Replaces the small thumbnail with a sharper one, once that is decoded. */
  async sharpen(item, address) {
    const cell = this.#cells.get(item);
    if (!cell || !address) return;
    const next = new Image();
    next.src = address;
    try {
      await next.decode();
    } catch {
      return;
    }
    if (this.#cells.get(item) === cell && cell.item === item) this.show(item, address, true);
  }

  /** Updates a photo after it was changed, or after its name arrived. */
  refresh(item) {
    const cell = this.#cells.get(item);
    if (!cell) return;
    cell.classList.toggle('favourite', this.snapshot.isFavourite(item));
    const facts = this.snapshot.known(item);
    const kind = texts.kinds[kindNames[this.snapshot.kind(item)]] ?? '';
    const label = facts ? plain(texts.photoLabel(facts, kind))
      : `${kind} ${format.day(this.snapshot.day(item), this.snapshot.precision(item))}`;
    cell.setAttribute('aria-label', this.selection.isAllowed(item) ? label : texts.refused(label));
    if (facts?.duration) cell.dataset.duration = format.duration(facts.duration);
    else delete cell.dataset.duration;
  }

  refreshAll() { for (const item of this.#cells.keys()) this.refresh(item); }

  #mark(cell) {
    const isChosen = this.selection.has(cell.item);
    cell.classList.toggle('chosen', isChosen);
    const isRefused = !this.selection.isAllowed(cell.item);
    cell.classList.toggle('refused', isRefused);
    for (const [name, value] of [['aria-selected', !isRefused && String(isChosen)], ['aria-disabled', isRefused && 'true']]) {
      if (value) cell.setAttribute(name, value);
      else cell.removeAttribute(name);
    }
  }

  /** Updates the marks of all cells from the selection. */
  markAll() { for (const cell of this.#cells.values()) this.#mark(cell); }

  /** Removes a row, and recycles its cells. */
  drop(row) {
    for (const cell of [...row.children]) {
      const image = cell.firstChild;
      image.onload = null;
      image.removeAttribute('src');
      image.className = '';
      this.#cells.delete(cell.item);
      if (this.#spare.length < mostSpare && cell !== document.activeElement) this.#spare.push(cell);
    }
    row.remove();
  }

  /** The title of a group; a press selects the whole group. */
  header(group) {
    const { title, first, count } = this.snapshot.groups[group];
    const name = format.section(title, this.snapshot.question.group);
    const header = make('div', { role: 'row', class: 'header' },
      make('div', { role: 'rowheader' },
        make('button', { type: 'button', class: 'whole', 'aria-label': texts.selectWhole(name, count),
          onclick: () => this.selection.toggleAll(first, count) },
        make('bdi', { text: name }), make('small', { text: format.number(count) }))));
    this.markHeader(group, header);
    return header;
  }

  markHeader(group, header) {
    const { first, count } = this.snapshot.groups[group];
    const isChosen = !this.selection.isEmpty && this.selection.hasAll(first, count);
    header.classList.toggle('chosen', isChosen);
    header.querySelector('button').setAttribute('aria-pressed', isChosen);
  }

  clear() {
    for (const cell of this.#cells.values()) cell.firstChild.removeAttribute('src');
    this.#cells.clear();
    this.#spare.length = 0;
  }
}
