"""The tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine."""
from __future__ import annotations

import http.client
import json
import os
import shutil
import ssl
import subprocess
import threading
import urllib.error
import urllib.request
from typing import Any, Dict, List, Optional, Tuple

from ..client import Client
from .setup import START, SandboxError, full_name

PROGRAM = "mambridge-tenant"
# How long the end may take, in seconds.
END = 20.0
# How many requests a report has.
LAST = 20


class Network:
    """`mambridge-tenant dev` with the tenant of a sandbox. Changes of the sandbox count after `reload`.

    url, authority, client_id, graph, certificate and tenant_id are what an app is set up with. `environment` makes
    programs trust the certificate. The service removes all its files when it ends, also after the death of the test.
    """

    def __init__(self, tenant: str, binary: str, timeout: float) -> None:
        self._binary, self.timeout = binary, timeout
        self._clients: List[Client] = []
        self._states = 0
        found = os.environ.get("MAMBRIDGE_TENANT_PROGRAM") or shutil.which(PROGRAM) or PROGRAM
        self.program = os.path.abspath(found) if os.path.dirname(found) else found
        # In the folder of the sandbox, which goes with it.
        self._log = os.path.join(os.path.dirname(tenant), "network.log")
        said = self._start(tenant)
        self.url, self.authority, self.client_id = said["service"], said["authority"], said["clientId"]
        self.graph, self.certificate, self.tenant_id = said["graph"], said["certificate"], said["tenantId"]
        self._state = said["state"]
        with open(said["secretFile"]) as file:
            self.secret: str = json.load(file)["secret"]
        self._trust = ssl.create_default_context(cafile=self.certificate)
        self.environment = {"SSL_CERT_FILE": self.certificate, "MAMBRIDGE_LIBEXEC": os.path.dirname(self.program)}

    def _start(self, tenant: str) -> Dict[str, str]:
        command = [self.program, "dev", "--ephemeral", "--json", "--until-stdin-ends", "--tenant", tenant]
        with open(self._log, "w") as file:
            try:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, text=True)
            except OSError as error:
                missing = isinstance(error, FileNotFoundError)
                raise SandboxError(
                    f"cannot start {self.program}: {'there is no such program' if missing else error.strerror}. Install "
                    "mambridge-tenant, or name the program with MAMBRIDGE_TENANT_PROGRAM in the environment") from error
        assert self._process.stdout
        late = threading.Timer(START, self._process.kill)
        late.start()
        line = self._process.stdout.readline()
        late.cancel()
        try:
            said: Dict[str, str] = json.loads(line)
            return said
        except ValueError:
            self._process.kill()
            log = self.log().strip() or line.strip() or f"it said nothing within {START:g} s"
            self.close()
            raise SandboxError(f"{self.program} does not serve a development tenant: {log}") from None

    # Apps

    def token(self, user: str) -> str:
        """An access token of a user, for the service and for Graph. SandboxError if the user may not sign in."""
        done = subprocess.run(self._token_command(user), capture_output=True, text=True, timeout=self.timeout)
        if done.returncode != 0:
            raise SandboxError(done.stderr.strip())
        return done.stdout.strip()

    def _token_command(self, user: str) -> List[str]:
        return [self.program, "dev-token", full_name(user), "--service", self.url]

    def join(self, user: str = "alice", **environment: str) -> Client:
        """Starts a server with a state of its own, whose policy source is the service; the user is signed in."""
        client = Client.spawn(
            *self.command(user), timeout=self.timeout, environment={**self.environment, **environment})
        self._clients.append(client)
        return client

    def command(self, user: str) -> List[str]:
        """The command of such a server, with a new state. It needs the variables of `environment`."""
        self._states += 1
        state = f"{self._state}-{self._states}"
        os.mkdir(state, 0o700)
        # A state without this mark gives a development tenant nothing.
        open(os.path.join(state, "development"), "w").close()
        quoted = " ".join(f"'{word}'" for word in self._token_command(user))
        return [self._binary, "--tenant", self.url, "--state", state, "--token-command", quoted]

    # Control

    def reload(self) -> None:
        """Lets the changes of the sandbox count at once."""
        self._control("POST", "reload")

    def fault(self, at: str, kind: str, *, times: Optional[int] = None, delay: Optional[str] = None) -> None:
        """Makes checkIn, graph, token or keys fail, as `mambridge-tenant dev --help` says."""
        given: Dict[str, object] = {"at": at, "kind": kind, "times": times, "delay": delay}
        self._control("POST", "faults", {name: value for name, value in given.items() if value is not None})

    def clear_faults(self) -> None:
        self._control("DELETE", "faults")

    def requests(self) -> "List[Dict[str, Any]]":
        """The last requests: who, method, path, status, why and fault."""
        found: List[Dict[str, Any]] = self._control("GET", "requests")["requests"]
        return found

    def _control(self, method: str, path: str, body: object = None) -> Any:
        """A request below `/dev`, and its answer. SandboxError if it is refused."""
        status, text = self.send(
            method, f"/dev/{path}", self.secret, None if body is None else json.dumps(body).encode())
        if status >= 400:
            raise SandboxError(json.loads(text)["error"]["message"])
        return json.loads(text) if text else None

    def send(self, method: str, path: str, token: str, body: Optional[bytes] = None) -> "Tuple[int, str]":
        """A request to the service or to Graph, and its status and body. SandboxError if there is no answer."""
        request = urllib.request.Request(self.url + path, body, method=method, headers={
            "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self._trust))
        try:
            with opener.open(request, timeout=self.timeout) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise SandboxError(f"no answer to {method} {path}: {getattr(error, 'reason', error)}") from error

    # The end

    def log(self) -> str:
        """What the service has written to its log."""
        with open(self._log) as file:
            return file.read()

    def report(self) -> str:
        """The last requests, one a line, for a test that has failed."""
        try:
            lines = [_line(request) for request in self.requests() if not request["path"].startswith("/dev/")]
            return "\n".join(["--- the last requests to the network", *lines[-LAST:]])
        except Exception as error:
            return f"The requests are lost: {error}\n{self.log()}"

    def close(self) -> None:
        """Ends the service. Nothing is left of it."""
        while self._clients:
            self._clients.pop().close()
        try:
            self._process.communicate(timeout=END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()


def _line(request: Dict[str, Any]) -> str:
    who = f" by {request['who']}" if request["who"] else ""
    why = request["fault"] or request["why"]
    return f"{request['method']} {request['path']}{who}: {request['status']}{f', {why}' if why else ''}"
