"""The Tab key in real shells: bash with and without bash-completion, zsh and fish."""
from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Iterator

import pytest

BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")
SHOW = "\x14"  # Ctrl-T, bound to a command that writes the line to a file
SECONDS = 30

# How each shell is started, and what it runs first: it loads the completions, binds SHOW and prints READY.
PLAIN_BASH = r"""
PS1='$ '
source <(mambridge completions bash)
"""
INSTALLED_BASH = rf"""
PS1='$ '
source {BASH_COMPLETION}
"""
BASH_KEYS = r"""
show() { printf '%s' "$READLINE_LINE" >"$SHOWN.new"; mv "$SHOWN.new" "$SHOWN"; }
bind -x '"\C-t": show'
echo READY
"""
ZSH_KEYS = r"""
show() { print -rn -- "$BUFFER" >$SHOWN.new; mv $SHOWN.new $SHOWN }
zle -N show
bindkey '^T' show
echo READY
"""
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], PLAIN_BASH + BASH_KEYS),
    "bash-completion": (["bash", "--norc", "--noprofile", "-i"], INSTALLED_BASH + BASH_KEYS),
    "zsh": (["zsh", "-f", "-i"], "PS1='$ '\nfpath=(~/.zfunc $fpath)\nautoload -U compinit\ncompinit -D -u\n" + ZSH_KEYS),
    "zsh-source": (
        ["zsh", "-f", "-i"], "PS1='$ '\nautoload -U compinit\ncompinit -D -u\nsource <(mambridge completions zsh)\n" + ZSH_KEYS),
    "fish": (["fish", "-i"], r"""
function show
    commandline | string collect >$SHOWN.new
    mv $SHOWN.new $SHOWN
end
bind \ct show
echo READY
"""),
}

