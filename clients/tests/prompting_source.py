"""A policy source that signs in users itself: it prompts, and waits until a test signs in."""
from __future__ import annotations

import shlex
import sys
from pathlib import Path

# Prompts, and gives the token once the file `signed-in` is there. Writes down what it was asked.
SOURCE = r'''
import json, os, sys, threading, time

USER = {"id": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f",
        "userPrincipalName": "alice@contoso.example"}
POLICY = {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "pinRequired": True}
lock, canceled = threading.Lock(), set()


def send(message):
    with lock:
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def note(text):
    with open("notes", "a") as file:
        file.write(text + "\n")


def fail(request, code, message):
    send({"id": request["id"], "error": {"code": code, "message": message}})


def sign_in(request):
    expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 600))
    send({"id": "p", "method": "source.prompt", "params": {
        "verificationUri": "https://login.contoso.example/device", "userCode": "VEUY-27HC", "message": "Sign in, please.",
        "expires": expires}})
    while not os.path.exists("signed-in"):
        if request["id"] in canceled:
            return note("canceled")
        time.sleep(0.02)
    give(request)


def give(request):
    send({"id": request["id"], "result": {"accessToken": "a-token", "expires": "2100-01-01T00:00:00Z"}})


def check_in(request):
    if request["params"].get("token") != "a-token":
        return fail(request, -32050, "The service wants a token.")
    send({"id": request["id"], "result": {"outcome": "delivered", "user": USER, "policies": [POLICY]}})


for line in sys.stdin:
    request = json.loads(line)
    method, params = request.get("method"), request.get("params")
    if method == "$/cancelRequest":
        canceled.add(params["id"])
    elif method == "source.open":
        send({"id": request["id"], "result": {"protocolVersion": 1, "signIn": True}})
    elif method == "source.acquireToken":
        note("silent" if params["silent"] else "prompt")
        if not params["silent"]:
            threading.Thread(target=sign_in, args=[request], daemon=True).start()
        elif os.path.exists("signed-in"):
            give(request)
        else:
            fail(request, -32050, "Sign in with: touch signed-in.")
    elif method == "source.checkIn":
        check_in(request)
    elif method and "id" in request:
        send({"id": request["id"], "result": None})
'''


class PromptingSource:
    def __init__(self, folder: Path) -> None:
        (folder / "source.py").write_text(SOURCE)
        script = f"cd {shlex.quote(str(folder))} && exec {shlex.quote(sys.executable)} source.py"
        self.folder = folder
        self.tenant = "exec:" + shlex.join(["sh", "-c", script])

    def sign_in(self) -> None:
        (self.folder / "signed-in").touch()

    def notes(self) -> "list[str]":
        file = self.folder / "notes"
        return file.read_text().split() if file.exists() else []
