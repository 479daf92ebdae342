"""What each release wrote opens with this version, and the release refuses what this version has opened.

Tests/Fixtures/make packed the state, the protected data and the answers of the releases. The tests that need the binary of
one take it from the folder of Tests/Fixtures/released, or from an environment variable such as MAMBRIDGE_0_1_0."""
from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from mambridge import Client, MambridgeError

FIXTURES = ROOT / "Tests" / "Fixtures"
RELEASES = sorted(path.name.removesuffix(".tar.gz") for path in FIXTURES.glob("*.tar.gz"))
# The schema versions that a release knows, of the databases whose schema has changed since.
OF_APP, OF_DEVICE = "apps/com.example.mail/state.db", "device.db"
KNOWN = {"0.1.0": {OF_APP: 9, OF_DEVICE: 3}, "0.2.0": {OF_APP: 13}, "0.3.0": {}}
PIN = "2580"
ALICE, BOB, DORA, EVE, GINA = (f"{name}@contoso.example" for name in ("alice", "bob", "dora", "eve", "gina"))
MAIL = ["--app-id", "com.example.mail", "--set", "MultiIdentity=true", "--set", "MultiManagedIdentities=true"]
NOTES = ["--app-id", "com.example.notes"]
TORN = ["--app-id", "com.example.torn"]
OWN_KEY = ["--state", "state", "--key-file", "test.key"]

# Texts and the level of the program itself are those of this version.
OWN_WORDS = {"message", "meaning", "sdkVersion"}


class Fixture:
    """What the release left, unpacked in a folder of the test."""

    def __init__(self, binary: str, folder: Path, release: str) -> None:
        self.binary, self.folder, self.release = binary, folder, release
        folder.mkdir()
        archive = FIXTURES / f"{release}.tar.gz"
        subprocess.run(["tar", "-xzf", archive, "--no-same-owner", "-p"], cwd=folder, check=True)
        self.answers: dict[str, Any] = json.loads((folder / "answers.json").read_text())
        for name, file in self.answers["files"].items():
            for attribute, value in file["attributes"].items():
                try:
                    os.setxattr(folder / name, attribute, base64.b64decode(value))
                except OSError as error:
                    pytest.skip(f"{folder} keeps no extended attributes: {error.strerror}")

    def open(self, *options: str, binary: str | None = None) -> Client:
        state = [] if "--state" in options else OWN_KEY
        return Client.spawn(
            binary or self.binary, "--tenant", "tenant", *state, *options, folder=str(self.folder), timeout=60)

    def run(self, *words: str, binary: str | None = None) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [binary or self.binary, *words], cwd=self.folder, capture_output=True, timeout=60, check=False)

    def files(self, app: list[str]) -> list[str]:
        """The files of the mail app, or the one of the other app."""
        return [name for name in self.answers["files"] if (Path(name).name == "note") == (app == NOTES)]

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def keys(self) -> dict[str, bytes]:
        """All of the keys, without the counter of changes."""
        folder = self.folder / "state" / "keys"
        return {str(path): path.read_bytes() for path in sorted(folder.rglob("*"))
                if path.is_file() and path.name != "epoch"}


@pytest.fixture(autouse=True)
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The state is as old as when the release left it: nothing is due, whenever the tests run."""
    monkeypatch.setenv("MAMBRIDGE_CLOCK", "manual")


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def fixture(binary: str, tmp_path: Path, release: str) -> Fixture:
    return Fixture(binary, tmp_path / release, release)


@pytest.fixture
def old_binary(release: str) -> str:
    variable = f"MAMBRIDGE_{release.replace('.', '_')}"
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = os.environ.get("MAMBRIDGE_RELEASES") or f"{cache}/mambridge/releases"
    path = Path(os.environ.get(variable) or f"{folder}/mambridge-{release}").absolute()
    if not path.exists():
        pytest.skip(f"there is no {path}, and {variable} names no binary. Run Tests/Fixtures/released")
    told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    assert told.split()[:2] == ["mambridge", release], f"{path} is another version: {told}"
    return str(path)


def kept(old: Any, new: Any) -> bool:
    """Whether the new answer says what the old one said; it may say more."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(name in OWN_WORDS or name in new and kept(value, new[name]) for name, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(kept, old, new))
    return bool(old == new)


