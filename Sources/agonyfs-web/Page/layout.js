// Justified rows, computed from widths and heights only.
//
// 1. Each photo is in exactly one row, in order; every row is filled from edge to edge, except the last one of a group.
// 2. The work runs in slices of at most 4 ms; finished rows are shown in between.

import { nextTurn } from './turns.js';

const slice = 4;
const narrowest = 0.4;
const widest = 3.5;

/**
 * The last of `count` numbers from 0 for which `isBefore(number)` is true; it is true for all before. 0 if there is
 * none.
 */
export function lastUpTo(count, isBefore) {
  let low = 0;
  let high = Math.max(0, count - 1);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isBefore(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

export class Layout {
  /**
   * All lengths are in pixels: `width` of a row, target `height` of a row, `gap` between photos, `header` above a
   * group, `lead` above everything.
   */
  constructor(snapshot, { width, height, gap, header, lead }) {
    Object.assign(this, { snapshot, width, height, gap, header, lead });
    this.rows = 0;
    this.first = new Uint32Array(snapshot.count + 1);
    this.top = new Float64Array(snapshot.count + 1);
    this.tall = new Float32Array(snapshot.count + 1);
    this.groupTop = new Float64Array(snapshot.groups.length);
    this.groups = 0;
    this.total = lead;
    this.done = snapshot.count === 0;
    this.isCancelled = false;
  }

  /** Lays out all photos; `progress` is called after the first slice and at the end. */
  async run(progress) {
    const { snapshot, width, height, gap } = this;
    let y = this.lead;
    let slices = 0;
    let end = performance.now() + slice;
    for (let group = 0; group < snapshot.groups.length; group += 1) {
      const { title, first: from, count } = snapshot.groups[group];
      this.groupTop[group] = y;
      this.groups = group + 1;
      if (title !== '' || snapshot.groups.length > 1) y += this.header;
      const last = from + count;
      let first = from;
      let sum = 0;
      for (let item = from; item < last; item += 1) {
        const aspect = this.aspect(item);
        sum += aspect;
        const number = item - first + 1;
        let tall = (width - (number - 1) * gap) / sum;
        if (tall <= height) {
          const before = number > 1 ? (width - (number - 2) * gap) / (sum - aspect) : Infinity;
          // Ends the row with or without this photo, whichever comes nearer to the target height.
          if (before / height < height / tall) {
            y = this.#row(first, y, before);
            first = item;
            sum = aspect;
            tall = width / sum;
          }
          if (tall <= height) {
            y = this.#row(first, y, tall);
            first = item + 1;
            sum = 0;
          }
        }
        if ((item & 255) === 255 && performance.now() > end) {
          if (slices === 0) this.#publish(y, item + 1, progress);
          slices += 1;
          await nextTurn();
          if (this.isCancelled) return false;
          end = performance.now() + slice;
        }
      }
      if (first < last) y = this.#row(first, y, height);
      if ((group & 63) === 63 && performance.now() > end) {
        await nextTurn();
        if (this.isCancelled) return false;
        end = performance.now() + slice;
      }
    }
    this.done = true;
    this.#publish(y, snapshot.count, progress);
    return true;
  }

  aspect(item) { return Math.min(widest, Math.max(narrowest, this.snapshot.aspect(item))); }

  #row(first, y, tall) {
    const height = Math.round(tall);
    this.first[this.rows] = first;
    this.top[this.rows] = y;
    this.tall[this.rows] = height;
    this.rows += 1;
    return y + height + this.gap;
  }

  // Until the end is known, the height of the rest is estimated from the beginning.
  #publish(y, items, progress) {
    this.total = this.done ? y : this.lead + ((y - this.lead) * this.snapshot.count) / items;
    progress(this);
  }

  /** The photo after the last one of a row. */
  end(row) {
    const next = row + 1 < this.rows ? this.first[row + 1] : this.snapshot.count;
    return this.done ? next : Math.min(next, this.first[row] + 100);
  }

  /** The row at a vertical position, or the nearest one. */
  rowAt(y) { return lastUpTo(this.rows, (row) => this.top[row] <= y); }
  rowOf(item) { return lastUpTo(this.rows, (row) => this.first[row] <= item); }
  groupAt(y) { return lastUpTo(this.groups, (group) => this.groupTop[group] <= y); }

  /** The left edges of the photos of a row, and the right edge of the last one, plus the gap. */
  edges(row) {
    const edges = [0];
    let x = 0;
    const end = this.end(row);
    for (let item = this.first[row]; item < end; item += 1) {
      x += this.aspect(item) * this.tall[row] + this.gap;
      edges.push(Math.round(x));
    }
    const right = edges[edges.length - 1] - this.gap;
    // The widths compensate for the rounding of the height.
    if (Math.abs(right - this.width) < 0.04 * this.width || right > this.width) {
      const scale = (this.width + this.gap) / (right + this.gap);
      return edges.map((edge) => Math.round(edge * scale));
    }
    return edges;
  }
}
