"""bare.py COMMAND…: starts the server, asks it one question and prints the line of the answer, without a client."""
import subprocess
import sys

with subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
    server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"versionInfo.sdkVersion"}\n')
    server.stdin.flush()
    print(server.stdout.readline(), flush=True)
