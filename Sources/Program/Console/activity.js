// Events and log lines as they come.

import { h, mount, perFrame } from "./dom.js";
import { LEVELS, eventTypes, feeds, listen } from "./feed.js";
import { exact, shortTime } from "./format.js";
import { LongList } from "./list.js";
import { badge, button, choice, panel, remark, searchField, tabs, toneOf, viewTitle } from "./parts.js";
import { changed, setter, state } from "./state.js";
import { t } from "./text.js";

const view = { tab: "events" };

const counted = perFrame(() => { if (location.hash === "#activity") changed(); });

/// Follows events and log, whatever view is open.
export const follow = (server) => listen(server, counted);

export function activityView() {
  const items = [["events", t("activity.events")], ["log", t("activity.log")]];
  const feed = feeds[view.tab];
  listOf(feed).name(t(`activity.${view.tab}`));
  return [
    viewTitle(t("nav.activity"), t("activity.about")),
    tabs(t("nav.activity"), items, view.tab, setter(view, "tab")),
    panel(view.tab,
      tools(feed),
      h("div", { class: "card flush", "data-key": `feed-${view.tab}` },
        mount(`list-${view.tab}`, (element) => listOf(feed).show(element)),
        feed.found.length === 0 && h("p", { class: "over" }, t("activity.none"))),
      detail(feed)),
  ];
}

function tools(feed) {
  const filter = (change) => { feed.filter(change); changed(); };
  const choose = (wanted) => filter({ choice: wanted });
  return h("div", { class: "tools" },
    feed === feeds.events
      ? choice(t("activity.type"), [["", t("activity.all")], ...[...eventTypes].sort()], feed.choice, choose,
        "activity-type")
      : choice(t("activity.level"), LEVELS, feed.choice, choose, "activity-level"),
    searchField(t("activity.filter"), feed.search, (search) => filter({ search })),
    h("div", { class: "actions" },
      button(feed.isPaused ? t("prompt.goOn") : t("activity.pause"),
        () => { feed.pause(!feed.isPaused); changed(); }, { "aria-pressed": String(feed.isPaused) }),
      button(t("activity.clear"), () => { feed.clear(); changed(); })),
    h("p", { class: "note count" }, feed.isPaused
      ? t("activity.waiting", { count: feed.waiting.length })
      : t("activity.count", { found: feed.found.length, all: feed.items.length })),
    feed.isFull && h("p", { class: "note", role: "status" }, t("activity.full")));
}

/// One list for each feed, which keeps its place while another view is shown.
function listOf(feed) {
  const cells = feed === feeds.events ? eventCells : logCells;
  feed.list ??= new LongList({
    rowCount: () => feed.found.length, cells: (index) => cells(feed.row(index)),
    opened: (index) => { feed.opened = feed.row(index); changed(); } });
  return feed.list;
}

/// The method of the request that caused an event or a line, with its number if it is a recorded call.
function causeOf(item) {
  const { id, method } = (item.params ?? item).cause ?? {};
  const entry = state.recorder.entries.find((call) => call.id === id);
  return entry ? `#${entry.number} ${method}` : method ?? "";
}

const withCause = (item) => (causeOf(item) ? [["cause", causeOf(item)]] : []);

function eventCells(item) {
  return [["when", shortTime(item.params.time ?? 0)], ["number", item.params.seq ? String(item.params.seq) : ""],
    ["text", item.text], ...withCause(item)];
}

function logCells(item) {
  return [["when", shortTime(item.time)], [`level is-${item.level}`, item.level],
    ["text", `${item.category}: ${item.message}`], ...withCause(item)];
}

function detail(feed) {
  const item = feed.opened;
  if (!item) return remark(t("activity.open"));
  const cause = causeOf(item);
  const time = item.params?.time ?? item.time;
  return h("section", { class: "card", "aria-label": t("activity.content"), "data-key": "detail" },
    h("header", { class: "head" },
      h("h2", { class: "long" }, item.text ?? item.message),
      item.level && badge(toneOf(item.level), item.level)),
    remark(time && `${exact(time, { seconds: true })} UTC`,
      cause && ` · ${t("activity.cause", { cause })}`),
    h("pre", { tabindex: "0", "aria-label": t("activity.content") },
      JSON.stringify(item.params ? { type: item.type, params: item.params } : item, null, 2)));
}
