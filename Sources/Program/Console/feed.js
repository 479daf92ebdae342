// Events and log lines as they come from the server.

import { eventText } from "./format.js";
import { Search } from "./parts.js";
import { failed, refresh } from "./state.js";
import { EventStream } from "./stream.js";

export const MOST = 120_000;
const DROPPED = 20_000;
export const LEVELS = ["verbose", "info", "warning", "error"];
/// The page is read again at most this often while events arrive, in milliseconds.
const REFRESH = 1500;

/// Items as they came, and the places of those that the filter lets through.
class Feed {
  items = [];
  found = [];
  waiting = [];
  isPaused = false;
  list = null;
  opened = null;
  search = "";

  /// `choice` is the value of the control beside the search, `accepts(item, choice)` says whether an item passes it, and
  /// the search looks in `text(item)`.
  constructor({ choice, accepts, text }) {
    Object.assign(this, { choice, accepts, text });
    this.filter({});
  }

  get isFull() { return this.isPaused && this.waiting.length >= MOST; }

  add(item) {
    if (this.isPaused) {
      if (!this.isFull) this.waiting.push(item);
      return;
    }
    this.items.push(item);
    if (this.matches(item)) this.found.push(this.items.length - 1);
    if (this.items.length > MOST) this.#drop();
    this.list?.update();
  }

  /// Forgets the oldest items. The rows of the others stay in sight.
  #drop() {
    this.items.splice(0, DROPPED);
    const kept = this.found.filter((index) => index >= DROPPED);
    const gone = this.found.length - kept.length;
    this.found = kept.map((index) => index - DROPPED);
    this.list?.shift(gone);
  }

  filter({ choice = this.choice, search = this.search }) {
    const words = new Search(search);
    const matches = (item) => this.accepts(item, choice) && (words.isEmpty || words.matches(this.text(item)));
    Object.assign(this, { choice, search, matches, found: [] });
    this.items.forEach((item, index) => { if (this.matches(item)) this.found.push(index); });
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
    this.filter({});
    this.list?.reset();
  }

  row(index) { return this.items[this.found[index]]; }
}

export const feeds = {
  events: new Feed({
    choice: "", accepts: ({ type }, wanted) => wanted === "" || type === wanted,
    text: ({ type, text, params }) => `${type} ${text} ${JSON.stringify(params)}` }),
  log: new Feed({
    choice: "info", accepts: ({ level }, lowest) => LEVELS.indexOf(level) >= LEVELS.indexOf(lowest),
    text: ({ category, message }) => `${category} ${message}` }),
};
export const eventTypes = new Set();

let leave = () => {};

/// Follows events and log lines while the page is shown, and no longer those of a former server. `changed` is called at
/// each item. A hidden page needs the connections for others: a browser opens only six to a server, over all its tabs.
export function listen(server, changed) {
  leave();
  const streams = [eventStream(server, changed), logStream(server, changed)];
  let connections = new AbortController();
  const attend = () => {
    connections.abort();
    connections = new AbortController();
    if (!document.hidden) for (const stream of streams) stream.follow(connections.signal);
  };
  document.addEventListener("visibilitychange", attend);
  leave = () => {
    connections.abort();
    document.removeEventListener("visibilitychange", attend);
  };
  attend();
}

function eventStream(server, changed) {
  let lastRefresh = 0;
  let timer = null;
  const refreshSoon = () => {
    timer ??= setTimeout(() => {
      timer = null;
      lastRefresh = Date.now();
      refresh().catch(failed);
    }, Math.max(100, lastRefresh + REFRESH - Date.now()));
  };
  const receive = ({ event, data }) => {
    const params = JSON.parse(data);
    eventTypes.add(event);
    feeds.events.add({ type: event, params, text: eventText(event, params) });
    refreshSoon();
    changed();
  };
  return new EventStream(server, "/events", { receive, failed, opened: refreshSoon });
}

function logStream(server, changed) {
  const receive = ({ data }) => {
    feeds.log.add(JSON.parse(data));
    changed();
  };
  // The stream of events says what is wrong with the server.
  return new EventStream(server, "/log?level=verbose", { receive });
}
