"""The Rust client: its own tests, the code of its README, its example, and what the compiler, clippy and rustfmt say."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

RUST = Path(__file__).resolve().parents[1]
ROOT = RUST.parents[1]
TYPOS = RUST / "tests" / "typing" / "typos.rs"
CRATES = Path("/usr/share/cargo/registry")  # of librust-serde-json-dev
SOURCE = ["--offline", "--config", 'source.crates-io.replace-with="debian"', "--config", f'source.debian.directory="{CRATES}"']
PACKAGE = """
[package]
name = "typos"
version = "0.0.0"
edition = "2021"

[dependencies]
mambridge = {{ path = "{crate}" }}

[[bin]]
name = "typos"
path = "{file}"
"""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cargo") is None or not CRATES.is_dir():
        pytest.skip("the Rust client needs cargo and librust-serde-json-dev")
    return tmp_path_factory.mktemp("target")


def cargo(target: Path, *arguments: str, folder: Path = RUST, **variables: str) -> subprocess.CompletedProcess[str]:
    command, *rest = arguments
    return subprocess.run(
        ["cargo", command, "--quiet", *SOURCE, *rest], cwd=folder, capture_output=True, text=True, timeout=600,
        env={**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0", **variables})


def test_the_crate_passes_its_tests_and_the_code_of_its_readme_runs(target: Path, binary: str, tmp_path: Path) -> None:
    (tmp_path / "mambridge").symlink_to(Path(binary).resolve())
    path = f"{tmp_path}:{os.environ['PATH']}"
    run = cargo(target, "test", "--all-features", PATH=path, XDG_STATE_HOME=str(tmp_path / "state"), LC_ALL="C.UTF-8")
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_example_prints_what_the_policy_says(target: Path, binary: str) -> None:
    run = cargo(target, "run", "--example", "sample", "--", binary)
    assert run.returncode == 0, run.stderr
    *lines, refused = run.stdout.splitlines()
    assert lines == [
        "enrollment: newPoliciesReceived", "save to localDrive: yes", "save to oneDriveForBusiness: yes",
        "save to dropbox: no", "unprotected: quarterly figures"]
    assert refused.startswith("refused: ")


def test_the_compiler_rejects_each_mistake_and_nothing_else(target: Path, tmp_path: Path) -> None:
    planted = {number for number, line in enumerate(TYPOS.read_text().splitlines(), 1) if line.endswith("// wrong")}
    assert len(planted) > 30
    (tmp_path / "Cargo.toml").write_text(PACKAGE.format(crate=RUST, file=TYPOS))
    run = cargo(target, "check", "--message-format", "json", folder=tmp_path)
    messages = [json.loads(line).get("message") for line in run.stdout.splitlines()]
    errors = [message for message in messages if message and message["level"] == "error" and message["spans"]]
    found = {span["line_start"] for error in errors for span in error["spans"] if span["is_primary"]}
    assert found == planted, run.stderr


@pytest.mark.parametrize("package", ["clients/rust", "clients/conformance/rust"])
def test_the_code_is_formatted(package: str) -> None:
    if shutil.which("rustfmt") is None:
        pytest.skip("needs rustfmt")
    files = [str(path) for path in (ROOT / package).glob("*/*.rs") if path.parent.name != "target"]
    run = subprocess.run(["rustfmt", "--check", "--edition", "2021", *files], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout


def test_clippy_finds_nothing(target: Path) -> None:
    if shutil.which("cargo-clippy") is None:
        pytest.skip("needs rust-clippy")
    run = cargo(target, "clippy", "--all-targets", "--all-features", "--", "--deny", "warnings")
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(("section", "name", "member", "file", "title"), [
    ("x-events", "logger.log", "message", "events.rs", "LoggerLog"),
    ("x-delegates", "ui.showAlert", "message", "requests.rs", "ShowAlert"),
])
def test_a_secret_stays_out_of_the_debug_output(section: str, name: str, member: str, file: str, title: str) -> None:
    pytest.importorskip("jinja2")
    from generate import rust, schema
    document = json.loads((ROOT / "schema" / "openrpc.json").read_text(encoding="utf-8"))
    [found] = [item for item in document[section] if item["name"] == name]
    [secret] = [param for param in found["params"] if param["name"] == member]
    secret["schema"]["format"] = "password"
    text = rust.render(schema.Reader(document).model())[f"src/{file}"]
    shown = text.partition(f"impl fmt::Debug for {title} ")[2].partition("\n}\n")[0]
    assert "to.field(" in shown and f'"{member}"' not in shown
    assert f"#[derive(Clone, PartialEq, Deserialize)]\n#[non_exhaustive]\npub struct {title} " in text
    assert "use std::fmt;" in text
