"""The PostgreSQL roles of docs/tenant/database.md can do what they are for, and nothing else."""
from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Iterator

import pytest
from conftest import ROOT
from replicas import Device, Issuer, PostgreSQL, Replica, postgresql_programs, write_tenant
from test_documents import blocks_of
from waiting import wait_for

BLOCKS = blocks_of((ROOT / "docs" / "tenant" / "database.md").read_text())
WRITER = "DeviceManagementApps.ReadWrite.All"
#: The tables of the first version.
FIRST = {"meta", "snapshot", "registration", "operation", "operation_target", "user_turn", "audit"}


def sql(name: str) -> str:
    [block] = [block for block in BLOCKS if block.values("file") == [name]]
    return block.text


class Database:
    def __init__(self, program: str, server: PostgreSQL):
        self.program, self.server = program, server

    def run_sql(self, text: str, user: str, database: str) -> str:
        place = f"postgresql://{user}@127.0.0.1:{self.server.port}/{database}"
        done = subprocess.run([str(self.server.programs / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", place], input=text,
                              capture_output=True, text=True, timeout=60)
        return done.stdout.strip() if done.returncode == 0 else done.stderr

    def store(self, role: str) -> str:
        return f"postgresql://{role}@127.0.0.1:{self.server.port}/mam"

    def run(self, command: str, role: str, *options: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([self.program, command, *options, "--store", self.store(role)], capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def database(tenant_program: str) -> Iterator[Database]:
    """With the tables, which the owner has made, and the rights of the page."""
    if not postgresql_programs():
        pytest.skip("PostgreSQL is not installed: run scripts/toolchains")
    # Not below pytest's folder, which the user of the server cannot enter.
    with tempfile.TemporaryDirectory(prefix="roles-") as made:
        Path(made).chmod(0o711)
        server = PostgreSQL(Path(made) / "postgresql")
        try:
            found = Database(tenant_program, server)
            assert not found.run_sql(sql("roles.sql"), "mam", "postgres")
            published = found.run("publish", "mam_owner", str(write_tenant(Path(made) / "tenant")))
            assert published.returncode == 0, published.stderr
            assert not found.run_sql(sql("grants.sql"), "mam_owner", "mam")
            yield found
        finally:
            server.stop()


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Issuer]:
    made = Issuer(tmp_path_factory.mktemp("issuer"))
    yield made
    made.close()


def test_the_role_mam_serve_can_do_all_that_a_replica_needs(database: Database, issuer: Issuer, tmp_path: Path) -> None:
    replica = Replica(database.program, database.store("mam_serve"), issuer, tmp_path / "log").ready()
    try:
        wait_for(lambda: replica.request("GET", "/health/ready").status == 200, "the replica is ready", said=lambda: replica.text)
        device, token = Device(), issuer.token()
        assert replica.check_in(device, token).body["outcome"] == "delivered"
        assert replica.order_wipe(device, issuer.token(roles=[WRITER])).status == 204
        [operation] = replica.check_in(device, token).body["operations"]
        assert replica.report(device, operation["id"]).status < 300
        # It hears of what is published meanwhile.
        published = database.run("publish", "mam_owner", str(write_tenant(tmp_path / "tenant", pin_required=False)))
        assert published.returncode == 0, published.stderr
        wait_for(lambda: replica.check_in(device, token).body.get("policies", [{}])[0].get("pinRequired") is False, "the new policy")
    finally:
        replica.stop()
    assert not re.search(r"permission denied|42501", replica.text), replica.text
    audit = database.run("audit", "mam_audit", "--action", "order")
    assert audit.returncode == 0 and len(audit.stdout.splitlines()) >= 1, audit.stderr


def test_the_role_mam_serve_cannot_publish_or_change_published_data(database: Database, tmp_path: Path) -> None:
    folder = write_tenant(tmp_path / "tenant")
    policy = folder / "policies" / "ios.json"
    policy.write_text(policy.read_text().replace("Data protection", "Data protection of mine"))
    refused = database.run("publish", "mam_serve", str(folder))
    assert refused.returncode == 70 and "permission denied" in refused.stderr, refused.stderr
    for statement in ("DELETE FROM snapshot", "UPDATE accepted_edition SET held = ''", "DROP TABLE audit", "ALTER TABLE audit ADD x TEXT"):
        assert re.search("permission denied|must be owner", database.run_sql(statement, "mam_serve", "mam")), statement


def test_the_role_mam_audit_can_only_read_the_audit(database: Database) -> None:
    listed = database.run("audit", "mam_audit")
    assert listed.returncode == 0 and "publish" in listed.stdout, listed.stderr
    for statement in ("SELECT * FROM registration", "SELECT * FROM snapshot", "DELETE FROM audit", "UPDATE meta SET value = ''",
                      "CREATE TABLE mine (x TEXT)"):
        assert "permission denied" in database.run_sql(statement, "mam_audit", "mam"), statement


def test_publish_upgrades_the_tables_and_keeps_them_readable_for_replicas(database: Database, tmp_path: Path) -> None:
    """`publish` brings the tables up to date even if it has nothing to publish."""
    folder = str(write_tenant(tmp_path / "tenant", pin_required=False))
    assert database.run("publish", "mam_owner", folder).returncode == 0
    version = database.run_sql("SELECT value FROM meta WHERE key = 'schemaVersion'", "mam_owner", "mam")
    later = set(database.run_sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", "mam_owner", "mam").split()) - FIRST
    assert later
    database.run_sql(f"DROP TABLE {', '.join(later)}; UPDATE meta SET value = '1' WHERE key = 'schemaVersion'", "mam_owner", "mam")
    again = database.run("publish", "mam_owner", folder)
    assert again.returncode == 0, again.stderr
    assert database.run_sql("SELECT value FROM meta WHERE key = 'schemaVersion'", "mam_owner", "mam") == version
    for table in later:
        assert database.run_sql(f"SELECT count(*) FROM {table}", "mam_serve", "mam").isdigit()
