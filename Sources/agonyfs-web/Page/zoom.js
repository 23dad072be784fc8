// How large a picture is and where it stands: numbers only.
//
// 1. A scale of 1 fits the picture into the view. Offsets are of the picture's middle from the view's.
// 2. The picture never leaves an edge of the view that it could reach.

const steps = 5;

export class Zoom {
  constructor() {
    Object.assign(this, { scale: 1, x: 0, y: 0, width: 1, height: 1, view: { width: 1, height: 1 }, original: 1 });
  }

  /**
   * `view` in pixels of the page; `width` and `height` of the original in its own; `density` is pixels of the
   * screen for one of the page.
   */
  measure(view, width, height, density) {
    const fit = Math.min(view.width / width, view.height / height);
    const before = this.width;
    Object.assign(this, { view, width: width * fit, height: height * fit, original: 1 / (fit * density) });
    if (this.scale !== 1 && before > 1) this.scale = Math.min(this.most, this.scale);
    this.#keep();
  }

  /** Five times the fit, or a pixel of the original for each of the screen if that is more. */
  get most() { return Math.max(steps, this.original); }
  get isFit() { return this.scale <= 1.001; }

  #limits() {
    return { x: Math.max(0, (this.width * this.scale - this.view.width) / 2),
      y: Math.max(0, (this.height * this.scale - this.view.height) / 2) };
  }

  #keep() {
    const { x, y } = this.#limits();
    this.x = Math.max(-x, Math.min(x, this.x));
    this.y = Math.max(-y, Math.min(y, this.y));
  }

  /** Another scale, around a point that is given from the view's middle. `isLoose` allows a little less than the fit. */
  to(scale, x = 0, y = 0, isLoose = false) {
    const next = Math.max(isLoose ? 0.6 : 1, Math.min(this.most, scale));
    this.x = x - ((x - this.x) * next) / this.scale;
    this.y = y - ((y - this.y) * next) / this.scale;
    this.scale = next;
    this.#keep();
  }

  /** Moves; returns how far the edge was passed sideways. */
  pan(x, y) {
    const limits = this.#limits();
    const wanted = this.x + x;
    this.x = Math.max(-limits.x, Math.min(limits.x, wanted));
    this.y = Math.max(-limits.y, Math.min(limits.y, this.y + y));
    return wanted - this.x;
  }

  /** What a double tap does: from the fit to the original; from it to the fit; from in between to the original. */
  toggle(x = 0, y = 0) {
    // An original that is hardly larger than the fit is no place to go to.
    const large = this.original > 1.2 ? this.original : 2.5;
    if (Math.abs(this.scale - large) < 0.01) this.reset();
    else this.to(large, x, y);
  }

  reset() { Object.assign(this, { scale: 1, x: 0, y: 0 }); }
}
