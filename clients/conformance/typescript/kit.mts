// kit.mjs SCENARIO EXECUTABLE OPTIONS: does a scenario of kits.json with the kit for tests. See ../README.md.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";

import { Client, MambridgeError } from "mambridge";
import { Sandbox, withSandbox, type SandboxOptions } from "mambridge/testing";

const ALICE = "alice@contoso.example";
const BOB = "bob@contoso.example";
const ERIN = "erin@example.com";
const [, , scenario = "", binary = "", given = "{}"] = process.argv;
const options: SandboxOptions = { binary, ...JSON.parse(given) };
const wipeDidComplete = "policyManager.wipeDidComplete";

async function messageOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof MambridgeError) return `${error.message} (${error.hint})`;
    return error instanceof Error ? error.message : String(error);
  }
  return "no error";
}

async function names(mam: Sandbox): Promise<unknown> {
  await mam.setUser(ERIN);
  return {
    short: (await mam.enroll("alice")).identity, written: (await mam.enroll(ERIN)).identity,
    unlisted: await messageOf(() => mam.enroll("allice")), status: (await mam.enroll("carol")).status,
    wiped: await messageOf(() => mam.wipe("bob")),
  };
}

async function policy(mam: Sandbox): Promise<unknown> {
  await mam.policy("bob", { saveAsBlocked: true });
  const { status } = await mam.enroll("bob");
  await mam.client.policy.isSaveToAllowedForLocation("dropbox", { account: BOB });
  await mam.assertBlocked("saveAsBlocked");
  await mam.policy("bob", { saveAsBlocked: false });
  await mam.client.policy.isSaveToAllowedForLocation("dropbox", { account: BOB });
  await mam.assertAllowed();
  return { status, wrong: await messageOf(() => mam.policy("bob", { savAsBlocked: true })) };
}

async function administrator(mam: Sandbox): Promise<unknown> {
  await mam.setUser(ERIN, { groups: ["staff"] });
  await mam.configuration("staff", { server: "mail.example.com" });
  await mam.enroll(ERIN);
  const server = await mam.client.appConfig.stringValueForKey("server", { account: ERIN });
  await mam.setUser(ERIN, { enabled: false, checkIn: false });
  return { server, status: (await mam.checkIn())[0]?.status };
}

async function user(mam: Sandbox): Promise<unknown> {
  await mam.enroll("alice");
  await mam.user({ pin: "482913" });
  const shown = await mam.client.policyManager.setUIPolicyIdentity(ALICE);
  return { shown, isSet: (await mam.client.pin.status({ account: ALICE })).isSet };
}

async function device(mam: Sandbox): Promise<unknown> {
  await mam.enroll("alice");
  await mam.device({ jailbroken: true });
  const { verdict } = await mam.client.conditionalLaunch.evaluate();
  await mam.assertBlocked("deviceComplianceRequired");
  await mam.device({ jailbroken: false });
  await mam.user({ pin: "482913", signIn: true });
  await mam.client.conditionalLaunch.evaluate();
  await mam.assertAllowed();
  return { verdict };
}

async function time(mam: Sandbox): Promise<unknown> {
  await mam.enroll("alice");
  await mam.offline();
  const now = (await mam.advance({ days: 91 })).time;
  await mam.client.conditionalLaunch.evaluate();
  await mam.assertBlocked("periodOfflineBeforeWipeIsEnforced");
  return { time: now.toISOString().replace(".000Z", "Z"), network: (await mam.online()).networkAvailable };
}

async function fault(mam: Sandbox): Promise<unknown> {
  const checkIn = async () => (await mam.checkIn())[0]?.status;
  await mam.enroll("alice");
  await mam.fault("source", "serviceUnavailable", { times: 1 });
  const failed = await checkIn();
  await mam.client.policy.isSaveToAllowedForLocation("dropbox", { account: ALICE });
  await mam.assertBlocked("saveAsBlocked");
  const well = await checkIn();
  const wrong = await messageOf(() => mam.fault("token", "slow"));
  await mam.fault("source", "unreachable");
  const lost = await checkIn();
  await mam.clearFaults();
  return { failed, well, wrong, lost, cleared: await checkIn() };
}

async function wipe(mam: Sandbox): Promise<unknown> {
  await mam.enroll("alice");
  await mam.wipe("alice");
  const { identity: wiped } = await mam.waitFor(wipeDidComplete);
  const accounts = (await mam.client.enrollmentManager.enrolledAccounts()).length;
  return { wiped, accounts, again: await messageOf(() => mam.waitFor(wipeDidComplete, { timeout: 100 })) };
}

async function state(mam: Sandbox): Promise<unknown> {
  await mam.enroll("alice");
  await mam.save("enrolled");
  await mam.wipe("alice");
  await mam.restore("enrolled");
  const restored = (await mam.client.enrollmentManager.enrolledAccounts()).length;
  await mam.reset();
  const reset = (await mam.client.enrollmentManager.registeredAccounts()).length;
  await mam.enroll("alice");
  return { restored, reset, changed: (await mam.waitFor("policyManager.policyDidChange")).identity };
}

