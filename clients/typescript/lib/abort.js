/*
 * What is to be done when a signal aborts. However many calls share a signal, it has one listener: Node warns of a leak
 * when there are more than ten.
 */
const actions = new WeakMap();

/** Does something when the signal aborts, and returns a function that takes that back. */
export function onAbort(signal, action) {
  const found = actions.get(signal) ?? listen(signal);
  const entry = () => action();
  found.entries.add(entry);
  return () => {
    if (!found.entries.delete(entry) || found.entries.size > 0) return;
    actions.delete(signal);
    signal.removeEventListener("abort", found.run);
  };
}

function listen(signal) {
  const entries = new Set();
  const run = () => {
    actions.delete(signal);
    for (const entry of [...entries]) entry();
  };
  const found = { entries, run };
  actions.set(signal, found);
  signal.addEventListener("abort", run, { once: true });
  return found;
}