def refusal(client: Client, method: str, **params: Any) -> int:
    with pytest.raises(MambridgeError) as refused:
        client.call(method, params)
    return int(refused.value.code)


def plain(fixture: Fixture, name: str, app: list[str], *options: str) -> str:
    shown = fixture.run("files", "cat", name, *OWN_KEY, *app[:2], *options)
    assert shown.returncode == 0, shown.stderr
    return hashlib.sha256(shown.stdout).hexdigest()


def test_an_upgrade_keeps_accounts_policies_configuration_settings_events_and_log(fixture: Fixture) -> None:
    for _ in ("the start that migrates the state", "a later start"):
        with fixture.open(*MAIL) as mail:
            for asked in fixture.answers["asked"]:
                answer = mail.call(asked["method"], asked["params"])
                expected = asked["result"]
                if asked["params"].get("account") == EVE and isinstance(expected, dict):
                    # A state no longer knows the id of a user who is no account of it.
                    expected = {name: value for name, value in expected.items() if name != "accountId"}
                assert kept(expected, answer), (asked, answer)
    with fixture.open(*MAIL) as mail:
        accounts = {account["identity"]: account["life"] for account in mail.call("tenant.status")["accounts"]}
    assert {ALICE: "enrolled", GINA: "enrolled", DORA: "enrolled", BOB: "registered"}.items() <= accounts.items()
    assert EVE not in accounts


def test_accounts_can_check_in_after_an_upgrade(fixture: Fixture) -> None:
    with fixture.open(*MAIL) as mail:
        statuses = {status["identity"]: status["status"] for status in mail.call("tenant.checkIn")}
    assert {statuses[name] for name in (ALICE, DORA, GINA)} == {"policiesHaveNotChanged"}
    assert statuses[BOB] == "licensedNotTargeted"


def test_the_pin_stays_valid_after_an_upgrade(fixture: Fixture) -> None:
    with fixture.open(*MAIL) as mail:
        assert refusal(mail, "pin.change", pin="1357", newPin="8642", account=ALICE) == 8013
        assert mail.call("pin.status", account=ALICE)["retriesLeft"] == 4
        mail.call("pin.change", pin=PIN, newPin="8642", account=ALICE)
        assert mail.call("pin.status", account=ALICE)["retriesLeft"] == 5


def test_protected_buffers_and_strings_can_be_opened_after_an_upgrade(fixture: Fixture) -> None:
    with fixture.open(*MAIL) as mail:
        for buffer in fixture.answers["buffers"].values():
            if "result" in buffer:
                assert mail.call("dataProtectionManager.unprotect", data=buffer["protected"]) == buffer["result"]
        for text in fixture.answers["strings"].values():
            assert mail.call("dataProtectionManager.unprotectString", string=text["protected"]) == text["result"]
        gone = fixture.answers["buffers"]["of eve"]
        assert refusal(mail, "dataProtectionManager.unprotect", data=gone["protected"]) == gone["error"]["code"]
        assert {name for name, buffer in fixture.answers["buffers"].items() if "error" in buffer} == {"of eve"}


