// What the log or the dump of a real phone says. The page loads this file when the view is opened.

import { copy } from "./actions.js";
import { h, mount } from "./dom.js";
import { ROWS, SENTENCES } from "./examine-labels.js";
import { word } from "./export.js";
import { valueText } from "./format.js";
import { breakable, button, remark, titledCard, viewTitle } from "./parts.js";
import { sectionCards } from "./report.js";
import { rowOf } from "./settings.js";
import { changed, failed, state } from "./state.js";
import { extend, t } from "./text.js";

const MIB = 1 << 20;
const PASTED = "log.txt";

/// `read` is what was examined last: {name, report, text} or {name, problem}. A pasted text has no name.
const box = { pasted: "", read: null, busy: null };

extend(ROWS, SENTENCES);

export function view() {
  const submit = (event) => {
    event.preventDefault();
    examine(new Blob([box.pasted]));
  };
  return [
    viewTitle(t("nav.examine"), t("examine.about")),
    h("form", { class: "card", onsubmit: submit, "data-key": "examine" },
      h("div", { class: "field" },
        h("label", { for: "examine-lines" }, t("examine.lines")),
        mount("examine-box", fill)),
      h("div", { class: "tools" },
        h("button", { type: "submit", class: "button main" }, t("examine.examine")),
        h("div", { class: "field" },
          h("label", { for: "examine-file" }, t("examine.file")),
          h("input", { type: "file", id: "examine-file", onchange: choose }))),
      h("p", { class: "note", role: "status" }, box.busy ? t("examine.busy") : box.read && breakable(said(box.read)))),
    box.read && results(box.read),
  ];
}

/// The lines stay in their control: the page would compare them at every change.
function fill(place) {
  const lines = h("textarea", { id: "examine-lines", rows: "6", spellcheck: "false", autocomplete: "off", value: box.pasted,
    oninput: ({ target }) => { box.pasted = target.value; },
    onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) lines.form.requestSubmit(); } });
  place.append(lines);
}

function choose({ target }) {
  const [file] = target.files;
  // The same file can be chosen again.
  target.value = "";
  if (file) examine(file, file.name);
}

/// The answer of a later text counts, if several are on their way.
async function examine(blob, name = null) {
  const reading = {};
  Object.assign(box, { busy: reading, read: null });
  changed();
  const isLast = () => box.busy === reading;
  try {
    const answer = await ask(blob, name);
    if (isLast()) box.read = { name, ...answer };
  } catch (error) {
    if (isLast()) failed(error);
  } finally {
    if (isLast()) box.busy = null;
    changed();
  }
}

async function ask(blob, name) {
  const most = state.session.examines;
  if (blob.size > most) {
    return { problem: t("examine.tooLarge", { size: Math.ceil(blob.size / MIB), most: most / MIB }) };
  }
  let body;
  try {
    body = await blob.arrayBuffer();
  } catch {
    return { problem: t("examine.unreadable", { name }) };
  }
  const response = await state.server.fetch("/examine", {
    method: "POST", headers: { "Content-Type": "application/octet-stream" }, body });
  const { unreadable: problem, ...answer } = await response.json();
  return problem ? { problem } : answer;
}

const said = ({ name, problem, report }) =>
  problem ?? `${name ?? t("examine.pasted")}: ${headline(report)}.`;

function headline({ decided, causes, candidates, codes, policies, configurations, dumps }) {
  if (decided) return causes.find(({ current }) => current).title;
  const isEmpty = [candidates, codes, policies, configurations, dumps].every(({ length }) => length === 0);
  return t(isEmpty ? "examine.nothing" : "examine.undecided");
}

function results({ name, problem, report, text }) {
  const command = `mambridge examine ${word(name === null ? PASTED : name.replace(/^-/, "./-"))}`;
  return [
    report && sectionCards(sections(report, text), true),
    titledCard("examine-pass-on", t(name === null ? "examine.commandPasted" : "examine.command"),
      h("pre", { tabindex: "0" }, breakable(command)),
      report && remark(t("examine.passOn")),
      h("div", { class: "actions" },
        report && button(t("copy"), () => copy(text), { symbol: "copy" }))),
  ];
}

/// The sections of a report, as those of the diagnostic report.
function sections(report, text) {
  const { causes, candidates, codes, omittedCodes, policies, configurations, dumps } = report;
  const all = [
    section("verdict", report.decided ? t("examine.decided") : headline(report), [
      ...causes.map((cause) => part(`${cause.current ? "Cause" : "Earlier"}: ${cause.title}`,
        { "because of": `${cause.because.join(", ")}, line ${cause.line}`, ...whatToDo(cause) })),
      ...candidates.map((cause) => part(`Perhaps ${cause.title}`, whatToDo(cause))),
    ]),
    section("codes", "Codes", [part(null, {}, table("In the order of time",
      ["Time", "Line", "Code", "Meaning", "Who acts", "Account"], codes.map(codeCells)),
    omittedCodes > 0 ? `${omittedCodes} codes before these are not shown.` : null)], codes),
    section("policies", "Policies", policies.map(({ line, kind, cut, settings, notUnderstood }) =>
      part(`Policy (${kind}), line ${line}${cut ? "; its end is missing" : ""}`, {},
        table("Settings", ["Setting", "Value", "Meaning"], Object.entries(settings).map(([name, value]) =>
          [name, valueText(value), rowOf(name)?.meaning ?? ""])),
        notUnderstood.length > 0 ? `Not understood: ${notUnderstood.join(", ")}` : null)), policies),
    section("configurations", "App configurations", configurations.map(({ line, channel, names }) =>
      part(`Through ${channel === "mam" ? "app protection" : "the management of the device"}, line ${line}`, {}, null,
        names.join(", "))), configurations),
    section("dumps", "Diagnostic dumps", dumps.map(({ line, ...facts }) => part(`Line ${line}`, facts)), dumps),
  ];
  if (all.every(({ parts }) => parts.length === 0)) all[0].parts.push(part(null, {}, null, text.trim()));
  return all.filter(({ parts }) => parts.length > 0);
}

const section = (id, title, parts, found = parts) => ({ id, title, parts: found.length > 0 ? parts : [] });

const part = (title, facts, table = null, note = null) => ({
  title, note, tables: table ? [table] : [],
  facts: Object.entries(facts).map(([name, value]) => ({ name, value: plain(value) })) });

const table = (title, columns, rows) => ({ title, columns, empty: "", rows: rows.map((cells) => ({ cells: cells.map(plain) })) });

const plain = (value) => ({ text: String(value), tone: "plain" });

const whatToDo = ({ who, check, do: remedy, sources }) =>
  ({ "who acts": who, check, do: remedy, "seen in": sources });

const codeCells = ({ time, line, code, count, meaning, onlyMentioned, who, account, source }) => [
  time ?? "-", line, count > 1 ? `${code} (${count} times)` : code,
  (meaning ?? `Nobody has checked what it means; see ${source}.`) + (onlyMentioned ? " The input only mentions it." : ""),
  who ?? "-", account === null ? "-" : `account ${account}`];

/// Without this, the browser would leave the page to show a file that is dropped beside the box.
const isDrop = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
addEventListener("dragover", (event) => { if (isDrop(event)) event.preventDefault(); });
addEventListener("drop", (event) => {
  if (!isDrop(event)) return;
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file && location.hash === "#examine") examine(file, file.name);
});
