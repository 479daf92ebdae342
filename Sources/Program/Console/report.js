// A diagnostic report: the answer of diagnosticConsole.getReport, as the console and the diagnostics page show it.

import { h } from "./dom.js";
import { badge, breakable, card, facts } from "./parts.js";

/// The sections of a report, reduced to the notes, facts and rows that a search finds.
export function found({ sections }, search) {
  if (search.isEmpty) return sections;
  const matches = (...texts) => search.matches(texts.map(textOf).join(" "));
  const matching = (part) => ({
    ...part,
    note: part.note && matches(part.note) ? part.note : null,
    facts: part.facts.filter(({ name, value }) => matches(name, value)),
    tables: part.tables.map((table) => (
      { ...table, rows: table.rows.filter(({ cells, group }) => matches(...cells, group)) }))
      .filter(({ rows }) => rows.length > 0),
  });
  return sections.map((section) => (
    { ...section, parts: section.parts.map(matching).filter((part) => countIn(part) > 0) }))
    .filter(({ parts }) => parts.length > 0);
}

/// How many notes, facts and rows sections have.
export const count = (sections) =>
  sections.flatMap(({ parts }) => parts).reduce((sum, part) => sum + countIn(part), 0);

const countIn = ({ note, facts, tables }) =>
  (note ? 1 : 0) + facts.length + tables.reduce((sum, { rows }) => sum + rows.length, 0);

const textOf = (value) => (typeof value === "string" ? value
  : value ? `${value.text} ${value.moment?.exact ?? ""} ${value.moment?.distance ?? ""}` : "");

/// One card for each section. `isSearch` opens what is folded.
export const sectionCards = (sections, isSearch) => sections.map(({ id, title, parts }) => {
  const heading = `report-${id}-title`;
  return card({ id: `report-${id}`, class: "report", "aria-labelledby": heading, "data-key": `report-${id}` },
    h("h2", { id: heading }, title), parts.map((part) => content(part, isSearch)));
});

function content({ title, tag, note, facts: pairs, tables }, isSearch) {
  const inner = [
    note && h("p", { class: "note" }, breakable(note)),
    pairs.length > 0 && facts(pairs.map(({ name, value }) => [name, shown(value)])),
    tables.map((table) => folded(table, isSearch)),
  ];
  if (!title) return inner;
  return h("article", {}, h("h3", { class: "head" }, h("span", {}, breakable(title)), tag && shown(tag)), inner);
}

/// The table, with its minor rows behind a click.
function folded({ title, columns, rows, empty }, isSearch) {
  if (rows.length === 0) return h("p", { class: "note" }, empty);
  const minor = rows.filter(({ isMinor }) => isMinor);
  const major = rows.filter(({ isMinor }) => !isMinor);
  return [
    major.length > 0 && grid(title, columns, major),
    minor.length > 0 && h("details", { open: isSearch, "data-key": `${title} ${isSearch}` },
      h("summary", {}, minor.length === 1 ? "1 more at its default or not applicable"
        : `${minor.length} more at their defaults or not applicable`),
      grid(`${title}: at their defaults or not applicable`, columns, minor)),
  ];
}

/// The roles tell assistive technology that this is a table, even if a narrow screen shows the rows as blocks.
function grid(title, columns, rows) {
  return h("table", { role: "table" },
    h("caption", {}, title),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map((column) =>
      h("th", { role: "columnheader", scope: "col" }, column)))),
    chunks(rows).map((chunk) => h("tbody", { role: "rowgroup" },
      chunk[0].group && h("tr", { role: "row", class: "group" },
        h("th", { role: "rowheader", scope: "rowgroup", colspan: String(columns.length) }, breakable(chunk[0].group))),
      chunk.map((row) => line(row, columns)))));
}

/// Neighbors with the same group together.
function chunks(rows) {
  const all = [];
  for (const row of rows) {
    if (all.length > 0 && all.at(-1)[0].group === row.group) all.at(-1).push(row);
    else all.push([row]);
  }
  return all;
}

const line = ({ cells }, columns) => h("tr", { role: "row" }, cells.map((cell, index) => (index === 0
  ? h("th", { role: "rowheader", scope: "row", "data-column": columns[0] }, shown(cell))
  : h("td", { role: "cell", "data-column": columns[index] }, shown(cell)))));

const shown = (value) => (value.tone === "plain" ? words(value) : badge(value.tone, words(value)));

/// A time is shown as its distance; the exact time appears on hover, and on paper.
const words = ({ text, moment }) => (moment
  ? h("time", { datetime: moment.time, title: moment.exact }, moment.distance) : breakable(text));
