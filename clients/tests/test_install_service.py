"""The packages of mambridge-tenant in a small system without Swift, systemd and libpq: install, use, upgrade, remove."""
from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from packages import System, only, service_dist_folder, system

STORE = "var/lib/mambridge-tenant/store.sqlite"
# What belongs to the system: a user that owns files is never deleted.
KEPT = re.compile(r"etc/(passwd|group|shadow|gshadow|subuid|subgid)(-|\.lock)?|etc/\.pwd\.lock|run/adduser")

# As the unit starts it: as a user who may read the tenant folder, and has no rights beyond that.
SERVE = """
mkdir -p /srv/tenant
echo '{{"tenantId": "72f988bf-0000-4000-8000-2d7cd011db47", "users": []}}' >/srv/tenant/tenant.json
chgrp -R {group} /srv/tenant
chmod -R g+rX,o= /srv/tenant
install -d -o {user} -m 700 /var/lib/mambridge-tenant
env STATE_DIRECTORY=/var/lib/mambridge-tenant setpriv --reuid={user} --clear-groups --regid={group} \\
  mambridge-tenant serve /srv/tenant --listen http://127.0.0.1:0 --issuer https://login.contoso.example --audience a \\
  2>/tmp/log &
for _ in $(seq 300); do grep -q listening /tmp/log && break; sleep 0.1; done
url=$(sed -nE 's/.*"listening":"([^"]*)".*/\\1/p' /tmp/log)
python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1] + "/health/live").status)' "$url"
kill $!
wait $!
"""


@pytest.fixture
def debian(tmp_path: Path) -> System:
    service_dist_folder()
    return system("debian", tmp_path)


def left(system: System) -> "set[str]":
    return {name for name in system.files() if not KEPT.fullmatch(name)}


def test_the_debian_package_is_installed_used_and_removed(debian: System) -> None:
    debian.run("apt-get install -q -y --no-install-recommends /dist/mambridge-tenant_*.deb")
    owners = debian.run("stat -c '%n %a %U %G' /etc/mambridge-tenant /var/lib/mambridge-tenant")
    assert owners.splitlines() == [
        "/etc/mambridge-tenant 750 root mambridge-tenant", "/var/lib/mambridge-tenant 700 mambridge-tenant mambridge-tenant"]
    # What systemd makes anew if it is gone.
    folders = [line.split() for line in debian.run("cat /usr/lib/tmpfiles.d/mambridge-tenant.conf").splitlines()]
    assert [f"{path} {mode.lstrip('0')} {user} {group}" for _, path, mode, user, group, _ in folders] == owners.splitlines()
    # The settings are complete but for the tenant and the certificate.
    told = debian.run(
        "mkdir /tmp/state; . /etc/default/mambridge-tenant\n"
        "STATE_DIRECTORY=/tmp/state mambridge-tenant serve $SERVE 2>&1 || echo status $?; rm -r /tmp/state")
    assert "/etc/mambridge-tenant/server.pem" in told and "status 78" in told, told
    assert debian.run(SERVE.format(user="mambridge-tenant", group="mambridge-tenant-folder")) == "200\n"
    told = debian.run("mambridge-tenant accept --dry-run --store postgresql://db.example/mam 2>&1 || echo status $?")
    assert "apt install libpq5" in told and "status" in told
    debian.run("apt-get remove -q -y mambridge-tenant; rm -r /srv/tenant /tmp/log")
    assert {name for name in left(debian) if not name.startswith(STORE)} == {"etc/default/mambridge-tenant"}
    debian.run("dpkg --purge mambridge-tenant")
    assert {name for name in left(debian) if not name.startswith(STORE)} == set()
    assert debian.run(f"stat -c %U /{STORE}") == "mambridge-tenant\n"


def test_an_upgrade_keeps_the_settings_the_state_and_the_user(debian: System, tmp_path: Path) -> None:
    package = only(service_dist_folder(), "mambridge-tenant_*.deb")
    older = tmp_path / "older"
    subprocess.run(["dpkg-deb", "--raw-extract", package, older], check=True, timeout=60)
    control = (older / "DEBIAN" / "control").read_text()
    (older / "DEBIAN" / "control").write_text(re.sub(r"^Version: .*$", "Version: 0.1.0-1", control, flags=re.M))
    (older / "etc" / "default" / "mambridge-tenant").write_text("# An older version's settings.\n")
    (tmp_path / "changes" / "opt").mkdir(parents=True)
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Znone", "--build", older, tmp_path / "changes" / "opt" / "older.deb"],
        check=True, capture_output=True, timeout=60)
    debian.run("apt-get install -q -y --no-install-recommends /opt/older.deb; rm /opt/older.deb")
    debian.run("echo store >/var/lib/mambridge-tenant/store.sqlite; echo 'SERVE=mine' >/etc/default/mambridge-tenant")
    user = debian.run("id mambridge-tenant")
    # As unattended-upgrades does: what the administrator has changed stays.
    debian.run("dpkg --force-confold --install /dist/mambridge-tenant_*.deb")
    assert debian.run("cat /etc/default/mambridge-tenant /var/lib/mambridge-tenant/store.sqlite") == "SERVE=mine\nstore\n"
    assert debian.run("id mambridge-tenant") == user
    assert debian.run("dpkg-query -W -f '${Version}' mambridge-tenant") != "0.1.0-1"


def test_the_archive_is_unpacked_used_and_deleted(debian: System) -> None:
    archive = "/dist/mambridge-tenant-*-linux-x86_64.tar.gz"
    debian.run(f"tar -xzf {archive} -C /usr/local --strip-components=1 --no-same-owner")
    assert debian.run(SERVE.format(user="nobody", group="nogroup")) == "200\n"
    debian.run(f"cd /usr/local && tar -tzf {archive} | grep -v '/$' | cut -d/ -f2- | xargs rm")
    debian.run("rm -r /srv/tenant /tmp/log /var/lib/mambridge-tenant")
    assert left(debian) == set()


def test_mambridge_finds_the_mambridge_tenant_that_pip_installed(debian: System) -> None:
    debian.run("python3 -m venv /opt/env")
    before = debian.files()
    debian.run("/opt/env/bin/pip install -q --no-cache-dir --no-index --find-links /dist mambridge mambridge-tenant")
    # Nothing listens there: the program that says so is the one of the wheel.
    told = debian.run(
        "/opt/env/bin/mambridge --state /tmp/state --tenant https://127.0.0.1:9 call --token-command 'echo t' "
        "enrollmentManager.registerAndEnrollAccount account=alice@contoso.example 2>&1 || true; rm -rf /tmp/state")
    assert "127.0.0.1" in told and "mambridge-tenant" not in told, told
    debian.run("/opt/env/bin/pip uninstall -q -y mambridge mambridge-tenant")
    assert debian.files() - before == set()
