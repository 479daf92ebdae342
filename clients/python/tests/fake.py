"""A peer that misbehaves as the name of the method says. Run as a child; stdin and stdout are the wire."""
import json
import os
import signal
import sys
import time


def say(*parts: bytes) -> None:
    for part in parts:
        os.write(1, part)


def line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


def result(request: dict, value: object) -> bytes:
    return line({"jsonrpc": "2.0", "id": request["id"], "result": value})


def failure(identifier: object, code: int, message: str, data: object = None) -> bytes:
    return line({"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": message, "data": data}})


held = []
seen = []

for text in sys.stdin:
    request = json.loads(text)
    if isinstance(request, list):
        replies = [failure(r["id"], -32601, "unknown") if r["method"] == "bad" else result(r, r["method"]) for r in request]
        say(b"[" + b",".join(reply.strip() for reply in reversed(replies)) + b"]\n")
        continue
    method, identifier = request.get("method"), request.get("id")
    seen.append(request)
    if method is None or identifier is None:
        continue
    if method == "echo":
        say(result(request, request.get("params")))
    elif method == "torn":
        whole = result(request, "whole ü")
        say(*(whole[i:i + 1] for i in range(len(whole))))
    elif method == "hold":
        held.append(request)
    elif method == "release":
        say(b"".join(result(r, r["params"]["value"]) for r in reversed(held + [request])))
        held.clear()
    elif method == "seen":
        say(result(request, seen))
    elif method == "refuse":
        say(failure(identifier, 4001, "no policy yet", {"name": "policyRequired", "retryable": True, "hint": "enroll first"}))
    elif method == "nameless":
        say(failure(None, -32004, "too long", {"name": "limit", "retryable": False}))
    elif method == "events":
        say(line({"jsonrpc": "2.0", "method": "policyManager.policyDidChange", "params": {"seq": 1}}) + b"\r\n" + result(request, None))
    elif method == "afterwards":
        say(result(request, None), *(line({"jsonrpc": "2.0", "params": {}, **message}) for message in request["params"]))
    elif method == "ask":
        say(line({"jsonrpc": "2.0", "id": "s1", "params": {"n": 2}, **request["params"]}), result(request, None))
    elif method == "progress":
        token = request["params"]["_meta"]["progressToken"]
        for percentage in 50, 100:
            value = {"kind": "report", "percentage": percentage, "message": "half"[:percentage % 100]}
            say(line({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": token, "value": value}}))
        say(result(request, None))
    elif method == "stay":
        if request["params"]["stubborn"]:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say(result(request, None))
        time.sleep(60)
    elif method == "noise":
        noise = request.get("params")
        say(noise.encode("latin-1") if isinstance(noise, str) else b"noise\n")
    elif method == "initialize":
        say(result(request, None))
    elif method == "enrollmentManager.enrolledAccount":
        say(result(request, "no object"))
    elif method == "policyManager.mamPolicySource":
        say(result(request, "aSourceOfTomorrow"))
    elif method == "userStatusManager.userStatus":
        say(result(request, {"clockStatus": "clockedIn", "moodOfTomorrow": "fine"}))
    elif method == "tenant.status":
        say(result(request, {"users": []}))
    elif method == "die":
        print("disk full: make room", file=sys.stderr, flush=True)
        os._exit(74)
