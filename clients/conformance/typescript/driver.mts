// driver.mjs SCENARIO COMMAND…: does a scenario of the conformance tests with the TypeScript client. See ../README.md.
import { constants } from "node:os";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Client, ConnectionLost, errors, MambridgeError } from "mambridge";
import type {
  AddIdentityResultInput, ClientOptions, EnteredPIN, Host, IdentitySwitchRequired, MambridgeEvent, Progress,
  PromptForPIN,
} from "mambridge";

const ALICE = "alice@contoso.example";
const BOB = "bob@contoso.example";
const DAY = 86_400_000;
const [, , scenario = "", executable = "", ...args] = process.argv;

function spawn(options: ClientOptions = {}): Client {
  return Client.spawn(executable, args, { timeout: 30_000, ...options });
}

/** Does something with a client, and closes the client in any case. */
async function using<T>(client: Client, work: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function enroll(): Promise<unknown> {
  return using(spawn(), async ({ enrollmentManager }) => {
    const before = await enrollmentManager.enrolledAccount();
    const status = await enrollmentManager.registerAndEnrollAccount(ALICE);
    const refused = await enrollmentManager.registerAndEnrollAccount(BOB);
    const accounts = await enrollmentManager.registeredAccounts();
    return {
      before, status: status.status, statusCode: status.statusCode, didSucceed: status.didSucceed,
      error: status.error ?? null, access: status.access, refused: refused.status, domain: refused.error?.domain,
      accounts: accounts.map((account) => account.identity),
    };
  });
}

async function everyValue(): Promise<unknown> {
  return using(spawn(), async (client) => {
    const { appConfig, dataProtectionManager, enforcement, policy, settings } = client;
    await client.enrollmentManager.registerAndEnrollAccount(ALICE);
    const before = (await client.debug.advanceClock(1000)).time;
    const after = (await client.debug.advanceClock(DAY + 1000)).time;
    const sealed = await dataProtectionManager.protect(Uint8Array.of(0, 255), ALICE);
    const words = await dataProtectionManager.protectString('Grüße 👋\n"\\', ALICE);
    await settings.set({ "SplashIconFile~ipad": "icon.png", AccentColor: "#0A84FF", SplashDuration: 2.5 });
    await settings.set({ AccentColor: null });
    const found = Object.entries(
      await settings.get({ names: ["SplashIconFile~ipad", "AccentColor", "SplashDuration", "MultiIdentity"] }),
    );
    const targets = [
      { id: "com.example.notes", managed: false },
      { id: "com.contoso.mail", managed: true, account: ALICE },
    ];
    await client.debug.setPolicy({ periodBeforePinReset: 30 * DAY, pinRequired: true }, { account: ALICE });
    const checks = await client.strictMode.disable({ checks: ["deprecatedAPI", "severeEvent"] });
    await client.pin.set("2580", { account: ALICE });
    return {
      seconds: (after.getTime() - before.getTime()) / 1000,
      bytes: hex(await dataProtectionManager.unprotect(sealed)),
      text: await dataProtectionManager.unprotectString(words),
      true: await policy.isPINRequired({ account: ALICE }),
      enum: await policy.notificationPolicy({ account: ALICE }),
      enums: { severeEvent: checks.includes("severeEvent"), upnIdentityParam: checks.includes("upnIdentityParam") },
      settings: Object.fromEntries(found.map(([name, setting]) => [name, setting?.value ?? null])),
      sources: Object.fromEntries(found.map(([name, setting]) => [name, setting?.source])),
      targets: (await enforcement.filterShareTargets(targets, { account: ALICE })).targets.map(({ id }) => id),
      number: await appConfig.numberValueForKey("example.maximumAttachmentMegabytes", { account: ALICE }),
      absent: await appConfig.numberValueForKey("no.such.key", { account: ALICE }),
      objects: Object.keys((await appConfig.fullData({ account: ALICE }))[0] ?? {}).sort(),
      isSet: (await client.pin.status({ account: ALICE })).isSet,
    };
  });
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function errorByName(): Promise<unknown> {
  return using(spawn(), async (client) => {
    await client.enrollmentManager.registerAndEnrollAccount(ALICE);
    return [
      await client.dataProtectionManager.protectString("", ALICE).catch(emptyData),
      await client.file.open(resolve("no such file")).catch(anyError),
    ];
  });
}

function emptyData(error: unknown): unknown {
  if (!(error instanceof errors.EmptyData)) throw error;
  const { name, code, domain, sdkCode, retryable, message } = error;
  return { name, code, domain, sdkCode, retryable, message };
}

function anyError(error: unknown): unknown {
  if (!(error instanceof MambridgeError)) throw error;
  const { name, code, hint, data } = error;
  return { name, code, hint, data };
}

async function eventPushed(): Promise<unknown> {
  return using(spawn(), async (client) => {
    await client.initialize({ events: ["policyManager.policyDidChange"] });
    await client.enrollmentManager.registerAndEnrollAccount(ALICE);
    for await (const event of client.listen()) return described(event);
    return "no event";
  });
}

function described(event: MambridgeEvent): unknown {
  if (event.event !== "policyManager.policyDidChange") return event.event;
  const { event: name, identity, seq, time } = event;
  return { event: name, identity, numbered: seq > 0, year: time.getFullYear() > 2000 };
}

/** Sets the PIN when asked to, but refuses to enter it. Answers an identity switch as it is told. */
class Screen implements Host {
  readonly asked: string[] = [];
  client?: Client;

  constructor(readonly answer: "success" | "failed", readonly delay = 0) {}

  promptForPIN({ challenge }: PromptForPIN): EnteredPIN {
    this.asked.push(`${challenge.kind} in ${challenge.window}`);
    if (challenge.kind !== "setPIN") throw new errors.Canceled();
    return { pin: "2580" };
  }

  async identitySwitchRequired({ identity, reason, window }: IdentitySwitchRequired): Promise<AddIdentityResultInput> {
    this.asked.push(`${reason} to '${identity}' in ${window}`);
    await sleep(this.delay);
    if (this.answer === "failed") return "failed";
    const switched = await this.client?.policyManager.setUIPolicyIdentity("", { window: "inbox" });
    return switched === "success" ? "success" : "failed";
  }
}

async function showAlice(client: Client, screen: Screen): Promise<string> {
  screen.client = client;
  await client.initialize();
  await client.enrollmentManager.registerAndEnrollAccount(ALICE);
  return client.policyManager.setUIPolicyIdentity(ALICE, { window: "inbox" });
}

async function challengeAnswered(): Promise<unknown> {
  const screen = new Screen("success");
  return using(spawn({ host: screen }), async (client) => {
    const shown = await showAlice(client, screen);
    return { asked: screen.asked, shown, isSet: (await client.pin.status({ account: ALICE })).isSet };
  });
}

async function identitySwitch(answer: "success" | "failed"): Promise<unknown> {
  const screen = new Screen(answer);
  return using(spawn({ host: screen }), async (client) => {
    await showAlice(client, screen);
    await client.debug.advanceClock(3_600_000);
    const { verdict } = await client.conditionalLaunch.didBecomeActive({ window: "inbox" });
    const account = await client.policyManager.getUIPolicyIdentity({ window: "inbox" });
    return { asked: screen.asked, verdict, shows: account?.identity };
  });
}

async function identitySwitchAnsweredLate(): Promise<unknown> {
  const screen = new Screen("success", 1500);
  return using(spawn({ host: screen }), async (client) => {
    await showAlice(client, screen);
    await client.debug.advanceClock(3_600_000);
    const call = client.conditionalLaunch.didBecomeActive({ window: "inbox", timeout: 500 });
    const end = await call.then(() => "answered", (error) => error.name);
    await sleep(2000);
    return { asked: screen.asked, end, alive: await isAlive(client) };
  });
}

async function isAlive(client: Client): Promise<boolean> {
  return (await client.versionInfo.sdkVersion()) !== "";
}

async function megabyte(): Promise<unknown> {
  const data = Uint8Array.from({ length: 1 << 20 }, (_, index) => (index * 7) % 251);
  return using(spawn(), async ({ dataProtectionManager, enrollmentManager }) => {
    await enrollmentManager.registerAndEnrollAccount(ALICE);
    const sealed = await dataProtectionManager.protect(data, ALICE);
    const opened = await dataProtectionManager.unprotect(sealed);
    const same = opened.length === data.length && opened.every((byte, index) => byte === data[index]);
    return { length: opened.length, same, longer: sealed.length > data.length };
  });
}

async function fiftyCalls(): Promise<unknown> {
  return using(spawn(), async (client) => {
    await client.initialize();
    const after = (await client.events.list()).next;
    const calls = Array.from({ length: 50 }, () => client.events.list({ after, waitMilliseconds: 30_000 }));
    await client.enrollmentManager.registerAndEnrollAccount(ALICE);
    const pages = await Promise.all(calls);
    return { answered: pages.length, withEvents: pages.filter((page) => page.events.length > 0).length };
  });
}

async function cancel(): Promise<unknown> {
  return using(spawn(), async (client) => {
    await client.initialize();
    const start = performance.now();
    const controller = new AbortController();
    setTimeout(() => controller.abort("cancelled"), 300);
    const call = client.events.list({ waitMilliseconds: 60_000, signal: controller.signal });
    const end = await call.then(() => "answered", (reason) => reason);
    return { end, soon: performance.now() - start < 20_000, alive: await isAlive(client) };
  });
}

async function deadline(): Promise<unknown> {
  return using(spawn(), async (client) => {
    await client.initialize();
    const start = performance.now();
    const call = client.events.list({ waitMilliseconds: 60_000, timeout: 300 });
    const end = await call.then(() => ({ name: "answered" }), deadlineExceeded);
    return { ...end, soon: performance.now() - start < 20_000, alive: await isAlive(client) };
  });
}

function deadlineExceeded(error: unknown): { name: string; committed: unknown } {
  if (!(error instanceof errors.DeadlineExceeded)) throw error;
  return { name: error.name, committed: error.data.committed };
}

async function progress(): Promise<unknown> {
  const heard: Progress[] = [];
  return using(spawn(), async ({ enrollmentManager }) => {
    await enrollmentManager.registerAndEnrollAccount(ALICE);
    const { status } = await enrollmentManager.deRegisterAndUnenrollAccount(ALICE, {
      withWipe: true,
      onProgress: (value) => heard.push(value),
    });
    return { status, first: heard[0] ? `${heard[0].kind} ${heard[0].percentage}` : null };
  });
}

async function serverKilled(): Promise<unknown> {
  return using(spawn(), async (client) => {
    await client.initialize();
    setTimeout(() => process.kill(client.pid ?? 0, "SIGKILL"), 300);
    const ends: string[] = [];
    while (ends.length < 2) {
      ends.push(await client.events.list({ waitMilliseconds: 60_000 }).then(() => "answered", lostBySignal));
    }
    return { ends };
  });
}

function lostBySignal(error: unknown): string {
  if (!(error instanceof ConnectionLost)) throw error;
  return `signal ${constants.signals[error.signal ?? ""]}: ${error.message}`;
}

async function serverGoneAtStart(): Promise<unknown> {
  return using(spawn(), async (client) => {
    try {
      return await client.versionInfo.sdkVersion();
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return { exitCode: error.exitCode, says: error.message };
    }
  });
}

async function cleanShutdown(): Promise<unknown> {
  const client = spawn();
  await client.enrollmentManager.registerAndEnrollAccount(ALICE);
  await client.shutdown();
  await client.close();
  await client.close();
  const lost = (error: unknown) => (error instanceof ConnectionLost ? "lost" : "failed");
  const afterwards = await client.versionInfo.sdkVersion().then(() => "answered", lost);
  return { exitCode: client.exitCode, afterwards };
}

const lostOr = (error: unknown) => (error instanceof ConnectionLost ? "lost" : String(error));

async function ignoredSIGCHLD(): Promise<unknown> {
  await using(spawn(), (client) => client.initialize());
  const start = performance.now();
  const client = spawn();
  await client.initialize();
  process.kill(client.pid ?? 0, "SIGKILL");
  const end = await client.versionInfo.sdkVersion().then(() => "answered", lostOr);
  await client.close();
  return { end, soon: performance.now() - start < 20_000 };
}

async function signalDuringACall(): Promise<unknown> {
  return using(spawn(), async (client) => {
    await client.initialize();
    const start = performance.now();
    const controller = new AbortController();
    let handled = false;
    process.once("SIGUSR2", () => {
      handled = true;
      controller.abort("cancelled");
    });
    setTimeout(() => process.kill(process.pid, "SIGUSR2"), 300);
    const call = client.events.list({ waitMilliseconds: 60_000, signal: controller.signal });
    const end = await call.then(() => "answered", (reason) => reason);
    return { handled, end, soon: performance.now() - start < 20_000, alive: await isAlive(client) };
  });
}

async function stoppedServer(): Promise<unknown> {
  const client = spawn();
  await client.initialize();
  const start = performance.now();
  process.kill(client.pid ?? 0, "SIGSTOP");
  const messageOf = (error: unknown) => (error instanceof errors.DeadlineExceeded ? error.message : String(error));
  const late = await client.versionInfo.sdkVersion({ timeout: 300 }).then(() => "", messageOf);
  process.kill(client.pid ?? 0, "SIGCONT");
  const alive = await isAlive(client);
  await client.close();
  return { late, alive, exitCode: client.exitCode, soon: performance.now() - start < 20_000 };
}

const SCENARIOS: Record<string, () => Promise<unknown>> = {
  "enroll": enroll,
  "every value": everyValue,
  "error by name": errorByName,
  "event pushed": eventPushed,
  "challenge answered": challengeAnswered,
  "identity switch answered": () => identitySwitch("success"),
  "identity switch refused": () => identitySwitch("failed"),
  "identity switch answered late": identitySwitchAnsweredLate,
  "megabyte": megabyte,
  "fifty calls": fiftyCalls,
  "cancel": cancel,
  "deadline": deadline,
  "progress": progress,
  "server killed": serverKilled,
  "server gone at start": serverGoneAtStart,
  "clean shutdown": cleanShutdown,
  "ignored SIGCHLD": ignoredSIGCHLD,
  "signal during a call": signalDuringACall,
  "stopped server": stoppedServer,
};

const found = SCENARIOS[scenario];
if (!found) throw new Error(`no scenario is named ${scenario}`);
console.log(JSON.stringify(await found()));
