// Controls and pieces that all views share.

import { h, render } from "./dom.js";
import { icon } from "./icons.js";
import { lost } from "./state.js";
import { t } from "./text.js";

let numbers = 0;
export const freshId = (name) => `${name}-${++numbers}`;

/// `kind` is "main" for the action of a view, "danger" for one that removes something.
export function button(label, onclick, { kind = "", symbol = null, ...attributes } = {}) {
  return h("button", { type: "button", class: `button ${kind}`, onclick, ...attributes },
    symbol && icon(symbol), label);
}

export function iconButton(label, symbol, onclick, attributes = {}) {
  return h("button", { type: "button", class: "round", "aria-label": label, title: label, onclick, ...attributes },
    icon(symbol));
}

export const badge = (tone, text) => h("span", { class: tone }, text);

export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(Boolean).map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

export const card = (attributes, ...children) =>
  h("section", { ...attributes, class: `card ${attributes.class ?? ""}` }, children);

/// A labelled choice. `options` are values or pairs of a value and its text.
export function choice(label, options, value, onchange, attributes = {}) {
  const pairs = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  const id = attributes.id ?? `choice-${label.replace(/\W+/g, "-")}`;
  return h("div", { class: "field" },
    h("label", { for: id }, label),
    h("select", { ...attributes, id, onchange: (event) => onchange(event.target.value), value },
      pairs.map(([value, text]) => h("option", { value }, text))));
}

export function searchField(label, value, oninput) {
  return h("div", { class: "search" },
    icon("search"),
    h("input", { type: "search", "aria-label": label, placeholder: label, autocomplete: "off", spellcheck: "false",
      value, oninput: (event) => oninput(event.target.value) }));
}

/// A switch with its label and, below it, what it means.
export function toggle(label, checked, onchange, { hint = null, ...attributes } = {}) {
  return h("label", { class: "switch" },
    h("input", { type: "checkbox", role: "switch", checked, onchange: (event) => onchange(event.target.checked),
      ...attributes }),
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

export const empty = (text, ...children) => h("div", { class: "empty" }, h("p", {}, text), children);

/// Asks before something is lost. `losses` names what goes. Resolves to whether the user agrees.
export function confirm({ title, text, losses = [], action, kind = "danger" }) {
  return new Promise((resolve) => {
    const heading = freshId("confirm");
    const answer = (agreed) => { dialog.close(); dialog.remove(); resolve(agreed); };
    const dialog = h("dialog", { class: "confirm", "aria-labelledby": heading },
      h("h2", { id: heading }, title),
      text && h("p", {}, text),
      losses.length > 0 && h("ul", {}, losses.map((loss) => h("li", {}, loss))),
      h("div", { class: "actions" },
        button(t("cancel"), () => answer(false), { autofocus: true }),
        button(action, () => answer(true), { kind })));
    dialog.addEventListener("cancel", (event) => { event.preventDefault(); answer(false); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

const SHORT = 4000;
const notices = [];
let place = null;

/// Where notices appear: one live region, which is in the page from the start.
export function noticePlace() {
  place ??= h("div", { class: "notices", role: "status", "aria-live": "polite" });
  return place;
}

/// Says what happened. Errors stay until the user closes them.
export function notify(text, tone = "good", detail = null) {
  const notice = { text, tone, detail };
  notices.push(notice);
  if (notices.length > 3) notices.shift();
  if (tone !== "bad") setTimeout(() => dismiss(notice), SHORT);
  showNotices();
}

/// Says why a call failed. What is no answer of the server is thrown again.
export function failed(error) {
  if (error.code === undefined) return lost(error);
  return notify(error.message, "bad", error.data.hint);
}

export function dismiss(notice = notices.at(-1)) {
  const index = notices.indexOf(notice);
  if (index < 0) return false;
  notices.splice(index, 1);
  showNotices();
  return true;
}

function showNotices() {
  render(noticePlace(), notices.map((notice) => h("div", { class: `notice is-${notice.tone}` },
    icon(notice.tone === "good" ? "check" : "warn"),
    h("p", {}, notice.text, notice.detail && h("small", {}, notice.detail)),
    iconButton(t("close"), "close", () => dismiss(notice)))));
}
