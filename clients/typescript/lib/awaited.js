/*
 * The calls of verbs that nothing has awaited. A test that forgets one would pass, or fail without its story.
 */
class Verb extends Promise {
  isAwaited = false;

  static get [Symbol.species]() {
    return Promise;
  }

  then(...handlers) {
    this.isAwaited = true;
    return super.then(...handlers);
  }
}

/** Remembers the calls of all verbs of an object, and returns a function that says which of them nothing has awaited. */
export function rememberAwaited(verbs, names) {
  let calls = [];
  for (const name of names) {
    const verb = verbs[name].bind(verbs);
    verbs[name] = (...given) => {
      const begun = verb(...given);
      const call = new Verb((resolve) => resolve(begun));
      calls = [...calls.filter(({ call }) => !call.isAwaited), { name, call }];
      return call;
    };
  }
  return () => {
    const forgotten = calls.filter(({ call }) => !call.isAwaited);
    calls = [];
    return forgotten.map(({ name }) => `${name} was never awaited: write \`await mam.${name}(…)\``).join("; ");
  };
}
