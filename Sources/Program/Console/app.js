// The frame of the page: its head, its navigation, the chosen view and the drawer.

import { accountsView } from "./accounts.js";
import { activityView, follow } from "./activity.js";
import { askView } from "./ask.js";
import { deviceView } from "./device.js";
import { diagnosticsView } from "./diagnostics.js";
import { h, perFrame, render } from "./dom.js";
import { drawer } from "./drawer.js";
import { exact } from "./format.js";
import { icon } from "./icons.js";
import { launchView } from "./launch.js";
import { dismiss, noticeRegion } from "./notices.js";
import { badge, iconButton, remark, textField } from "./parts.js";
import { policyView } from "./policy.js";
import { Server, takeToken } from "./rpc.js";
import { changed, failed, isManual, now, reached, refresh, start, state, watch } from "./state.js";
import { LANGUAGES, language, preferred, speak, t } from "./text.js";

const VIEWS = {
  accounts: accountsView, policy: policyView, ask: askView, device: deviceView, launch: launchView,
  activity: activityView, diagnostics: diagnosticsView, examine: later(() => import("./examine.js")),
};
/// The system clock goes on without events, so the page is read again in this interval, in milliseconds.
const CLOCK = 30_000;
const page = { isRecordOpen: false, theme: "auto", hasStarted: false, server: null, failure: null };
const root = document.getElementById("app");

/// A view whose file is loaded when the view is first opened.
function later(load) {
  let show = () => {
    show = () => null;
    load().then(({ view }) => { show = view; }).finally(changed);
  };
  return () => show();
}

const viewName = () => (location.hash.slice(1) in VIEWS ? location.hash.slice(1) : "accounts");

const draw = perFrame(() => {
  render(root, page.hasStarted && !state.refused ? frame() : signedOut());
  document.title = page.hasStarted ? `${t(`nav.${viewName()}`)} · mambridge console` : "mambridge console";
});

function frame() {
  const name = viewName();
  return [
    h("a", { class: "skip", href: "#main", onclick: skip }, t("skip")),
    head(),
    h("div", { class: `body ${page.isRecordOpen ? "has-drawer" : ""}` },
      navigation(name),
      h("main", { id: "main", tabindex: "-1", "data-key": "main" },
        !state.online && h("p", { class: "banner is-bad", role: "alert" }, t("offline")),
        h("div", { class: "view", "data-key": name }, VIEWS[name]())),
      page.isRecordOpen && h("aside", { class: "drawer", "aria-label": t("record.title"), "data-key": "drawer",
        onkeydown: (event) => { if (event.key === "Escape") toggleRecord(); } }, drawer(toggleRecord))),
  ];
}

function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

function head() {
  const { information, recorder } = state;
  return h("header", { class: "top" },
    h("p", { class: "brand" },
      h("img", { src: "icon.svg", alt: "", width: "24", height: "24" }), h("b", {}, "mambridge"), " console"),
    h("p", { class: "where" },
      h("span", { class: "app long" }, information.appId),
      badge(state.session.isCopy ? "neutral" : "warning", t(state.session.isCopy ? "throwaway" : "live"))),
    h("p", { class: "time", title: `${exact(now(), { seconds: true })} UTC` }, icon("clock"),
      `${exact(now())} UTC`),
    h("div", { class: "controls" },
      languageChoice(), themeButton(),
      h("button", { type: "button", class: "button record", onclick: toggleRecord,
        "aria-expanded": String(page.isRecordOpen) },
        icon("record"), h("span", { class: "label" }, t("record.open")),
        h("span", { class: "counter", "aria-label": `${t("record.calls")}: ${recorder.entries.length}` },
          String(recorder.entries.length)))));
}

function languageChoice() {
  const change = (event) => { speak(event.target.value); changed(); };
  return h("select", { class: "small", "aria-label": t("language"), onchange: change, value: language },
    Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code }, name)));
}

/// From the system's theme to the other one, and back.
function themeButton() {
  const change = () => {
    const isDark = page.theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : page.theme === "dark";
    page.theme = isDark ? "light" : "dark";
    document.documentElement.dataset.theme = page.theme;
  };
  return iconButton(t("theme"), "theme", change);
}

function toggleRecord() {
  page.isRecordOpen = !page.isRecordOpen;
  changed();
  requestAnimationFrame(() => document.querySelector(page.isRecordOpen ? ".drawer button" : ".record")?.focus());
}

function navigation(name) {
  return h("nav", { class: "views", "aria-label": t("views") },
    h("ul", {}, Object.keys(VIEWS).map((id) => h("li", {},
      h("a", { href: `#${id}`, "aria-current": id === name ? "page" : null },
        icon(id), h("span", {}, t(`nav.${id}`)))))));
}

/// What to do without a token: the page keeps it in memory only, so a reload loses it.
function signedOut() {
  const submit = (event) => {
    event.preventDefault();
    const token = /([0-9a-f]{32,})\s*$/i.exec(new FormData(event.target).get("address"))?.[1];
    if (token) openWith(token);
  };
  const reason = state.refused ? "token.refused" : page.failure ? "token.failed" : "token.missing";
  return h("main", { class: "plain" },
    h("h1", {}, "mambridge console"),
    h("p", { role: "alert" }, t(reason)),
    remark(page.failure && reason === "token.failed" ? page.failure : t("token.help")),
    h("form", { class: "inline", onsubmit: submit },
      textField(t("token.address"), "address", { name: "address", type: "password", required: true }),
      h("button", { type: "submit", class: "button main" }, t("token.open"))));
}

/// Starts with a token. A page that runs already is loaded again, so that nothing of a former server stays in it.
function openWith(token) {
  if (page.server?.hasToken(token) && !page.failure && !state.refused) return;
  if (!page.hasStarted) return begin(token);
  history.replaceState(null, "", `#token=${token}`);
  location.reload();
}

async function begin(token) {
  const server = new Server(token, { reached });
  Object.assign(state, { refused: false, online: true });
  Object.assign(page, { server, failure: null });
  try {
    await start(server);
    if (state.session.seed) (await import("./sandbox.js")).join(VIEWS);
    page.hasStarted = true;
    follow(server);
  } catch (error) {
    page.failure = [error.message, error.data?.hint].filter(Boolean).join(" ");
    if (error.status === 401) state.refused = true;
    if (error.status === undefined && error.code === undefined) throw error;
  } finally {
    draw();
  }
}

addEventListener("hashchange", () => {
  const token = takeToken();
  if (token) openWith(token);
  draw();
  scrollTo(0, 0);
  root.scrollTo(0, 0);
  requestAnimationFrame(() => document.querySelector(".views [aria-current]")
    ?.scrollIntoView({ block: "nearest", inline: "center" }));
});
setInterval(() => {
  if (page.hasStarted && !state.refused && !document.hidden && !isManual()) refresh().catch(failed);
}, CLOCK);
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) dismiss();
});
watch(draw);
document.body.append(noticeRegion());

const token = takeToken();
speak(preferred());
if (token) await begin(token);
else draw();
