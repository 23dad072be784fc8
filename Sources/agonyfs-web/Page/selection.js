// Which photos are selected.
//
// 1. A bit for each photo, so that a million can be selected at once.

export class Selection extends EventTarget {
  #chosen;
  count = 0;
  /** Where a selection by shift or by dragging begins. */
  anchor = 0;

  constructor(total) {
    super();
    this.#chosen = new Uint8Array(total);
  }

  has(item) { return this.#chosen[item] === 1; }
  get isEmpty() { return this.count === 0; }

  #set(item, isChosen) {
    if (this.has(item) === isChosen) return;
    this.#chosen[item] = isChosen ? 1 : 0;
    this.count += isChosen ? 1 : -1;
  }

  #changed() { this.dispatchEvent(new Event('change')); }

  toggle(item) {
    this.#set(item, !this.has(item));
    this.anchor = item;
    this.#changed();
  }

  /** From the anchor to `item`, whichever is first. */
  extend(item) {
    for (let each = Math.min(item, this.anchor); each <= Math.max(item, this.anchor); each += 1) this.#set(each, true);
    this.anchor = item;
    this.#changed();
  }

  hasAll(first, count) {
    for (let item = first; item < first + count; item += 1) if (!this.has(item)) return false;
    return true;
  }

  /** All of a run, or none if all are selected. */
  toggleAll(first, count) {
    const isChosen = !this.hasAll(first, count);
    for (let item = first; item < first + count; item += 1) this.#set(item, isChosen);
    this.anchor = first;
    this.#changed();
  }

  /** A drag: what was selected before it, and all from the anchor to `item`. Returns a function for each further item. */
  drag(anchor) {
    const before = this.#chosen.slice();
    const isChosen = !this.has(anchor);
    let low = anchor;
    let high = anchor;
    this.anchor = anchor;
    const to = (item) => {
      const from = Math.min(anchor, item);
      const last = Math.max(anchor, item);
      for (let each = Math.min(low, from); each <= Math.max(high, last); each += 1) {
        this.#set(each, each >= from && each <= last ? isChosen : before[each] === 1);
      }
      [low, high] = [from, last];
      this.#changed();
    };
    to(anchor);
    return to;
  }

  items() {
    const items = [];
    for (let item = this.#chosen.indexOf(1); item !== -1; item = this.#chosen.indexOf(1, item + 1)) items.push(item);
    return items;
  }

  clear() {
    if (this.isEmpty) return;
    this.#chosen.fill(0);
    this.count = 0;
    this.#changed();
  }
}