def test_files_keep_their_owners_and_contents_after_an_upgrade(fixture: Fixture) -> None:
    for app in (MAIL, NOTES):
        with fixture.open(*app) as client:
            for name in fixture.files(app):
                file = fixture.answers["files"][name]
                assert client.call("fileProtectionManager.protectionInfo", path=fixture.path(name)) == file["info"]
                assert client.call(
                    "fileProtectionManager.isFileEncrypted", path=fixture.path(name)) == file["isEncrypted"]
        for name in fixture.files(app):
            assert plain(fixture, name, app) == fixture.answers["files"][name]["sha256"], name
    checked = fixture.run("files", "check", *fixture.files(MAIL), *OWN_KEY, *MAIL[:2])
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_files_can_be_changed_and_decrypted_after_an_upgrade(fixture: Fixture) -> None:
    path = fixture.path("documents/large")
    with fixture.open(*MAIL) as mail:
        size = fixture.answers["files"]["documents/large"]["size"]
        opened = mail.call("file.open", path=path, flags=["readWrite"])
        assert opened == {**opened, "size": size, "isEncrypted": True}
        for offset in (4063, size):
            mail.call("file.pwrite", handle=opened["handle"], data=base64.b64encode(b"new").decode(), offset=offset)
        mail.call("file.close", handle=opened["handle"])
        mail.call("fileProtectionManager.decryptFile", path=path)
    text = Path(path).read_bytes()
    assert (len(text), text[4063:4066], text[-3:]) == (size + 3, b"new", b"new")


def test_after_an_upgrade_a_wipe_removes_one_account_and_leaves_the_others(fixture: Fixture) -> None:
    document = fixture.path("documents/dora")
    with fixture.open(*MAIL) as mail:
        mail.call("fileProtectionManager.protectionInfo", path=document)
        ended = mail.call("enrollmentManager.deRegisterAndUnenrollAccount", account=DORA, withWipe=True)
        assert ended["statusCode"] == 104
        enrolled = [account["identity"] for account in mail.call("enrollmentManager.enrolledAccounts")]
        assert enrolled == [ALICE, GINA]
        opened = mail.call(
            "dataProtectionManager.unprotect", data=fixture.answers["buffers"]["of alice"]["protected"])
        assert base64.b64decode(opened) == b"alice"
    if Path(document).exists():
        assert fixture.run("files", "cat", document, *OWN_KEY, *MAIL[:2]).returncode == 1
    for name in fixture.files(MAIL):
        if name != "documents/dora":
            assert plain(fixture, name, MAIL) == fixture.answers["files"][name]["sha256"], name


def test_an_interrupted_wipe_completes_after_an_upgrade(fixture: Fixture) -> None:
    with fixture.open(*TORN) as torn:
        torn.call("policyManager.isManagementEnabled")
        after, ended = 0, False
        while not ended:
            page = torn.call(
                "events.list", after=after, types=["policyManager.wipeDidComplete"], waitMilliseconds=30_000)
            assert page["events"] or page["gap"], "the wipe goes on after the start"
            after, ended = page["next"], bool(page["events"])
        assert torn.call("policyManager.managedAccounts") == []
    assert fixture.run("files", "cat", "documents/fred", *OWN_KEY, *TORN).returncode == 1


def test_keys_and_the_root_secret_can_be_changed_after_an_upgrade(fixture: Fixture) -> None:
    before = fixture.answers["buffers"]["of alice"]["protected"]
    assert fixture.run("keys", "rotate", "--account", ALICE, *OWN_KEY, *MAIL[:2]).returncode == 0
    changed = fixture.run("keys", "change-secret", *OWN_KEY, *MAIL[:2], "--new-key-file", "other.key")
    assert changed.returncode == 0, changed.stderr
    with fixture.open("--state", "state", "--key-file", "other.key", *MAIL) as mail:
        assert base64.b64decode(mail.call("dataProtectionManager.unprotect", data=before)) == b"alice"
        after = mail.call("dataProtectionManager.protectString", string="after", account=ALICE)
        assert mail.call("dataProtectionManager.unprotectString", string=after) == "after"


def test_a_state_with_a_passphrase_can_be_opened_after_an_upgrade(fixture: Fixture) -> None:
    text = "string=" + fixture.answers["second"]["protected"]
    words = ["dataProtectionManager.unprotectString", text, "--state", "second", "--passphrase-fd", "0"]
    with open(fixture.folder / "passphrase", "rb") as passphrase:
        opened = subprocess.run(
            [fixture.binary, "call", *words], cwd=fixture.folder, stdin=passphrase, capture_output=True, timeout=60,
            check=False)
    assert opened.stdout == b'"of hugo"\n', opened.stderr


