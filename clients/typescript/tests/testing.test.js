// The kit for tests of apps, as users meet it: in `node --test`, with its options, and with what cannot start.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { Sandbox, SandboxError, withSandbox } from "mambridge/testing";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const ALICE = "alice@contoso.example";

/** Gives `work` a folder with this client as a package, in which sandboxes put their folders, too. */
function withProject(work) {
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), "mambridge-project-"));
    await mkdir(join(folder, "node_modules"));
    await symlink(PACKAGE, join(folder, "node_modules", "mambridge"));
    await mkdir(join(folder, "run"), { mode: 0o700 });
    try {
      await work(folder);
      assert.deepEqual(await readdir(join(folder, "run")), []);
    } finally {
      await rm(folder, { recursive: true });
    }
  };
}

async function runTests(folder, text, reporter = "spec") {
  await writeFile(join(folder, "app.test.mjs"), text);
  const { NODE_TEST_CONTEXT: _, ...env } = { ...process.env, XDG_RUNTIME_DIR: join(folder, "run"), TMPDIR: folder };
  return run(process.execPath, ["--test", "--test-reporter", reporter, "app.test.mjs"], { cwd: folder, env });
}

function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, output: stdout + stderr });
    });
    child.stdin.end();
  });
}

test("a failing test prints once what happened, and a script with the same answers", withProject(async (folder) => {
  const { code, output } = await runTests(folder, `
    import test from "node:test";
    import { withSandbox } from "mambridge/testing";
    test("alice saves to dropbox", withSandbox(async (mam) => {
      await mam.enroll("alice");
      await mam.client.policy.isSaveToAllowedForLocation("dropbox");
      await mam.assertAllowed();
    }));
    test("alice is enrolled", withSandbox(async (mam) => mam.enroll("alice")));`);
  assert.equal(code, 1);
  assert.match(output, /isSaveToAllowedForLocation should be allowed, but is blocked\n +Saving to Dropbox is blocked/);
  const [, story, ...others] = output.split("--- what happened in the sandbox of ");
  assert.equal(others.length, 0, output);
  const [told, rest] = story.split("--- a script that replays it\n");
  assert.match(told, /isSaveToAllowedForLocation with location "dropbox": false/);
  const [, file] = /^bash (.*)$/m.exec(rest);
  assert.match(await readFile(file, "utf8"), /^#!\/usr\/bin\/env bash\n# .*alice saves to dropbox/);
  const replayed = await run("bash", [file]);
  assert.match(replayed.output, /"result":false[^]*Saving to Dropbox is blocked/);
}));

test("a test that takes too long ends its sandbox and prints what happened", withProject(async (folder) => {
  const { code, output } = await runTests(folder, `
    import test from "node:test";
    import { withSandbox } from "mambridge/testing";
    test("slow", { timeout: 2000 }, withSandbox(async (mam) => {
      await mam.enroll("alice");
      await new Promise(() => {});
    }));`);
  assert.equal(code, 1);
  assert.match(output, /test timed out after 2000ms/);
  assert.equal(output.split("--- what happened in the sandbox of ").length, 2, output);
}));

const marked = {
  seed: "empty", at: new Date("2031-01-31T12:00:00Z"), settings: { MultiIdentity: true }, appId: "com.example.app",
};
test("a sandbox begins as its options say", withSandbox(marked, async ({ client }) => {
  const { time } = await client.debug.advanceClock(0);
  assert.deepEqual([time, (await client.tenant.status()).userCount], [marked.at, 0]);
  assert.equal((await client.settings.get({ names: ["MultiIdentity"] })).MultiIdentity.value, true);
}));

test("an app that joins has its host, and ends with the sandbox", async () => {
  const mam = await Sandbox.start();
  const app = await mam.join({ host: { promptForPIN: () => ({ pin: "482913" }) } });
  await app.initialize();
  await app.enrollmentManager.registerAndEnrollAccount(ALICE);
  assert.equal(await app.policyManager.setUIPolicyIdentity(ALICE), "success");
  await mam.close();
  assert.equal(app.exitCode, 0);
});

test("a sandbox that does not answer is ended with its report", async () => {
  const mam = await Sandbox.start();
  process.kill(mam.client.pid, "SIGSTOP");
  assert.match(await mam.report(), /^The story is lost: sandbox.report: no answer within 5 s$/);
  assert.equal(mam.client.exitCode, null);
  await assert.rejects(mam.enroll(), /mambridge was killed by signal 9 \(SIGKILL\)/);
});

for (const [options, message] of [
  [{ at: "yesterday" }, /^the sandbox cannot begin: --at must be a time/],
  [{ settings: { NoSuch: 1 } }, /^the sandbox cannot begin: the setting NoSuch is unknown/],
  [{ binary: "no-such-mambridge" }, /^cannot start no-such-mambridge: there is no such program\. Install mambridge/],
  [{ binary: "/" }, /^cannot start \/: /],
  [{ binary: "/bin/true" }, /^\/bin\/true does not serve a sandbox: mambridge exited with code 0\. Use mambridge /],
]) {
  test(`a sandbox with ${JSON.stringify(options)} cannot begin, and says why`, async () => {
    const error = await Sandbox.start(options).catch((found) => found);
    assert(error instanceof SandboxError);
    assert.match(error.message, message);
  });
}

test("the replay of a failure in TAP runs", withProject(async (folder) => {
  const { output } = await runTests(folder, `
    import test from "node:test";
    import { withSandbox } from "mambridge/testing";
    test("alice", withSandbox(async (mam) => {
      await mam.enroll("alice");
      throw new Error("wrong");
    }));`, "tap");
  const [, file] = /^# bash (.*)$/m.exec(output);
  assert.match((await run("bash", [file])).output, /newPoliciesReceived/);
}));

test("a sandbox that nobody closes does not keep a failed test running", withProject(async (folder) => {
  const { code, output } = await runTests(folder, `
    import test from "node:test";
    import { Sandbox } from "mambridge/testing";
    test("alice", async () => {
      const mam = await Sandbox.start();
      await mam.enroll("alice");
      const app = await mam.join();
      await app.initialize();
      await mam.assertBlocked("saveAsBlocked");
    });`);
  assert.equal(code, 1);
  assert.match(output, /nothing was asked/);
  const end = Date.now() + 30_000;
  while ((await readdir(join(folder, "run"))).length > 0 && Date.now() < end) await new Promise((done) => setTimeout(done, 20));
}));

test("a failing subtest prints what happened, with its name", withProject(async (folder) => {
  const { code, output } = await runTests(folder, `
    import test from "node:test";
    import { withSandbox } from "mambridge/testing";
    test("outer", withSandbox(async (mam, t) => {
      await mam.enroll("alice");
      await t.test("middle", async (t) => {
        await t.test("inner", async () => mam.assertAllowed());
        await t.test("good", async () => {});
      });
    }));`);
  assert.equal(code, 1);
  assert.equal(output.split("--- what happened in the sandbox of inner\n").length, 2, output);
  assert.equal(output.split("--- what happened in the sandbox").length, 2, output);
}));

test("a verb that nothing awaits fails its test, with what happened", withProject(async (folder) => {
  const { code, output } = await runTests(folder, `
    import test from "node:test";
    import { Sandbox, withSandbox } from "mambridge/testing";
    test("fails", withSandbox(async (mam) => {
      await mam.enroll("alice");
      await mam.client.policy.isSaveToAllowedForLocation("dropbox");
      mam.assertAllowed();
    }));
    test("passes", withSandbox(async (mam) => void mam.device({ jailbroken: true })));
    test("goes well", async (t) => {
      const mam = await Sandbox.start();
      t.after(() => mam.close());
      await mam.enroll("alice");
      mam.offline();
    });`);
  assert.equal(code, 1);
  assert.match(output, /should be allowed, but is blocked/);
  assert.match(output, /device was never awaited: write `await mam.device\(…\)`/);
  assert.match(output, /offline was never awaited: write `await mam.offline\(…\)`/);
  assert.equal(output.split("--- what happened in the sandbox of fails\n").length, 2, output);
}));

for (const [options, message] of [
  [{ sed: "empty" }, "no option sed; did you mean seed?"],
  [{ setings: {} }, "no option setings; did you mean settings?"],
  [{ everything: 1 }, "no option everything; there are seed, at, binary, settings, appId, timeout"],
  ["empty", "options must be an object, such as { seed }, not string"],
]) {
  test(`options ${JSON.stringify(options)} are refused`, async () => {
    await assert.rejects(Sandbox.start(options), { message });
    await assert.rejects(withSandbox(options, () => {})(), { message });
  });
}

test("options that are no object are refused", withSandbox(async (mam) => {
  await assert.rejects(
    mam.client.policy.isSaveToAllowedForLocation("dropbox", ALICE),
    { message: "options must be an object, such as { account }, not text" });
  assert.throws(() => mam.advance(91), { message: "the clock moves by { days: 91 }, not by 91" });
}));

test("the clock does not move by a unit that does not exist", withSandbox(async (mam) => {
  assert.throws(() => mam.advance({ weeks: 13 }), /not move by weeks, but by days, hours, minutes, seconds/);
}));
