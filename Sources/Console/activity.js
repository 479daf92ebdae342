// Events and log lines as they come.

import { h, live, perFrame } from "./dom.js";
import { shortTime, exact } from "./format.js";
import { LongList } from "./list.js";
import { badge, button, choice, panel, Search, searchField, tabs } from "./parts.js";
import { changed, lost, refresh, state } from "./state.js";
import { follow } from "./stream.js";
import { t } from "./text.js";
import { eventText } from "./timeline.js";

const MOST = 120_000;
const DROPPED = 20_000;
/// The page is read again at most this often while events arrive.
const REFRESH = 1500;
const LEVELS = ["verbose", "info", "warning", "error"];

/// Items as they came, and the places of those that the filter lets through.
class Feed {
  items = [];
  found = [];
  waiting = [];
  isPaused = false;
  matches = () => true;
  list = null;
  opened = null;

  add(item) {
    if (this.isPaused) {
      if (this.waiting.length < MOST) this.waiting.push(item);
      return;
    }
    this.items.push(item);
    if (this.matches(item)) this.found.push(this.items.length - 1);
    if (this.items.length > MOST) this.#drop();
    this.list?.update();
  }

  #drop() {
    this.items.splice(0, DROPPED);
    this.filter(this.matches);
  }

  filter(matches) {
    this.matches = matches;
    this.found = [];
    this.items.forEach((item, index) => { if (matches(item)) this.found.push(index); });
    this.list?.refill();
  }

  pause(isPaused) {
    this.isPaused = isPaused;
    if (!isPaused) for (const item of this.waiting.splice(0)) this.add(item);
  }

  clear() {
    this.items = [];
    this.waiting = [];
    this.opened = null;
    this.filter(this.matches);
    this.list?.reset();
  }

  row(index) { return this.items[this.found[index]]; }
}

const feeds = { events: new Feed(), log: new Feed() };
const view = {
  tab: "events", search: { events: "", log: "" }, kind: "", level: "info", types: new Set(),
};

const counted = perFrame(() => { if (location.hash === "#activity") changed(); });

let listening = null;

/// Follows both streams, until the page follows those of another server.
export function listen(server) {
  listening?.abort();
  listening = new AbortController();
  const { signal } = listening;
  for (const feed of Object.values(feeds)) feed.clear();
  const connected = (isOnline, error) => {
    if (error) return lost(error);
    if (state.online === isOnline) return;
    state.online = isOnline;
    if (isOnline) refresh().catch(lost);
    changed();
  };
  let last = 0;
  let timer = null;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = null;
      last = Date.now();
      refresh().catch(lost);
    }, Math.max(100, last + REFRESH - Date.now()));
  };
  follow(server, "/events", { signal, connected, receive: ({ event, data }) => {
    const params = JSON.parse(data);
    view.types.add(event);
    feeds.events.add({ type: event, params, text: eventText(event, params) });
    soon();
    counted();
  } });
  const heard = ({ data }) => { feeds.log.add(JSON.parse(data)); counted(); };
  follow(server, "/log?level=verbose", { signal, connected: () => {}, receive: heard });
}

export function activityView() {
  const items = [["events", t("activity.events")], ["log", t("activity.log")]];
  const feed = feeds[view.tab];
  return [
    h("header", { class: "title" },
      h("h1", {}, t("nav.activity")),
      h("p", { class: "note" }, t("activity.about"))),
    tabs(t("nav.activity"), items, view.tab, (tab) => { view.tab = tab; changed(); }),
    panel(view.tab,
      tools(feed),
      h("div", { class: "card flush", "data-key": `feed-${view.tab}` },
        live(`list-${view.tab}`, (place) => makeList(place, view.tab)),
        feed.found.length === 0 && h("p", { class: "over" }, t("activity.none"))),
      detail(feed)),
  ];
}

function tools(feed) {
  const search = (text) => { view.search[view.tab] = text; applyFilter(); };
  return h("div", { class: "tools" },
    view.tab === "events"
      ? choice(t("activity.type"), [["", t("activity.all")], ...[...view.types].sort()], view.kind,
        (kind) => { view.kind = kind; applyFilter(); }, { id: "activity-type" })
      : choice(t("activity.level"), LEVELS, view.level, (level) => { view.level = level; applyFilter(); },
        { id: "activity-level" }),
    searchField(t("activity.filter"), view.search[view.tab], search),
    h("div", { class: "actions" },
      button(feed.isPaused ? t("prompt.goOn") : t("activity.pause"),
        () => { feed.pause(!feed.isPaused); changed(); }, { "aria-pressed": String(feed.isPaused) }),
      button(t("activity.clear"), () => { feed.clear(); changed(); })),
    h("p", { class: "note count" }, feed.isPaused
      ? t("activity.waiting", { count: feed.waiting.length })
      : t("activity.count", { found: feed.found.length, all: feed.items.length })));
}

function applyFilter() {
  const search = new Search(view.search[view.tab]);
  if (view.tab === "events") {
    feeds.events.filter(({ type, text, params }) => (!view.kind || type === view.kind)
      && (search.isEmpty || search.matches(`${type} ${text} ${JSON.stringify(params)}`)));
  } else {
    const lowest = LEVELS.indexOf(view.level);
    feeds.log.filter(({ level, category, message }) => LEVELS.indexOf(level) >= lowest
      && search.matches(`${category} ${message}`));
  }
  changed();
}

function makeList(place, name) {
  const feed = feeds[name];
  const cells = name === "events" ? eventCells : logCells;
  feed.list = new LongList({
    label: t(`activity.${name}`), rowCount: () => feed.found.length, cells: (index) => cells(feed.row(index)),
    opened: (index) => { feed.opened = feed.row(index); changed(); } });
  place.append(feed.list.element);
  feed.list.update();
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
    ["said", item.text], ...withCause(item)];
}

function logCells(item) {
  return [["when", shortTime(item.time)], [`level is-${item.level}`, item.level],
    ["said", `${item.category}: ${item.message}`], ...withCause(item)];
}

function detail(feed) {
  const item = feed.opened;
  if (!item) return h("p", { class: "note" }, t("activity.open"));
  const cause = causeOf(item);
  const time = item.params?.time ?? item.time;
  return h("section", { class: "card", "aria-label": t("activity.content"), "data-key": "detail" },
    h("header", { class: "head" },
      h("h2", { class: "long" }, item.text ?? item.message),
      item.level && badge({ warning: "warning", error: "bad" }[item.level] ?? "neutral", item.level)),
    h("p", { class: "note" }, time && `${exact(time, { seconds: true })} UTC`,
      cause && ` · ${t("activity.cause", { cause })}`),
    h("pre", { tabindex: "0", "aria-label": t("activity.content") },
      JSON.stringify(item.params ? { type: item.type, params: item.params } : item, null, 2)));
}
