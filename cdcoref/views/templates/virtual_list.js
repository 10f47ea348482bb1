// A long list in which only the rows in view are elements: rows of any height, estimated first and measured when drawn.

/** Heights of rows, with their sums: both are read and changed in logarithmic time. */
class Heights {
  constructor(count, guess) {
    this.count = count;
    this.height = new Float64Array(count);
    this.tree = new Float64Array(count + 1);
    for (let i = 0; i < count; i += 1) {
      this.height[i] = guess(i);
      this.tree[i + 1] += this.height[i];
      const parent = i + 1 + ((i + 1) & -(i + 1));
      if (parent <= count) this.tree[parent] += this.tree[i + 1];
    }
    this.top = 2 ** Math.floor(Math.log2(Math.max(1, count)));
  }

  set(index, height) {
    const change = height - this.height[index];
    this.height[index] = height;
    for (let i = index + 1; i <= this.count; i += i & -i) this.tree[i] += change;
  }

  /** The height of all rows before one. */
  before(index) {
    let sum = 0;
    for (let i = index; i > 0; i -= i & -i) sum += this.tree[i];
    return sum;
  }

  /** The row at `pixels` below the top of the first. */
  at(pixels) {
    let index = 0;
    let left = pixels;
    for (let step = this.top; step > 0; step >>= 1) {
      if (index + step <= this.count && this.tree[index + step] <= left) {
        index += step;
        left -= this.tree[index];
      }
    }
    return Math.min(index, this.count - 1);
  }
}

class VirtualList {
  /**
   * `viewport` scrolls; `guess(index, width)` estimates a row's height in pixels before it is known, `render(index)`
   * creates its element; `moved(list)` is called after every drawing. `tail` is the share of the viewport that stays
   * empty after the last row, so that this row can be scrolled up too.
   */
  constructor(viewport, { guess, render, moved = (list) => {}, tail = 0 }) {
    Object.assign(this, { viewport, guess, render, moved, tail, rows: new Map(), count: 0, width: 0, waiting: false });
    this.sizer = document.createElement("div");
    this.sizer.className = "sizer";
    this.sizer.setAttribute("role", "presentation");
    viewport.replaceChildren(this.sizer);
    viewport.addEventListener("scroll", () => this.drawSoon(), { passive: true });
    new ResizeObserver(() => this.resized()).observe(viewport);
    this.reset(0);
  }

  /** Start over with `count` rows. */
  reset(count) {
    this.count = count;
    this.width = this.viewport.clientWidth;
    this.heights = new Heights(count, (index) => this.guess(index, this.width || 320));
    this.clear();
    this.viewport.scrollTop = 0;
    this.draw();
  }

  /** Redraw all rows where they are. */
  refresh() {
    this.clear();
    this.draw();
  }

  clear() {
    for (const element of this.rows.values()) element.remove();
    this.rows.clear();
  }

  resized() {
    const { clientWidth } = this.viewport;
    if (clientWidth === 0) return;
    if (clientWidth !== this.width) {
      const anchor = this.anchor();
      this.width = clientWidth;
      this.heights = new Heights(this.count, (index) => this.guess(index, clientWidth));
      this.clear();
      this.restore(anchor);
    }
    this.draw();
  }

  /** The position at the top: a row, and how far it is scrolled out of view. */
  anchor() {
    const top = this.viewport.scrollTop;
    const index = this.count ? this.heights.at(top) : 0;
    return { index, offset: top - this.heights.before(index) };
  }

  restore({ index, offset }) {
    if (index >= this.count) return;
    this.drawAt(index, offset);
  }

  /** Bring a row into view with `share` of the viewport above it; if `lazy`, only if it is not in view. */
  show(index, { share = 0.3, lazy = false } = {}) {
    const { clientHeight, scrollTop } = this.viewport;
    const top = this.heights.before(index);
    const visible = top >= scrollTop && top + this.heights.height[index] <= scrollTop + clientHeight;
    if (lazy && visible) this.draw();
    else this.drawAt(index, -clientHeight * share);
  }

  drawAt(index, offset) {
    this.resize();
    this.viewport.scrollTop = this.heights.before(index) + offset;
    this.draw({ index, offset: this.viewport.scrollTop - this.heights.before(index) });
  }

  resize() {
    const height = this.heights.before(this.count) + this.tail * this.viewport.clientHeight;
    this.sizer.style.height = `${height}px`;
  }

  drawSoon() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw(anchor = this.anchor()) {
    const { viewport, heights, rows } = this;
    if (viewport.clientHeight === 0) return;
    const margin = viewport.clientHeight / 2;
    // Rows turn out higher or lower than estimated, so others come into view: repeat until nothing changes.
    for (let round = 0; round < 8; round += 1) {
      const top = viewport.scrollTop;
      const first = this.count ? heights.at(Math.max(0, top - margin)) : 0;
      const last = this.count ? heights.at(top + viewport.clientHeight + margin) : -1;
      for (const [index, element] of rows) {
        if (index < first || index > last) {
          if (element.contains(document.activeElement)) viewport.focus({ preventScroll: true });
          element.remove();
          rows.delete(index);
        }
      }
      const added = [];
      for (let index = first; index <= last; index += 1) {
        if (!rows.has(index)) {
          const element = this.render(index);
          element.classList.add("row");
          element.dataset.row = index;
          rows.set(index, element);
          added.push(index);
          this.insert(index, element);
        }
      }
      const measured = added.map((index) => rows.get(index).getBoundingClientRect().height);
      added.forEach((index, n) => heights.set(index, measured[n]));
      this.resize();
      if (!added.length) break;
      const wanted = heights.before(anchor.index) + anchor.offset;
      if (Math.abs(viewport.scrollTop - wanted) >= 1) viewport.scrollTop = wanted;
    }
    for (const [index, element] of rows) element.style.transform = `translateY(${heights.before(index)}px)`;
    this.moved(this);
  }

  /** Elements are in the order of their rows, so that Tab and screen readers go from one to the next. */
  insert(index, element) {
    let after = null;
    for (let sibling = this.sizer.lastElementChild; sibling; sibling = sibling.previousElementSibling) {
      if (Number(sibling.dataset.row) < index) break;
      after = sibling;
    }
    this.sizer.insertBefore(element, after);
  }
}
