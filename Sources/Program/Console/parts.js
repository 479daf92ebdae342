// Controls and pieces that all views and the diagnostics page share. They know neither the server nor a language.

import { h } from "./dom.js";
import { icon } from "./icons.js";

let numbers = 0;
export const freshId = (name) => `${name}-${++numbers}`;

/// `kind` is "main" for the action of a view, "danger" for one that removes something.
export function button(label, onclick, { kind = "", symbol = null, ...attributes } = {}) {
  return h("button", { type: "button", class: `button ${kind}`, onclick, ...attributes },
    symbol && icon(symbol), label);
}

export const iconButton = (label, symbol, onclick) =>
  h("button", { type: "button", class: "round", "aria-label": label, title: label, onclick }, icon(symbol));

export const badge = (tone, text) => h("span", { class: tone }, text);

/// What is good, needs attention, or is bad: states of accounts, outcomes of launch checks, what falls due, log levels.
/// Everything else is neutral.
const TONES = {
  good: ["enrolled", "allow", "passed", "accepted"],
  warning: ["retrying", "offline", "warn", "challenge", "offlineBlock", "pinExpiry", "clockStale", "warning"],
  bad: ["blocked", "wiping", "block", "wipe", "offlineWipe", "error"],
};
export const toneOf = (word) => Object.keys(TONES).find((tone) => TONES[tone].includes(word)) ?? "neutral";

export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(Boolean).map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

export const card = (attributes, ...children) =>
  h("section", { ...attributes, class: `card ${attributes.class ?? ""}` }, children);

/// A card with a heading. `key` tells it from other cards of the view.
export const titledCard = (key, heading, ...children) =>
  card({ "data-key": key, "aria-labelledby": `${key}-title` }, h("h2", { id: `${key}-title` }, heading), children);

/// A labelled choice. `options` are values or pairs of a value and its text.
export function choice(label, options, value, onchange, id) {
  const pairs = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  return h("div", { class: "field" },
    h("label", { for: id }, label),
    h("select", { id, onchange: (event) => onchange(event.target.value), value },
      pairs.map(([value, text]) => h("option", { value }, text))));
}

export function searchField(label, value, oninput) {
  return h("div", { class: "search" },
    icon("search"),
    h("input", { type: "search", "aria-label": label, placeholder: label, autocomplete: "off", spellcheck: "false",
      value, oninput: (event) => oninput(event.target.value) }));
}

/// Finds texts that contain all words of what a user types, in any order.
export class Search {
  #words;

  constructor(typed) { this.#words = typed.toLowerCase().split(/\s+/).filter(Boolean); }

  get isEmpty() { return this.#words.length === 0; }

  matches(text) {
    const found = text.toLowerCase();
    return this.#words.every((word) => found.includes(word));
  }
}

/// A switch with its label and, below it, what it means.
export function toggle(label, checked, onchange, hint = null) {
  return h("label", { class: "switch" },
    h("input", { type: "checkbox", role: "switch", checked, onchange: (event) => onchange(event.target.checked) }),
    h("span", { class: "track", "aria-hidden": "true" }),
    h("span", { class: "words" }, label, hint && h("small", {}, hint)));
}

/// Tabs, of which one is in the order of the Tab key; arrow keys, Home and End move between them.
export function tabs(label, items, selected, onselect) {
  const move = (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const index = items.findIndex(([id]) => id === selected);
    let next = null;
    if (event.key in steps) next = (index + steps[event.key] + items.length) % items.length;
    if (event.key === "Home") next = 0;
    if (event.key === "End") next = items.length - 1;
    if (next === null) return;
    event.preventDefault();
    const list = event.currentTarget;
    onselect(items[next][0]);
    list.children[next].focus();
  };
  return h("div", { role: "tablist", "aria-label": label, class: "tabs", onkeydown: move },
    items.map(([id, text]) => h("button", {
      type: "button", role: "tab", id: `tab-${id}`, "aria-selected": String(id === selected),
      "aria-controls": id === selected ? `panel-${id}` : null,
      tabindex: id === selected ? "0" : "-1", onclick: () => onselect(id) }, text)));
}

export const panel = (id, ...children) => h("div", {
  role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, class: "panel" }, children);

/// A sentence in a quieter color.
export const remark = (...children) => h("p", { class: "note" }, children);

/// The heading of a view, and what it shows.
export const viewTitle = (heading, ...about) =>
  h("header", { class: "title" }, h("h1", {}, heading), remark(...about));

export const textField = (label, id, attributes, hint = null) => h("div", { class: "field" },
  h("label", { for: id }, label),
  h("input", { id, type: "text", autocomplete: "off", spellcheck: "false", ...attributes }),
  hint);

export const empty = (text) => h("div", { class: "empty" }, h("p", {}, text));

/// The length of a word that fits into a narrow column, as a time of RFC 3339 does.
const LONGEST_WORD = 26;
const PART_ENDS = /(?<=\p{Ll})(?=\p{Lu})|(?<=[-_./:;,@=+&?])(?=[^-_./:;,@=+&?])/u;
/// Controls, and characters that change the direction of the text after them.
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/// A text for a narrow column. A word stays in one piece, but a long name may break between its parts, and a part that
/// is still long may break anywhere. Invisible characters are shown as their numbers, such as U+202E.
export function breakable(text) {
  const visible = text.replace(INVISIBLE, (character) =>
    `U+${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return visible.split(" ").flatMap((word, index) => [index > 0 && " ", word.length > LONGEST_WORD
    ? word.split(PART_ENDS).map((part, index) => [index > 0 && h("wbr"),
      part.length > LONGEST_WORD ? h("span", { class: "long" }, part) : part])
    : word]);
}
