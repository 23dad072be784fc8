// The size and position of a picture, as numbers.
//
// 1. A scale of 1 fits the picture into the view. Offsets are from the view's middle to the picture's middle.
// 2. No gap opens between an edge of the view and a picture that is large enough to reach it.

const steps = 5;

export class Zoom {
  constructor() {
    Object.assign(this, { scale: 1, x: 0, y: 0, width: 1, height: 1, view: { width: 1, height: 1 }, original: 1 });
  }

  /**
   * `view` is in pixels of the page; `width` and `height` are those of the original; `density` is the number of device
   * pixels for each pixel of the page.
   */
  measure(view, width, height, density) {
    const fit = Math.min(view.width / width, view.height / height);
    const before = this.width;
    Object.assign(this, { view, width: width * fit, height: height * fit, original: 1 / (fit * density) });
    if (this.scale !== 1 && before > 1) this.scale = Math.min(this.most, this.scale);
    this.#keep();
  }

  /** Five times the fit, or one pixel of the original for each device pixel if that is more. */
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

  /** Sets the scale around a point, given from the view's middle. `isLoose` allows a little less than the fit. */
  to(scale, x = 0, y = 0, isLoose = false) {
    const next = Math.max(isLoose ? 0.6 : 1, Math.min(this.most, scale));
    this.x = x - ((x - this.x) * next) / this.scale;
    this.y = y - ((y - this.y) * next) / this.scale;
    this.scale = next;
    this.#keep();
  }

  /** Moves the picture; returns how far it went past the edge sideways. */
  pan(x, y) {
    const limits = this.#limits();
    const wanted = this.x + x;
    this.x = Math.max(-limits.x, Math.min(limits.x, wanted));
    this.y = Math.max(-limits.y, Math.min(limits.y, this.y + y));
    return wanted - this.x;
  }

  /** Handles a double tap: zooms to the original size, or back to the fit if the scale is the original size. */
  toggle(x = 0, y = 0) {
    // If the original is hardly larger than the fit, zooms to 2.5 instead.
    const large = this.original > 1.2 ? this.original : 2.5;
    if (Math.abs(this.scale - large) < 0.01) this.reset();
    else this.to(large, x, y);
  }

  reset() { Object.assign(this, { scale: 1, x: 0, y: 0 }); }
}