LINES = [
    ("mambridge diag", "mambridge diagnostics "),
    ("bin/mambridge diag", "bin/mambridge diagnostics "),
    ("mambridge files prot", "mambridge files protect "),
    ("mambridge --tenant sample fil", "mambridge --tenant sample files "),
    ("mambridge log --level e", "mambridge log --level error "),
    ("mambridge serve --clock=m", "mambridge serve --clock=manual "),
    ("mambridge serve --settings=sett", "mambridge serve --settings=settings.json "),
    ("mambridge serve --settings sett", "mambridge serve --settings settings.json "),
    ("mambridge files check inb", "mambridge files check inbox/"),
    ("mambridge files check 'a file' inbox/n", "mambridge files check 'a file' inbox/note.txt "),
    ("mambridge serve --tenant tena", "mambridge serve --tenant tenant/"),
    ("mambridge serve --tenant=tena", "mambridge serve --tenant=tenant/"),
    ("mambridge call policy.isURLA", "mambridge call policy.isURLAllowed "),
    ("mambridge call policy.isURLAllowed ur", "mambridge call policy.isURLAllowed url="),
    ("mambridge explain policy.isURLAllowed ur", "mambridge explain policy.isURLAllowed url="),
    ("mambridge call policy.isSaveToAllowedForLocation location=drop",
     "mambridge call policy.isSaveToAllowedForLocation location=dropbox "),
    ("mambridge call dataProtectionManager.protect data=", "mambridge call dataProtectionManager.protect data=@"),
    ("mambridge call dataProtectionManager.protect data=@phot",
     "mambridge call dataProtectionManager.protect data=@photo.jpg "),
    ("mambridge call dataProtectionManager.protect data=@inb", "mambridge call dataProtectionManager.protect data=@inbox/"),
    ("mambridge call file.open path=inbox/n", "mambridge call file.open path=inbox/note.txt "),
    ("mambridge completions z", "mambridge completions zsh "),
    ("mambridge help tenant ch", "mambridge help tenant check "),
]


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, name: str, folder: Path, binary: str) -> None:
        command, self.begin = SHELLS[name]
        self.shown = folder / "shown"
        environment = {
            "HOME": str(folder), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "TERM": "xterm", "LC_ALL": "C.UTF-8",
            "SHOWN": str(self.shown), "XDG_DATA_HOME": str(folder / "share"), "XDG_CONFIG_HOME": str(folder / "config")}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.said = b""

    def start(self, folder: Path) -> None:
        (folder / "begin").write_text(self.begin)
        self.type("source ./begin\r")
        self.wait(lambda: b"READY" in self.said)

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def wait(self, done) -> None:
        deadline = time.monotonic() + SECONDS
        while not done():
            if time.monotonic() > deadline:
                pytest.fail(f"the shell said only {self.said.decode(errors='replace')}")
            self.read(0.02)

    def read(self, seconds: float) -> bool:
        """Whether the shell says something in that time. It waits while nobody reads."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        self.said += os.read(self.terminal, 1 << 16)
        return True

    def press_tab(self, line: str) -> None:
        """Waits for the completion before more keys come: zsh takes a Tab among other keys for pasted text, and gives up
        a completion when a key comes."""
        self.type("\x15" + line)
        self.wait(lambda: line.encode() in self.said or not self.read(0.2))
        self.said = b""
        self.type("\t")
        self.wait(lambda: self.said)
        while self.read(0.2):
            pass

    def after_tab(self, line: str) -> str:
        self.shown.unlink(missing_ok=True)
        self.press_tab(line)
        self.type(SHOW)
        self.wait(self.shown.exists)
        return self.shown.read_text().rstrip("\n")

    def end(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, binary: str, tmp_path: Path) -> Iterator[Shell]:
    program = SHELLS[request.param][0][0]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    if request.param == "bash-completion" and not BASH_COMPLETION.exists():
        pytest.skip("bash-completion is not installed")
    for name in ("bin", "inbox", "tenant", "a file", ".zfunc", "share/bash-completion/completions",
                 "config/fish/completions"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("settings.json", "inbox/note.txt", "photo.jpg", "tenant.json"):
        (tmp_path / name).touch()
    (tmp_path / "bin" / "mambridge").symlink_to(binary)
    for kind, place in (("bash", "share/bash-completion/completions/mambridge"), ("zsh", ".zfunc/_mambridge"),
                        ("fish", "config/fish/completions/mambridge.fish")):
        (tmp_path / place).write_text(script(binary, kind))
    started = Shell(request.param, tmp_path, binary)
    try:
        started.start(tmp_path)
        yield started
    finally:
        started.end()


def script(binary: str, kind: str) -> str:
    return subprocess.run([binary, "completions", kind], capture_output=True, text=True, check=True).stdout


def test_tab_completes_commands_options_values_and_files(shell: Shell) -> None:
    completed = [(line, shell.after_tab(line)) for line, _ in LINES]
    assert completed == LINES


def test_tab_lists_the_choices(shell: Shell) -> None:
    shell.press_tab("mambridge files ")
    shell.type("\t")
    shell.wait(lambda: all(name in shell.said for name in (b"check", b"export", b"protect", b"write")))


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_the_completion_script_has_no_syntax_errors(kind: str, binary: str, tmp_path: Path) -> None:
    if shutil.which(kind) is None:
        pytest.skip(f"{kind} is not installed")
    file = tmp_path / "script"
    file.write_text(script(binary, kind))
    assert subprocess.run([kind, "-n", file], capture_output=True, text=True).stderr == ""


def test_the_completion_script_prints_nothing_if_the_program_is_missing(tmp_path: Path, binary: str) -> None:
    (tmp_path / "script").write_text(script(binary, "bash"))
    line = "COMP_LINE='mambridge d' COMP_POINT=11; source ./script; _mambridge ./mambridge d mambridge"
    done = subprocess.run(["bash", "-c", f"{line}; echo ${{#COMPREPLY[@]}}"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("0\n", 0)
