// A list of any length: only the rows in sight are in the document.

import { h, perFrame } from "./dom.js";
import { freshId } from "./parts.js";

const BEYOND = 8;
const narrow = matchMedia("(max-width: 40rem)");

/// `rowCount()` is the number of rows; `cells(index)` returns the cells of one as [class, text]; `opened(index)` is
/// called when the user opens a row. While the end is in sight, the list follows it. A list lasts as long as the page.
export class LongList {
  #pool = [];
  #active = -1;
  #follows = true;
  #top = 0;
  #version = 0;

  constructor({ rowCount, cells, opened }) {
    Object.assign(this, { rowCount, cells, opened });
    this.space = h("div", { class: "space", role: "presentation" });
    this.element = h("div", { class: "long-list", role: "listbox", tabindex: "0",
      onkeydown: (event) => this.#key(event) }, this.space);
    this.update = perFrame(() => this.#draw());
    this.element.addEventListener("scroll", () => { this.#noteFollowing(); this.update(); }, { passive: true });
    narrow.addEventListener("change", () => this.refill());
    new ResizeObserver(() => this.update()).observe(this.element);
  }

  get height() { return narrow.matches ? 58 : 34; }

  name(label) { this.element.ariaLabel = label; }

  /// Puts the list into an element, scrolled to where it was.
  show(parent) {
    parent.append(this.element);
    this.#stretch();
    this.element.scrollTop = this.#follows ? this.rowCount() * this.height : this.#top;
    this.refill();
  }

  /// Draws every row again, after the rows themselves have changed.
  refill() {
    this.#version += 1;
    this.update();
  }

  /// Notes that the first `count` rows are gone. The rows in sight keep their places on the screen.
  shift(count) {
    const { element, height } = this;
    this.#active = Math.max(-1, this.#active - count);
    this.#top = Math.max(0, (element.isConnected ? element.scrollTop : this.#top) - count * height);
    if (!this.#follows) element.scrollTop = this.#top;
    this.refill();
  }

  /// Selects no row, and follows the end again.
  reset() {
    this.#active = -1;
    this.#follows = true;
    this.refill();
  }

  #noteFollowing() {
    const { scrollTop, clientHeight } = this.element;
    this.#top = scrollTop;
    this.#follows = scrollTop + clientHeight >= this.rowCount() * this.height - this.height;
  }

  #stretch() { this.space.style.setProperty("height", `${this.rowCount() * this.height}px`); }

  #draw() {
    const { element, height } = this;
    if (!element.isConnected) return;
    const count = this.rowCount();
    this.#stretch();
    if (this.#follows && element.scrollTop + element.clientHeight < count * height) element.scrollTop = count * height;
    const first = Math.max(0, Math.floor(element.scrollTop / height) - BEYOND);
    const last = Math.min(count, Math.ceil((element.scrollTop + element.clientHeight) / height) + BEYOND);
    while (this.#pool.length < last - first) this.#pool.push(this.#newRow());
    this.#pool.forEach((row, offset) => {
      const index = first + offset;
      row.hidden = index >= last;
      if (!row.hidden) this.#fill(row, index, count);
    });
    const shown = this.#active >= first && this.#active < last;
    if (shown) element.setAttribute("aria-activedescendant", this.#pool[this.#active - first].id);
    else element.removeAttribute("aria-activedescendant");
  }

  #newRow() {
    const row = h("div", { class: "line", role: "option", id: freshId("line") });
    row.addEventListener("click", () => this.#open(row.index));
    this.space.append(row);
    return row;
  }

  #fill(row, index, count) {
    row.style.setProperty("transform", `translateY(${index * this.height}px)`);
    row.setAttribute("aria-setsize", count);
    row.setAttribute("aria-selected", String(index === this.#active));
    if (row.index === index && row.version === this.#version) return;
    Object.assign(row, { index, version: this.#version });
    row.setAttribute("aria-posinset", index + 1);
    row.replaceChildren(...this.cells(index).map(([name, text]) => h("span", { class: name }, text)));
  }

  #key(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.height) - 1);
    const count = this.rowCount();
    const from = this.#active < 0 ? (event.key === "ArrowUp" || event.key === "PageUp" ? count : -1) : this.#active;
    const to = {
      ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + page, PageUp: from - page, Home: 0, End: count - 1,
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (this.#active >= 0) this.#open(this.#active);
    } else if (event.key in to && count > 0) {
      event.preventDefault();
      this.#active = Math.min(count - 1, Math.max(0, to[event.key]));
      this.#reveal();
    }
  }

  #open(index) {
    this.#active = index;
    this.#reveal();
    this.opened(index);
  }

  #reveal() {
    const { element, height } = this;
    const top = this.#active * height;
    const lowest = top + height - element.clientHeight;
    element.scrollTop = Math.min(top, Math.max(lowest, element.scrollTop));
    this.#noteFollowing();
    this.update();
  }
}
