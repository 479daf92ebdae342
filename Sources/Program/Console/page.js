// The diagnostics page: one file that contains the report, and draws it.

import { h, render } from "./dom.js";
import { Search, searchField, viewTitle } from "./parts.js";
import { count, found, sectionCards } from "./report.js";

const report = JSON.parse(document.getElementById("report").textContent);
const root = document.getElementById("app");
let typed = "";

const draw = () => render(root, page());

function page() {
  const search = new Search(typed);
  const sections = found(report, search);
  const change = (text) => { typed = text; draw(); };
  return [
    h("a", { class: "skip", href: "#main" }, "Skip to the report"),
    h("header", { class: "top" },
      h("p", { class: "brand" }, h("b", {}, "mambridge"), " diagnostics"),
      h("p", { class: "where" }, h("span", { class: "long" }, report.appId))),
    h("div", { class: "body" },
      navigation(),
      h("main", { id: "main", tabindex: "-1" }, h("div", { class: "view" },
        title(),
        h("div", { class: "tools", role: "search" },
          searchField("Search the report", typed, change),
          h("p", { class: "note", role: "status" }, search.isEmpty ? "" : `Found: ${count(sections)}`)),
        sectionCards(sections, !search.isEmpty))),
      h("footer", { class: "note" },
        "This report names accounts: share it only with people who may see them.")),
  ];
}

function title() {
  const time = report.time.slice(0, 19).replace("T", " ");
  return viewTitle("Diagnostics", `${report.appId}, `, h("time", { datetime: report.time }, `${time} UTC`),
    ". Times such as “2 minutes ago” are relative to this time.");
}

function navigation() {
  return h("nav", { class: "views", "aria-label": "Sections of the report" },
    h("ul", {}, report.sections.map(({ id, title }) => h("li", {}, h("a", { href: `#report-${id}` }, title)))));
}

addEventListener("keydown", (event) => {
  const field = document.querySelector("input[type=search]");
  if (event.key !== "/" || event.target === field) return;
  event.preventDefault();
  field.focus();
});
draw();
