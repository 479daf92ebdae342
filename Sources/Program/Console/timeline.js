// The manual clock: a line from now to a year ahead, with what falls due at its place, and a knob to drag.

import { h } from "./dom.js";
import { DAY, HOUR, MINUTE, eventText, exact, isoDuration, lengthText } from "./format.js";
import { confirm, notify } from "./notices.js";
import { badge, button, card, remark, toneOf } from "./parts.js";
import { act, changed, failed, isManual, now, state } from "./state.js";
import { t } from "./text.js";

const LONGEST = 366 * DAY;
/// Lengths up to about this one get as much room on the line as all longer ones by their logarithm.
const FINE = 10 * MINUTE;
const STEPS = 1000;
const SNAP = 8;
const TICKS = [HOUR, 12 * HOUR, DAY, 7 * DAY, 30 * DAY, 90 * DAY, LONGEST];
const OFFLINE = 91 * DAY;

const view = { target: 30 * MINUTE, passed: null };

const placeOf = (length) => Math.log1p(length / FINE) / Math.log1p(LONGEST / FINE) * STEPS;
const lengthAt = (place) => FINE * Math.expm1(place / STEPS * Math.log1p(LONGEST / FINE));

/// What falls due after now: [{after, text, tone}], the next first.
const due = () => state.due.map(({ time, kind, text }) => ({
  after: Date.parse(time) - now(), tone: toneOf(kind), text })).filter(({ after }) => after > 0);

export function timelineCard() {
  const items = due();
  return card({ "aria-labelledby": "clock-title", "data-key": "clock" },
    h("header", { class: "head" },
      h("h2", { id: "clock-title" }, t("clock.title")),
      h("time", { class: "clock", datetime: state.information.time },
        `${exact(now(), { seconds: true })} UTC`)),
    isManual() ? [track(items), goals(items), offlineScenario(), passed()]
      : remark(t("clock.system")));
}

function track(items) {
  const place = Math.round(placeOf(view.target));
  const move = (event) => {
    const at = Number(event.target.value);
    const near = items.find(({ after }) => Math.abs(placeOf(after) - at) <= SNAP);
    view.target = near ? near.after : rounded(lengthAt(at));
    changed();
  };
  return h("div", { class: "timeline" },
    h("ol", { class: "marks", "aria-label": t("clock.due") }, items.map((item) => h("li", {
      class: `mark is-${item.tone}`, css: { "--at": `${placeOf(item.after) / STEPS * 100}%` }, title: item.text },
    h("span", { class: "unseen" }, `${t("clock.in", { length: lengthText(item.after) })}: ${item.text}`)))),
    h("input", { type: "range", min: "0", max: String(STEPS), step: "1", value: String(place),
      "aria-label": t("clock.target"), oninput: move,
      "aria-valuetext": t("clock.in", { length: lengthText(view.target) }),
      css: { "--at": `${place / STEPS * 100}%` } }),
    h("ol", { class: "ticks", "aria-hidden": "true" }, TICKS.map((tick) => h("li", {
      css: { "--at": `${placeOf(tick) / STEPS * 100}%` } }, lengthText(tick === LONGEST ? 365 * DAY : tick)))));
}

/// Whole minutes, hours or days, depending on the length.
function rounded(length) {
  const unit = length < 2 * HOUR ? MINUTE : length < 2 * DAY ? 15 * MINUTE : length < 14 * DAY ? HOUR : DAY;
  return Math.min(LONGEST, Math.max(MINUTE, Math.round(length / unit) * unit));
}

function goals(items) {
  const onTheWay = items.filter(({ after }) => after <= view.target);
  const next = items[0];
  return h("div", { class: "goal" },
    h("div", { class: "way" },
      h("h3", {}, t("clock.way", { length: lengthText(view.target) })),
      remark(`${exact(now() + view.target)} UTC`),
      onTheWay.length === 0 ? remark(t("clock.nothing"))
        : h("ul", { class: "plain" }, onTheWay.map((item) => h("li", {},
          badge(item.tone, t("clock.in", { length: lengthText(item.after) })), ` ${item.text}`)))),
    h("div", { class: "actions" },
      button(goText(view.target), () => advance(view.target, onTheWay), { kind: "main" }),
      next && button(t("clock.next", { length: lengthText(next.after) }), () => advance(next.after, [next]))));
}

/// Takes the network away and goes 91 days ahead, which is past the usual limit of 90.
function offlineScenario() {
  const start = async () => {
    const losses = due().filter(({ after, tone }) => after <= OFFLINE && tone !== "neutral").map(({ text }) => text);
    const agreed = await confirm({
      title: t("clock.offlineTitle"), text: t("clock.offlineText"), losses, action: t("clock.offlineGo") });
    if (!agreed) return;
    await moved(async () => {
      await act("device.set", { networkAvailable: false });
      await act("debug.advanceClock", { by: isoDuration(OFFLINE) });
    });
  };
  return h("div", { class: "scenario" },
    remark(t("clock.scenario")),
    button(t("clock.offline"), start, { symbol: "clock" }));
}

const goText = (length) => t("clock.go", { length: lengthText(length) });

async function advance(length, onTheWay) {
  const losses = onTheWay.filter(({ tone }) => tone === "bad").map(({ text }) => text);
  const agreed = losses.length === 0 || await confirm({
    title: t("clock.loseTitle", { length: lengthText(length) }), losses, action: goText(length) });
  if (agreed) await moved(() => act("debug.advanceClock", { by: isoDuration(length) }));
}

async function moved(work) {
  const start = now();
  const limits = due().filter(({ tone }) => tone !== "neutral");
  try {
    await work();
    const isOffline = state.device.networkAvailable === false;
    const reached = ({ after }) => isOffline && after <= now() - start;
    const entry = state.recorder.entries.at(-1);
    view.passed = { start, limits: limits.filter(reached), events: entry.events, gap: entry.gap };
    notify(t("clock.moved", { time: `${exact(now())} UTC` }));
  } catch (error) {
    failed(error);
  }
  changed();
}

/// What happened on the way of the last move, at the time when it happened.
function passed() {
  if (!view.passed) return null;
  const { start, events, limits, gap } = view.passed;
  const happened = shortened(events).map(({ type, params, count }) => ({
    after: Date.parse(params.time) - start, text: `${eventText(type, params)}${count > 1 ? ` × ${count}` : ""}` }));
  const all = [...happened, ...limits].sort((one, other) => one.after - other.after);
  return h("div", { class: "passed" },
    h("h3", {}, t("clock.passed")),
    gap && remark(t("clock.gap")),
    all.length === 0 ? remark(t("clock.quiet"))
      : h("ol", { class: "steps" }, all.map(({ after, text }) => h("li", {},
        h("span", { class: "kind" }, t("clock.after", { length: lengthText(after) })), h("p", {}, text)))));
}

/// Neighbors of one kind and account together, at most 40.
function shortened(events) {
  const list = [];
  for (const event of events) {
    const last = list.at(-1);
    if (last && last.type === event.type && last.params.identity === event.params.identity
      && last.params.status === event.params.status) last.count += 1;
    else list.push({ ...event, count: 1 });
  }
  return list.slice(-40);
}
