"""floor.py CALLS COMMAND…: does the same as cost.py without a client: writes a line, reads a line, parses it."""
import json
import subprocess
import sys

REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"versionInfo.sdkVersion"}\n'

calls = int(sys.argv[1])
with subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
    assert server.stdin and server.stdout
    for part in (1, calls, calls):
        for _ in range(part):
            server.stdin.write(REQUEST)
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())["result"]
        print(answer, flush=True)
