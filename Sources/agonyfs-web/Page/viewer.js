// The viewer: one photo at a time, with its neighbours on both sides.
//
// 1. At most three photos are in memory: the current one and its neighbours.
// 2. Every gesture has an equivalent button and key.

import { isStill, make } from './dom.js';
import { listen } from './gestures.js';
import { back, opened } from './navigation.js';
import { onForget } from './session.js';
import { Slide } from './slide.js';
import { texts } from './texts.js';
import { ViewerBars } from './viewer-bars.js';
import { viewerKeys } from './viewer-keys.js';

const gutter = 24;
const time = 300;
const flick = 0.4;

let shown = null;
function leave() {
  shown?.close();
  shown = null;
}
onForget(leave);

/** Opens a photo; `changed()` is called when photos were moved to or from the trash. */
export function showViewer(facts) {
  shown = new Viewer(facts);
  opened(leave);
}

export const isOpen = () => shown !== null;

class Viewer {
  #offset = 0;
  #fall = 0;
  #moving = null;
  #timer;
  #slides = new Map();
  #loading = 0;

  constructor({ snapshot, item, grid, inTrash, changed }) {
    Object.assign(this, { snapshot, item, grid, inTrash, changed });
    this.app = document.getElementById('app');
    this.root = document.getElementById('viewer');
    this.strip = make('div', { class: 'strip' });
    this.stage = make('div', { class: 'stage', role: 'group', 'aria-roledescription': texts.photo, tabIndex: 0 },
      this.strip);
    this.bars = new ViewerBars(this);
    this.element = make('div', { class: this.bars.tabs ? 'viewer with-tabs' : 'viewer', role: 'dialog', 'aria-modal': 'true',
      'aria-label': texts.viewer }, this.stage, ...this.bars.elements);
    this.root.append(this.element);
    this.app.inert = true;
    this.observer = new ResizeObserver(() => this.#measure());
    this.observer.observe(this.stage);
    listen(this.stage, this.#gestures());
    // On the window, because the button with the keyboard focus may be removed.
    this.keys = (event) => viewerKeys(this, event);
    addEventListener('keydown', this.keys);
    this.stage.focus();
    this.#show();
  }

  get slide() { return this.#slides.get(this.item); }
  get step() { return (this.view?.width ?? innerWidth) + gutter; }

  #measure() {
    this.view = { width: this.stage.clientWidth, height: this.stage.clientHeight };
    for (const slide of this.#slides.values()) slide.measure(this.view);
    this.#place();
    this.bars.tabs?.reveal();
  }

  // Creates the slides near the current one, and closes the others.
  #show() {
    const wanted = [this.item, this.item + 1, this.item - 1].filter((item) => item >= 0 && item < this.snapshot.count);
    for (const [item, slide] of this.#slides) {
      if (wanted.includes(item)) continue;
      slide.close();
      this.#slides.delete(item);
    }
    for (const item of wanted) {
      if (this.#slides.has(item)) continue;
      const slide = new Slide(this.snapshot, item, this.grid.thumbs.get(item));
      this.#slides.set(item, slide);
      this.strip.append(slide.element);
      if (this.view) slide.measure(this.view);
    }
    for (const [item, slide] of this.#slides) {
      slide.element.inert = item !== this.item;
      if (item !== this.item) {
        slide.stop();
        slide.zoom.reset();
        slide.draw();
      }
    }
    this.#place();
    this.bars.show(this.item);
    this.#load(wanted);
  }

  async #load(wanted) {
    this.#loading += 1;
    const loading = this.#loading;
    await this.slide.load(1);
    for (const item of wanted.slice(1)) this.#slides.get(item)?.load(1);
    // No originals are requested while the user pages quickly.
    await new Promise((resolve) => setTimeout(resolve, 150));
    for (const item of wanted) {
      if (loading !== this.#loading) return;
      await this.#slides.get(item)?.load(2);
    }
  }

  #place() {
    for (const [item, slide] of this.#slides) {
      slide.element.style.transform = `translateX(${(item - this.item) * this.step}px)`;
    }
    this.strip.style.transform = `translate(${this.#offset}px, ${this.#fall}px)`;
  }

  /** Redraws with an animation of 0.3 s. `then` is called at the end, or before the next movement. */
  #animate(then) {
    this.#settle();
    const wait = isStill() ? 0 : time;
    this.element.classList.toggle('animated', wait > 0);
    this.slide.draw();
    this.#place();
    const end = () => {
      clearTimeout(this.#timer);
      this.#moving = null;
      this.element.classList.remove('animated');
      then?.();
    };
    this.#timer = setTimeout(end, wait);
    this.#moving = end;
  }

  #settle() { this.#moving?.(); }

  /** Shows the next or the previous photo. */
  page(step) {
    // Finishes a running movement, which may change the current photo.
    this.#settle();
    const next = this.item + step;
    if (next < 0 || next >= this.snapshot.count) {
      this.#offset = 0;
      return this.#animate();
    }
    this.#offset = -step * this.step;
    return this.#animate(() => {
      this.#offset = 0;
      this.item = next;
      this.#show();
    });
  }

