// The diagnostic report, as `mambridge diagnostics --html` writes it into a file.

import { h } from "./dom.js";
import { Search, searchField, viewTitle } from "./parts.js";
import { count, found, sectionCards } from "./report.js";
import { changed, failed, setter, state } from "./state.js";
import { t } from "./text.js";

const view = { report: null, search: "", information: null };

export function diagnosticsView() {
  if (view.information !== state.information) read();
  const search = new Search(view.search);
  const sections = view.report ? found(view.report, search) : [];
  return [
    viewTitle(t("nav.diagnostics"), t("diagnostics.about")),
    h("div", { class: "tools" },
      searchField(t("diagnostics.search"), view.search, setter(view, "search")),
      h("p", { class: "note", role: "status" }, search.isEmpty ? "" : t("found", { count: count(sections) }))),
    sectionCards(sections, !search.isEmpty),
  ];
}

/// Reads the report again whenever the page has read the rest of the server's state.
async function read() {
  view.information = state.information;
  try {
    view.report = await state.server.call("diagnosticConsole.getReport");
    changed();
  } catch (error) {
    failed(error);
  }
}
