// Icons of one stroke, on a grid of 24.

import { h } from "./dom.js";

export const PATHS = {
  accounts: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c0-3.6 3.6-6 8-6s8 2.4 8 6",
  policy: "M12 3 5 6v5c0 4.6 2.9 8.4 7 10 4.1-1.6 7-5.4 7-10V6zM9 12l2.2 2.2L15.4 10",
  ask: "M9.2 9a2.9 2.9 0 1 1 4.4 2.5c-1 .6-1.6 1.2-1.6 2.5M12 17.6v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  device: "M8 3h8q1.5 0 1.5 1.5v15q0 1.5-1.5 1.5H8q-1.5 0-1.5-1.5v-15Q6.5 3 8 3zM10.5 17.8h3",
  launch: "M12 3c4 2 6 5.5 6 9.5L15.5 16h-7L6 12.5C6 8.5 8 5 12 3zM12 11.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z" +
    "M9.5 18.5 9 21M14.5 18.5l.5 2.5M12 18.5V21",
  activity: "M4 6h16M4 12h16M4 18h10",
  diagnostics: "M9 4h6v3H9zM9 5.5H6V21h12V5.5h-3M9 12h6M9 16h4",
  examine: "M7 3h10v18H7zM10 7h4M10 11h4M10 15h2",
  record: "M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h10v11H9zM5 15V4h10",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.2 2",
  check: "M5 12.5 10 17.5 19 7",
  cross: "M7 7l10 10M17 7 7 17",
  warn: "M12 4 3 19.5h18zM12 10v4.5M12 17v.1",
  back: "M20 6H9l-5 6 5 6h11zM12.5 9.8l4.4 4.4M16.9 9.8l-4.4 4.4",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.5 4.5",
  theme: "M12 3a9 9 0 1 0 0 18zM12 21a9 9 0 0 0 0-18",
};

export function icon(name) {
  return h("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" },
    h("path", { d: PATHS[name] }));
}
