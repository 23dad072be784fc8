// The selected photos.
//
// 1. Each photo takes one byte, so that a million can be selected at once.
// 2. A photo that may not be chosen is never selected: the event `refused` states why, `kind` or `most`.

export class Selection extends EventTarget {
  #chosen;
  #refusal;
  count = 0;
  /** The start of a selection by shift or by dragging. */
  anchor = 0;

  /**
   * At most `most` photos, and only those for which `isAllowed(item)` is true. `isOne`: a new photo replaces the
   * selected one. `isAsked`: the page is a dialog for choosing.
   */
  constructor(total, { most = Infinity, isOne = false, isAllowed = () => true, isAsked = false } = {}) {
    super();
    Object.assign(this, { most, isOne, isAllowed, isAsked });
    this.#chosen = new Uint8Array(total);
  }

  has(item) { return this.#chosen[item] === 1; }
  get isEmpty() { return this.count === 0; }
  /** Whether a press on a photo selects it. */
  get isActive() { return this.isAsked || this.count > 0; }

  #set(item, isChosen) {
    if (this.has(item) === isChosen) return;
    if (isChosen && (!this.isAllowed(item) || this.count >= this.most)) {
      this.#refusal = this.isAllowed(item) ? 'most' : 'kind';
      return;
    }
    this.#chosen[item] = isChosen ? 1 : 0;
    this.count += isChosen ? 1 : -1;
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
    if (this.#refusal) this.dispatchEvent(new CustomEvent('refused', { detail: this.#refusal }));
    this.#refusal = undefined;
  }

  toggle(item) {
    if (this.isOne && !this.has(item) && this.isAllowed(item)) for (const each of this.items()) this.#set(each, false);
    this.#set(item, !this.has(item));
    this.anchor = item;
    this.#changed();
  }

  /** Selects all photos between the anchor and `item`. */
  extend(item) {
    for (let each = Math.min(item, this.anchor); each <= Math.max(item, this.anchor); each += 1) this.#set(each, true);
    this.anchor = item;
    this.#changed();
  }

  /** Whether all photos of a range that may be chosen are selected. */
  hasAll(first, count) {
    let isAny = false;
    for (let item = first; item < first + count; item += 1) {
      if (this.has(item)) isAny = true;
      else if (this.isAllowed(item)) return false;
    }
    return isAny;
  }

  /** Selects a whole range, or none of it if everything was selected. */
  toggleAll(first, count) {
    const before = this.count;
    for (let item = first; item < first + count; item += 1) this.#set(item, true);
    if (this.count === before) {
      for (let item = first; item < first + count; item += 1) this.#set(item, false);
      if (this.count !== before) this.#refusal = undefined;
    }
    this.anchor = first;
    this.#changed();
  }

  /**
   * Begins a drag, which selects from the anchor to `item` and restores the rest. Returns a function for each further
   * item.
   */
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

  /** Selects further photos, as far as they may be chosen. */
  add(items) {
    for (const item of items) this.#set(item, true);
    this.#changed();
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
