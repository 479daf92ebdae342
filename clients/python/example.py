#!/usr/bin/env python3
"""example.py [EXECUTABLE]: enrolls a sample account, asks about its policy, and protects a text."""
import sys
import tempfile

from mambridge import Client, MambridgeError

ALICE = "alice@contoso.example"

with tempfile.TemporaryDirectory() as state:
    executable = sys.argv[1] if len(sys.argv) > 1 else "mambridge"
    with Client.spawn(executable, "--tenant", "sample", "--state", state) as client:
        print("enrollment:", client.enrollmentManager.registerAndEnrollAccount(account=ALICE)["status"])
        for location in ("localDrive", "oneDriveForBusiness", "dropbox"):
            allowed = client.policy.isSaveToAllowedForLocation(location=location, account=ALICE, locationAccount=ALICE)
            print(f"save to {location}:", "yes" if allowed else "no")
        secret = client.dataProtectionManager.protectString(string="quarterly figures", account=ALICE)
        print("unprotected:", client.dataProtectionManager.unprotectString(string=secret))
        try:
            client.policy.isSaveToAllowedForLocation(location="mars")
        except MambridgeError as error:
            print("refused:", error.code, error.data["path"])