async function join(mam: Sandbox): Promise<unknown> {
  const app = await mam.join();
  await app.enrollmentManager.registerAndEnrollAccount(ALICE);
  const accounts = (await mam.client.enrollmentManager.enrolledAccounts()).length;
  await app.close();
  await mam.reset();
  return { accounts, reset: (await mam.client.enrollmentManager.registeredAccounts()).length };
}

async function wrongReasons(mam: Sandbox): Promise<unknown> {
  await mam.enroll("alice");
  await mam.client.policy.isSaveToAllowedForLocation("dropbox", { account: ALICE });
  const setting = await messageOf(() => mam.assertBlocked("pinRequired"));
  const allowed = await messageOf(() => mam.assertAllowed());
  await mam.client.enforcement.isActionAllowed("print", { account: ALICE });
  const blocked = await messageOf(() => mam.assertBlocked());
  await mam.client.policy.isPINRequired({ account: ALICE });
  return { setting, allowed, blocked, other: await messageOf(() => mam.assertAllowed()) };
}

async function story(mam: Sandbox): Promise<unknown> {
  await mam.policy("bob", { saveAsBlocked: true });
  await mam.enroll("bob");
  const sealed = await mam.client.dataProtectionManager.protectString("quarterly figures", BOB);
  await mam.client.dataProtectionManager.unprotectString(sealed);
  await mam.client.policy.isSaveToAllowedForLocation("dropbox", { account: BOB });
  await writeFile("replay.sh", await mam.replay());
  return { story: await mam.story() };
}

async function killed(mam: Sandbox): Promise<unknown> {
  await mam.enroll("alice");
  process.kill(mam.client.pid ?? 0, "SIGKILL");
  return { lost: await messageOf(() => mam.enroll("alice")), story: await mam.report() };
}

async function abandoned(mam: Sandbox): Promise<unknown> {
  await mam.enroll("alice");
  print({ pid: mam.client.pid });
  return new Promise((resolve) => process.stdin.once("data", resolve));
}

async function checkInStatus(app: Client): Promise<unknown> {
  return (await app.tenant.checkIn())[0]?.status;
}

async function joinNetwork(mam: Sandbox): Promise<{ app: Client; status: string }> {
  const app = await (await mam.network()).join("alice");
  return { app, status: (await app.enrollmentManager.registerAndEnrollAccount(ALICE)).status };
}

async function network(mam: Sandbox): Promise<unknown> {
  const { app, status } = await joinNetwork(mam);
  const served = await mam.network();
  const saves = await app.policy.isSaveToAllowedForLocation("dropbox", { account: ALICE });
  await served.fault("checkIn", "serviceUnavailable", { times: 1, delay: "PT1.5S" });
  const failed = await checkInStatus(app);
  const well = await checkInStatus(app);
  await mam.setUser(ERIN, { groups: ["Administrators"] });
  const { status: users } = await served.send("GET", "/v1.0/users", await served.token(ERIN));
  await mam.client.sandbox.setUser(ERIN, { groups: ["staff"] });
  const { status: demoted } = await served.send("GET", "/v1.0/users", await served.token(ERIN));
  const { status: refused } = await served.send("GET", "/v1.0/users", await served.token("alice"));
  await served.fault("token", "mfaRequired");
  const token = await messageOf(() => served.token("alice"));
  const wrong = await messageOf(() => served.fault("checkIn", "nextLinkLoop"));
  await served.clearFaults();
  const asked = (await served.requests()).some(({ path, who }) => path === "/mam/v1/check-in" && who === ALICE);
  return {
    status, saves, failed, well, users, demoted, refused, token, wrong, signedIn: (await served.token("alice")) !== "", asked,
    certificate: existsSync(served.certificate),
  };
}

async function networkStory(mam: Sandbox): Promise<unknown> {
  const { app } = await joinNetwork(mam);
  await (await mam.network()).fault("checkIn", "serviceUnavailable");
  await checkInStatus(app);
  return { story: await mam.report() };
}

async function noNetwork(mam: Sandbox): Promise<unknown> {
  return { message: await messageOf(() => mam.network()) };
}

async function networkAtOnce(mam: Sandbox): Promise<unknown> {
  const [one, other] = await Promise.all([mam.network(), mam.network()]);
  return { same: one === other };
}

async function abandonedNetwork(mam: Sandbox): Promise<unknown> {
  print({ pid: (await joinNetwork(mam)).app.pid });
  return new Promise((resolve) => process.stdin.once("data", resolve));
}

function print(result: unknown): void {
  console.log(JSON.stringify(result));
}

const SCENARIOS: Record<string, (mam: Sandbox) => Promise<unknown>> = {
  names, policy, administrator, user, device, time, fault, wipe, state, join, "wrong reasons": wrongReasons, story,
  killed, abandoned, network, "network story": networkStory, "no network program": noNetwork,
  "no network code": noNetwork, "no network answer": noNetwork, "abandoned network": abandonedNetwork,
  "network at once": networkAtOnce,
};

const found = SCENARIOS[scenario];
if (found) await withSandbox(options, async (mam) => print(await found(mam)))();
else print({ message: await messageOf(() => Sandbox.start(options)) });
