"""The tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine."""
from __future__ import annotations

import json
import os
import shutil
import signal
import ssl
import subprocess
import tempfile
import urllib.error
import urllib.request
from typing import Any, Dict, List, Optional, Tuple

from ..client import Client
from .setup import SandboxError, full_name

PROGRAM = "mambridge-tenant"
# How long the end may take, in seconds.
END = 20.0


class Network:
    """`mambridge-tenant dev` with the tenant of a sandbox. Changes of the sandbox count after `reload`.

    url, authority, client_id, graph, certificate and tenant_id are what an app is set up with. `environment` makes
    programs trust the certificate.
    """

    def __init__(self, tenant: str, binary: str, timeout: float) -> None:
        self._binary, self._timeout = binary, timeout
        self._clients: List[Client] = []
        self._folder = tempfile.mkdtemp(prefix="mambridge-network-")
        found = os.environ.get("MAMBRIDGE_TENANT_PROGRAM") or shutil.which(PROGRAM) or PROGRAM
        self.program = os.path.abspath(found) if os.path.dirname(found) else found
        command = [self.program, "dev", "--ephemeral", "--json", "--until-stdin-ends", "--tenant", tenant]
        self._errors = open(os.path.join(self._folder, "log"), "w+")
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
                env={**os.environ, "XDG_RUNTIME_DIR": self._folder})
        except OSError as error:
            self._remove()
            raise SandboxError(
                f"cannot start {self.program}: {error.strerror}. Install mambridge-tenant, or name the program with "
                "MAMBRIDGE_TENANT_PROGRAM in the environment") from error
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            log = self.log().strip()
            self.close()
            raise SandboxError(f"{self.program} does not serve a development tenant: {log}")
        said: Dict[str, str] = json.loads(line)
        self.url, self.authority, self.client_id = said["service"], said["authority"], said["clientId"]
        self.graph, self.certificate, self.tenant_id = said["graph"], said["certificate"], said["tenantId"]
        with open(said["secretFile"]) as file:
            self.secret: str = json.load(file)["secret"]
        self._trust = ssl.create_default_context(cafile=self.certificate)
        self.environment = {"SSL_CERT_FILE": self.certificate, "XDG_RUNTIME_DIR": self._folder}

    # Apps

    def token(self, user: str) -> str:
        """An access token of a user, for the service and for Graph. SandboxError if the user may not sign in."""
        done = subprocess.run(
            self._token_command(user), capture_output=True, text=True, timeout=self._timeout,
            env={**os.environ, **self.environment})
        if done.returncode != 0:
            raise SandboxError(done.stderr.strip())
        return done.stdout.strip()

    def _token_command(self, user: str) -> List[str]:
        return [self.program, "dev-token", full_name(user), "--service", self.url]

    def join(self, user: str = "alice", **environment: str) -> Client:
        """Starts a server with a state of its own, whose policy source is the service; the user is signed in."""
        state = tempfile.mkdtemp(prefix="state-", dir=self._folder)
        # A state without this mark gives a development tenant nothing.
        open(os.path.join(state, "development"), "w").close()
        quoted = " ".join(f"'{word}'" for word in self._token_command(user))
        client = Client.spawn(
            self._binary, "--tenant", self.url, "--state", state, "--token-command", quoted, timeout=self._timeout,
            environment={**self.environment, "MAMBRIDGE_LIBEXEC": os.path.dirname(self.program), **environment})
        self._clients.append(client)
        return client

    # Control

    def reload(self) -> None:
        """Lets the changes of the sandbox count at once."""
        self._control("POST", "reload")

    def fault(self, at: str, kind: str, *, times: Optional[int] = None, delay: Optional[str] = None) -> None:
        """Lets checkIn, graph, token or keys fail, as `mambridge-tenant dev --help` says."""
        given: Dict[str, object] = {"at": at, "kind": kind, "times": times, "delay": delay}
        self._control("POST", "faults", {name: value for name, value in given.items() if value is not None})

    def clear_faults(self) -> None:
        self._control("DELETE", "faults")

    def requests(self) -> "List[Dict[str, Any]]":
        """The last requests: who, method, path, status, why and fault."""
        found: List[Dict[str, Any]] = self._control("GET", "requests")["requests"]
        return found

    def _control(self, method: str, path: str, body: object = None) -> Any:
        status, text = self.send(
            method, f"/dev/{path}", self.secret, None if body is None else json.dumps(body).encode())
        if status >= 400:
            raise SandboxError(json.loads(text)["error"]["message"])
        return json.loads(text) if text else None

    def send(self, method: str, path: str, token: str, body: Optional[bytes] = None) -> "Tuple[int, str]":
        """A request to the service or to Graph, and its status and body."""
        request = urllib.request.Request(self.url + path, body, method=method, headers={
            "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self._trust))
        try:
            with opener.open(request, timeout=self._timeout) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    # The end

    def log(self) -> str:
        """What the service has written to its log."""
        with open(self._errors.name) as file:
            return file.read()

    def close(self) -> None:
        """Ends the service. Nothing is left of it."""
        while self._clients:
            self._clients.pop().close()
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(END)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        self._process.stdout.close()
        self._remove()

    def _remove(self) -> None:
        self._errors.close()
        shutil.rmtree(self._folder, ignore_errors=True)