  /** Goes to a photo without an animation. */
  go(item) {
    this.#settle();
    this.item = Math.max(0, Math.min(this.snapshot.count - 1, item));
    this.#show();
  }

  zoomBy(factor) {
    if (!this.slide.isZoomable) return;
    this.slide.zoom.to(this.slide.zoom.scale * factor);
    this.#animate();
  }

  toggleZoom(x, y) {
    if (!this.slide.isZoomable) return;
    this.slide.zoom.toggle(x, y);
    this.#animate();
  }

  #gestures() {
    return {
      begin: () => this.#settle(),
      tap: (_, __, target) => target.tagName !== 'VIDEO' && this.bars.toggle(),
      double: (x, y) => this.toggleZoom(x, y),
      hold: () => this.slide.playMotion(),
      released: () => this.slide.hasMotion && this.slide.stop(),
      drag: (dx, dy, isTouch) => this.#drag(dx, dy, isTouch),
      drop: (speed) => this.#drop(speed),
      pinch: (factor, x, y, dx, dy) => {
        if (!this.slide.isZoomable) return;
        this.slide.zoom.to(this.slide.zoom.scale * factor, x, y, true);
        this.slide.zoom.pan(dx, dy);
        this.slide.draw();
      },
      pinched: () => {
        if (this.slide.zoom.scale >= 1) return;
        this.slide.zoom.reset();
        this.#animate();
      },
      wheel: (event, x, y) => {
        if (event.ctrlKey || !this.slide.zoom.isFit || Math.abs(event.deltaY) > Math.abs(event.deltaX)) {
          if (!this.slide.isZoomable) return;
          this.slide.zoom.to(this.slide.zoom.scale * Math.exp(-event.deltaY / 300), x, y);
          this.slide.draw();
        } else if (Math.abs(event.deltaX) > 30 && !this.#moving) this.page(Math.sign(event.deltaX));
      },
    };
  }

  // A drag moves the picture up to its edge first, then to the next photo.
  #drag(dx, dy, isTouch) {
    const { zoom } = this.slide;
    if (zoom.isFit) {
      if (isTouch && this.#offset === 0 && (this.#fall > 0 || dy > Math.abs(dx))) this.#fall = Math.max(0, this.#fall + dy);
      else this.#offset += dx;
    } else {
      let left = dx;
      if (this.#offset !== 0) {
        const after = this.#offset + dx;
        left = Math.sign(after) === Math.sign(this.#offset) ? 0 : after;
        this.#offset = left === 0 ? after : 0;
      }
      this.#offset += zoom.pan(left, this.#offset === 0 ? dy : 0);
    }
    this.slide.draw();
    this.#place();
  }

  #drop(speed) {
    if (this.#fall > 0) {
      const isAway = this.#fall > 120 || speed.y > 0.7;
      this.#fall = 0;
      return isAway ? back() : this.#animate();
    }
    if (this.#offset === 0) {
      if (this.slide.zoom.isFit) return undefined;
      this.slide.zoom.pan(speed.x * 160, speed.y * 160);
      return this.#animate();
    }
    const direction = -Math.sign(this.#offset);
    const isFar = Math.abs(this.#offset) > this.step / 3;
    const isFlick = -speed.x * direction > flick;
    if (isFar || isFlick) return this.page(direction);
    this.#offset = 0;
    return this.#animate();
  }

  close() {
    this.#loading += 1;
    this.observer.disconnect();
    removeEventListener('keydown', this.keys);
    clearTimeout(this.#timer);
    for (const slide of this.#slides.values()) slide.close();
    this.#slides.clear();
    this.bars.close();
    this.element.remove();
    this.app.inert = false;
    if (this.grid.element.isConnected) this.grid.focus(this.item);
  }
}
