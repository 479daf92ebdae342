// What the page says and asks: notices, and questions before something is lost.

import { h, render } from "./dom.js";
import { icon } from "./icons.js";
import { button, freshId, iconButton } from "./parts.js";
import { t } from "./text.js";

/// Opens a dialog and returns what closes it. `closed` is called then, and if the user presses Escape.
export function openDialog(kind, title, content, closed = () => {}) {
  const heading = freshId("dialog");
  const dialog = h("dialog", { class: kind, "aria-labelledby": heading }, h("h2", { id: heading }, title), content);
  dialog.addEventListener("close", () => { dialog.remove(); closed(); }, { once: true });
  document.body.append(dialog);
  dialog.showModal();
  return () => dialog.close();
}

/// Asks before something is lost. `losses` names what goes. Resolves to whether the user agrees.
export function confirm({ title, text, losses = [], action }) {
  return new Promise((resolve) => {
    const answer = (isAgreed) => { resolve(isAgreed); close(); };
    const close = openDialog("confirm", title, [
      text && h("p", {}, text),
      losses.length > 0 && h("ul", {}, losses.map((loss) => h("li", {}, loss))),
      h("div", { class: "actions" },
        button(t("cancel"), () => answer(false), { autofocus: true }),
        button(action, () => answer(true), { kind: "danger" })),
    ], () => resolve(false));
  });
}

const SHORT = 4000;
const notices = [];
let region = null;

/// Where notices appear: one live region, which is in the page from the start.
export function noticeRegion() {
  region ??= h("div", { class: "notices", role: "status", "aria-live": "polite" });
  return region;
}

/// Says what happened. Errors stay until the user closes them.
export function notify(text, tone = "good", detail = null) {
  if (tone === "bad" && notices.some((notice) => notice.text === text)) return;
  const notice = { text, tone, detail };
  notices.push(notice);
  if (notices.length > 3) notices.shift();
  if (tone !== "bad") setTimeout(() => dismiss(notice), SHORT);
  showNotices();
}

export function dismiss(notice = notices.at(-1)) {
  const index = notices.indexOf(notice);
  if (index < 0) return false;
  notices.splice(index, 1);
  showNotices();
  return true;
}

function showNotices() {
  render(noticeRegion(), notices.map((notice) => h("div", { class: `notice is-${notice.tone}` },
    icon(notice.tone === "good" ? "check" : "warn"),
    h("p", {}, notice.text, notice.detail && h("small", {}, notice.detail)),
    iconButton(t("close"), "close", () => dismiss(notice)))));
  // On a phone, the page ends above them.
  document.documentElement.style.setProperty("--notices", `${noticeRegion().offsetHeight}px`);
}
