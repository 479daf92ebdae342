#!/usr/bin/env python3
"""burst_driver.py SCENARIO COMMAND…: does what async_driver.py does, but each call that may reads its answer itself. See
../README.md."""
from __future__ import annotations

import asyncio
import json
import sys

import async_driver
from mambridge.aio import pace

setattr(pace.Pace, "is_free", lambda self: True)
print(json.dumps(asyncio.run(async_driver.SCENARIOS[sys.argv[1]]())))
