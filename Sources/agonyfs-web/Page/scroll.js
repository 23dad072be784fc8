// Scrolls content that is taller than a browser allows.
//
// 1. The element is never taller than 8 million pixels. Near both ends, one of its pixels is one pixel of the content;
//    in the middle it stands for more.
// 2. Scrolling by touch or wheel moves the content by the same distance everywhere; only jumps use the mapping. When
//    scrolling stops, the element is moved to its mapped position, and the content does not move on the screen.

const tallest = 8_000_000;
const exact = 2_000_000;

export class MappedScroll {
  #last = 0;
  #idle;

  /** `scroller` scrolls, `canvas` is its tall child; `moved` is called after every movement. */
  constructor(scroller, canvas, moved) {
    Object.assign(this, { scroller, canvas, moved, total: 0, top: 0, element: 0, lead: 0, view: scroller.clientHeight });
    this.isMoving = false;
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    scroller.addEventListener('scrollend', () => this.#settle());
  }

  get most() { return Math.max(0, this.total - this.view); }
  /** The difference between a position in the content and the same one in the element. */
  get shift() { return Math.round(this.top - this.#last); }

  /**
   * Sets the height of the content, with `lead` above the canvas and `trail` below it. The position stays, unless it is
   * past the new end.
   */
  setTotal(total, lead, trail) {
    this.total = Math.max(total, 0);
    this.lead = lead;
    this.element = Math.min(this.total, tallest);
    this.canvas.style.height = `${Math.round(this.element - lead - trail)}px`;
    this.top = Math.min(this.top, this.most);
    this.#place();
  }

  /** Scrolls to a position in the content. */
  jump(top) {
    this.top = Math.max(0, Math.min(this.most, top));
    this.#place();
    this.moved();
  }

  by(distance) { this.scroller.scrollTop += distance; }

  #content(scroll) {
    if (this.total <= tallest || scroll <= exact) return scroll;
    if (scroll >= this.element - exact) return this.total - (this.element - scroll);
    return exact + ((scroll - exact) * (this.total - 2 * exact)) / (this.element - 2 * exact);
  }

  #scroll(content) {
    if (this.total <= tallest || content <= exact) return content;
    if (content >= this.total - exact) return this.element - (this.total - content);
    return exact + ((content - exact) * (this.element - 2 * exact)) / (this.total - 2 * exact);
  }

  #place() {
    const wanted = Math.round(this.#scroll(this.top));
    if (Math.abs(wanted - this.scroller.scrollTop) > 0.5) this.scroller.scrollTop = wanted;
    this.#last = this.scroller.scrollTop;
  }

  #scrolled() {
    const now = this.scroller.scrollTop;
    const distance = now - this.#last;
    if (distance === 0) return;
    const isJump = Math.abs(distance) > 8 * this.view;
    this.#last = now;
    this.top = Math.max(0, Math.min(this.most, isJump ? this.#content(now) : this.top + distance));
    this.isMoving = true;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#settle(), 160);
    this.moved();
  }

  #settle() {
    clearTimeout(this.#idle);
    this.isMoving = false;
    if (this.total > tallest) this.#place();
    this.moved();
  }
}
