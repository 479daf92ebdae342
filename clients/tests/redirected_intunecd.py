"""Runs IntuneCD, as it is installed, with another host in place of Graph's: redirected_intunecd.py HOST backup|update OPTION…

Only the module of app protection runs. IntuneCD has no option for the host, so the prefix of its URLs is exchanged."""
from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import requests

host, command, *options = sys.argv[1:]
send = requests.Session.request


def redirected(session: requests.Session, method: str, url: str, *more: Any, **named: Any) -> requests.Response:
    return send(session, method, url.replace("https://graph.microsoft.com", host, 1), *more, **named)


setattr(requests.Session, "request", redirected)
program = import_module(f"IntuneCD.run_{command}")
[exclude] = [action for action in program.get_parser()._actions if action.dest == "exclude"]
sys.argv = [f"IntuneCD-start{command}", *options, "-e", *(name for name in exclude.choices if name not in ("AppProtection", "assignments"))]
program.start()
