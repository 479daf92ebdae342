"""policy.py CALLS COMMAND…: does the same as cost.py with a policy question, a decision for each call."""
import sys

from mambridge import Client

ALICE = "alice@contoso.example"
calls = int(sys.argv[1])
with Client.spawn(*sys.argv[2:]) as client:
    for part in (1, calls, calls):
        for _ in range(part):
            answer = client.policy.is_save_to_allowed_for_location("localDrive", account=ALICE, location_account=ALICE)
        print(answer, flush=True)
