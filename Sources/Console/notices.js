// What the page says and asks: notices, and questions before something is lost.

import { h, render } from "./dom.js";
import { icon } from "./icons.js";
import { button, freshId, iconButton } from "./parts.js";
import { lost } from "./state.js";
import { t } from "./text.js";

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
