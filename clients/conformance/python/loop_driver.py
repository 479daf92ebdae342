#!/usr/bin/env python3
"""loop_driver.py SCENARIO COMMAND…: does what async_driver.py does, but the loop reads all answers. See ../README.md."""
from __future__ import annotations

import asyncio
import json
import sys

import async_driver
from mambridge.aio import streams

setattr(streams, "direct", lambda connection: None)
print(json.dumps(asyncio.run(async_driver.SCENARIOS[sys.argv[1]]())))
