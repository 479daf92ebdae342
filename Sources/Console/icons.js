// Icons of one stroke, on a grid of 24.

import { h } from "./dom.js";

const PATHS = {
  accounts: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c0-3.6 3.6-6 8-6s8 2.4 8 6",
  policy: "M12 3 5 6v5c0 4.6 2.9 8.4 7 10 4.1-1.6 7-5.4 7-10V6zM9 12l2.2 2.2L15.4 10",
  ask: "M9.2 9a2.9 2.9 0 1 1 4.4 2.5c-1 .6-1.6 1.2-1.6 2.5M12 17.6v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  device: "M8 3h8a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 16 21H8a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 8 3zM10.5 17.8h3",
  launch: "M12 3c4 2 6 5.500 6 9.500L15.500 16h-7L6 12.500C6 8.500 8 5 12 3zM12 11.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM9.500 18.500 9 21M14.500 18.500l.5 2.500M12 18.500V21",
  activity: "M4 6h16M4 12h16M4 18h10",
  record: "M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h10v11H9zM5 15V4h10",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.2 2",
  check: "M5 12.500 10 17.500 19 7",
  cross: "M7 7l10 10M17 7 7 17",
  warn: "M12 4 3 19.500h18zM12 10v4.500M12 17v.1",
  back: "M20 6H9l-5 6 5 6h11zM12.500 9.800l4.400 4.400M16.900 9.800l-4.400 4.400",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.500 4.500",
  theme: "M12 3a9 9 0 1 0 0 18zM12 21a9 9 0 0 0 0-18",
};

export function icon(name) {
  return h("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" },
    h("path", { d: PATHS[name] }));
}
