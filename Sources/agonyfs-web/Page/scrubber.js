// The bar at the edge that jumps to any month.
//
// 1. Without a mouse, only the handle accepts touches, and only while it is visible: a tap next to it belongs to the
//    photo there.

import { make } from './dom.js';
import * as format from './format.js';
import { Snapshot } from './snapshot.js';
import { texts } from './texts.js';

/** The bar of a grid, with the years next to it and the month at the pointer. */
export class Scrubber {
  constructor(grid) {
    this.grid = grid;
    this.marks = make('div', { class: 'marks', 'aria-hidden': 'true' });
    this.bubble = make('output', { class: 'bubble', 'aria-hidden': 'true' });
    this.thumb = make('div', { class: 'thumb' }, this.bubble);
    this.element = make('div', { class: 'scrubber', role: 'slider', tabIndex: 0, 'aria-orientation': 'vertical',
      'aria-label': texts.scrubber, 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': 0 }, this.marks, this.thumb);
    grid.element.addEventListener('laidout', () => this.#years());
    let isDragged = false;
    let offset = 0;
    const to = (event) => {
      const box = this.element.getBoundingClientRect();
      const part = Math.max(0, Math.min(1, (event.clientY - offset - box.top) / box.height));
      grid.scroll.jump(part * grid.scroll.most);
    };
    this.element.addEventListener('pointerdown', (event) => {
      isDragged = true;
      const handle = this.thumb.getBoundingClientRect();
      offset = this.thumb.contains(event.target) ? event.clientY - handle.top - handle.height / 2 : 0;
      this.element.setPointerCapture(event.pointerId);
      this.element.classList.add('dragged');
      to(event);
      event.preventDefault();
    });
    this.element.addEventListener('pointermove', (event) => isDragged && to(event));
    for (const name of ['pointerup', 'pointercancel']) {
      this.element.addEventListener(name, () => {
        isDragged = false;
        this.element.classList.remove('dragged');
      });
    }
    this.element.addEventListener('keydown', (event) => this.#key(event));
  }

  /** The last month that begins at or above the top of the screen. */
  #month() {
    const { months } = this.grid.snapshot;
    const { layout } = this.grid;
    if (!layout || months.length === 0) return -1;
    return Snapshot.at(months, layout.first[layout.rowAt(this.grid.window.top + 60)]);
  }

  #key(event) {
    const month = this.#month();
    const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -12, PageDown: 12 }[event.key];
    const { months } = this.grid.snapshot;
    if (event.key === 'Home') this.grid.scroll.jump(0);
    else if (event.key === 'End') this.grid.scroll.jump(this.grid.scroll.most);
    else if (step && month >= 0) {
      const wanted = months[Math.max(0, Math.min(months.length - 1, month + step))];
      this.grid.scroll.jump(this.grid.layout.top[this.grid.layout.rowOf(wanted.first)] + this.grid.lead - 56);
    } else if (step) this.grid.scroll.jump(this.grid.scroll.top + step * this.grid.scroll.view);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #years() {
    const { layout, scroll, snapshot, lead } = this.grid;
    const tall = this.element.clientHeight;
    this.marks.replaceChildren();
    this.element.hidden = scroll.most < scroll.view;
    if (tall === 0 || scroll.most === 0) return;
    let last = -Infinity;
    let year = '';
    for (const { month, first } of snapshot.months) {
      if (month.slice(0, 4) === year) continue;
      year = month.slice(0, 4);
      const at = ((layout.top[layout.rowOf(first)] + lead) / scroll.most) * tall;
      if (at - last < 26 || at > tall - 10) continue;
      last = at;
      const mark = make('span', { text: year });
      mark.style.top = `${Math.round(at)}px`;
      this.marks.append(mark);
    }
  }

  /** Updates the handle from the grid's position. */
  follow() {
    const { scroll, snapshot } = this.grid;
    if (scroll.most <= 0) return;
    const part = scroll.top / scroll.most;
    this.thumb.style.top = `${(part * 100).toFixed(2)}%`;
    const month = this.#month();
    const text = month >= 0 ? format.date(snapshot.months[month].month) : `${Math.round(part * 100)} %`;
    if (text !== this.bubble.textContent) this.bubble.textContent = text;
    this.element.setAttribute('aria-valuenow', Math.round(part * 100));
    this.element.setAttribute('aria-valuetext', text);
    this.element.classList.add('moving');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.element.classList.remove('moving'), 1200);
  }
}
