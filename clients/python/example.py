#!/usr/bin/env python3
"""example.py [EXECUTABLE]: enrolls a sample account, asks about its policy, and protects a text."""
import sys
import tempfile
from typing import List

from mambridge import Client, errors
from mambridge.types import SaveLocation

ALICE = "alice@contoso.example"
LOCATIONS: List[SaveLocation] = ["localDrive", "oneDriveForBusiness", "dropbox"]

with tempfile.TemporaryDirectory() as state:
    executable = sys.argv[1] if len(sys.argv) > 1 else "mambridge"
    with Client.spawn(executable, "--tenant", "sample", "--state", state) as client:
        print("enrollment:", client.enrollment_manager.register_and_enroll_account(ALICE).status)
        for location in LOCATIONS:
            allowed = client.policy.is_save_to_allowed_for_location(location, account=ALICE, location_account=ALICE)
            print(f"save to {location}:", "yes" if allowed else "no")
        secret = client.data_protection_manager.protect_string("quarterly figures", account=ALICE)
        print("unprotected:", client.data_protection_manager.unprotect_string(secret))
        try:
            client.file.open("/no/such/file", flags=["readOnly"])
        except errors.FileUnavailable as error:
            print("refused:", error.message)
