#!/usr/bin/env node
// example.js [EXECUTABLE]: enrolls a sample account, asks about its policy, and protects a text.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client, errors } from "mambridge";

const ALICE = "alice@contoso.example";

const state = await mkdtemp(join(tmpdir(), "mambridge-"));
const client = Client.spawn(process.argv[2] ?? "mambridge", ["--tenant", "sample", "--state", state]);
try {
  const enrollment = await client.enrollmentManager.registerAndEnrollAccount(ALICE);
  console.log("enrollment:", enrollment.status);
  for (const location of ["localDrive", "oneDriveForBusiness", "dropbox"]) {
    const accounts = { account: ALICE, locationAccount: ALICE };
    const allowed = await client.policy.isSaveToAllowedForLocation(location, accounts);
    console.log(`save to ${location}:`, allowed ? "yes" : "no");
  }
  const secret = await client.dataProtectionManager.protectString("quarterly figures", ALICE);
  console.log("unprotected:", await client.dataProtectionManager.unprotectString(secret));
  await client.file.open("/no/such/file", { flags: ["readOnly"] });
} catch (error) {
  if (!(error instanceof errors.FileUnavailable)) throw error;
  console.log("refused:", error.message);
} finally {
  await client.close();
  await rm(state, { recursive: true });
}