REFUSED = [
    ["call", "policyManager.primaryUser"], ["call", "policy.isPINRequired", f"account={ALICE}"],
    ["call", "dataProtectionManager.protectString", "string=x", f"account={ALICE}"],
    ["files", "cat", "documents/small"], ["files", "protect", "test.key", "--account", ALICE], ["diagnostics"],
    ["keys", "rotate", "--account", ALICE], ["keys", "change-secret", "--new-key-file", "other.key"]]


def test_release_0_1_0_refuses_a_state_that_this_version_has_opened(fixture: Fixture, old_binary: str) -> None:
    with fixture.open(*MAIL) as mail:
        mail.call("policyManager.primaryUser")
    for app, database in [(MAIL, OF_APP), (NOTES, OF_DEVICE), (["--app-id", "com.example.new"], OF_DEVICE)]:
        known = KNOWN[fixture.release].get(database)
        for words in REFUSED if known else []:
            keys = fixture.keys()
            refused = fixture.run(*words, *OWN_KEY, *app[:2], binary=old_binary)
            said = refused.stderr.decode()
            assert refused.returncode == 1, (words, said)
            # The cause, with the words of each release, and the way out.
            assert re.search(rf"the state has schema version \d+, (this program knows|but.* only) {known}\W", said), said
            assert re.search("Use the newer .*--state", said) and f"state/{database}" in said, said
            assert fixture.keys() == keys
            assert not Path(fixture.path("other.key")).exists()
    with fixture.open(*MAIL) as mail:
        assert len(mail.call("enrollmentManager.enrolledAccounts")) == 3
    assert plain(fixture, "documents/small", MAIL) == fixture.answers["files"]["documents/small"]["sha256"]


def test_an_app_that_still_uses_release_0_1_0_damages_no_data(fixture: Fixture, old_binary: str) -> None:
    """Without a database in common, apps have only keys in common, and those have not changed."""
    for path in (fixture.folder / "state").glob("device.db*"):
        path.unlink()
    with fixture.open(*MAIL) as mail:
        text = mail.call("dataProtectionManager.protectString", string="new", account=ALICE)
    with fixture.open(*NOTES, binary=old_binary) as notes:
        assert notes.call("dataProtectionManager.unprotectString", string=text) == "new"
        old = notes.call("dataProtectionManager.protectString", string="old", account=ALICE)
        notes.call("enrollmentManager.deRegisterAndUnenrollAccount", account=ALICE, withWipe=True)
    with fixture.open(*MAIL) as mail:
        assert mail.call("dataProtectionManager.unprotectString", string=text) == "new"
        assert mail.call("dataProtectionManager.unprotectString", string=old) == "old"
    assert plain(fixture, "documents/small", MAIL) == fixture.answers["files"]["documents/small"]["sha256"]


def test_release_0_1_0_reads_newer_files_and_buffers_with_a_backup_of_its_state(
    fixture: Fixture, old_binary: str, tmp_path: Path
) -> None:
    backup = Fixture(old_binary, tmp_path / "backup", fixture.release)
    text = b"written by this version " * 1000
    Path(fixture.path("documents/later")).write_bytes(text)
    with fixture.open(*MAIL) as mail:
        later = mail.call("dataProtectionManager.protectString", string="later", account=ALICE)
        mail.call("fileProtectionManager.protect", path=fixture.path("documents/later"), account=ALICE)
    assert Path(fixture.path("documents/later")).read_bytes() != text
    with backup.open(*MAIL[:4], "--set", "MultipleManagedAccounts=true") as mail:
        assert mail.call("dataProtectionManager.unprotectString", string=later) == "later"
    shown = backup.run("files", "cat", fixture.path("documents/later"), *OWN_KEY, *MAIL[:2])
    assert shown.stdout == text, shown.stderr
