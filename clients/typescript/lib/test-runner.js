/*
 * A test of node:test with a sandbox, and what a failing test prints.
 */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const HEADING = "--- what happened in the sandbox";
const REPLAY = "\n--- a script that replays it\n";
// The longest time of a timer, in milliseconds.
const LONG = 2 ** 31 - 1;

/** Makes `withSandbox`, whose sandboxes `start` starts. */
export function runner(start) {
  return (...given) => {
    const work = given.pop();
    return (...context) => run(work, context, start(given[0]));
  };
}

async function run(work, context, starting) {
  const [test] = context;
  const mam = await starting;
  const alive = setInterval(() => {}, LONG); // Node runs on while the test waits for anything but a call.
  try {
    if (test?.test) tellOfSubtests(mam, test);
    await Promise.race([work(mam, ...context), abort(test?.signal)]);
    mam.checkAwaited();
  } catch (error) {
    await tell(mam, test, error);
    throw error;
  } finally {
    clearInterval(alive);
    await mam.close();
  }
}

/** Prints what happened. The replay is in a file, because reporters escape what tests print. */
async function tell(mam, test, error) {
  const [story, script] = (await mam.report(`${test?.name ?? "the calls of a test"}\n${error}`)).split(REPLAY);
  const file = join(tmpdir(), `mambridge-${randomUUID()}.sh`);
  if (script) await writeFile(file, script, { mode: 0o600 });
  const heading = test?.name ? story.replace(HEADING, `${HEADING} of ${test.name}`) : story;
  process.stderr.write(`${heading}${script ? `${REPLAY}bash ${file}` : ""}\n`);
}

/** A test does not reject when a subtest fails, so each subtest prints what happened. */
function tellOfSubtests(mam, test) {
  const begin = test.test.bind(test);
  test.test = (...given) => {
    const place = given.findIndex((part) => typeof part === "function" && part.length < 2);
    const work = given[place];
    if (work) {
      given[place] = async (subtest) => {
        tellOfSubtests(mam, subtest);
        try {
          await work(subtest);
        } catch (error) {
          await tell(mam, subtest, error);
          throw error;
        }
      };
    }
    return begin(...given);
  };
}

/** Rejects when the signal aborts, as that of a test does that takes too long. */
function abort(signal) {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
