#!/usr/bin/env python3
"""threads_driver.py SCENARIO COMMAND…: does what driver.py does, but no caller writes or reads for itself. See ../README.md."""
from __future__ import annotations

import json
import sys
from typing import Optional

import driver
from mambridge import reader, streams, wire


def answer(self: reader.Reader, number: int, seconds: float) -> Optional[wire.Reply]:
    sys.exit("a caller has written its request itself")


setattr(streams.Socket, "direct", lambda self: None)
setattr(reader.Reader, "answer", answer)
print(json.dumps(driver.SCENARIOS[sys.argv[1]]()))
