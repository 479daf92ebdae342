"""cost.py CALLS COMMAND…: makes 1, CALLS and CALLS calls, and prints the answer after each part. See ../clients.py."""
import sys

from mambridge import Client

calls = int(sys.argv[1])
with Client.spawn(*sys.argv[2:]) as client:
    for part in (1, calls, calls):
        for _ in range(part):
            answer = client.version_info.sdk_version()
        print(answer, flush=True)
