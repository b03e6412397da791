# SPDX-License-Identifier: Apache-2.0
"""What there is to buy; version 2 has more of it."""
import os

from web import POD, serve

VERSION = os.environ.get("VERSION", "v1")
ITEMS = ["anchor", "compass", "lead line"] + (["sextant"] if VERSION == "v2" else [])

serve({"/items": lambda: {"pod": POD, "version": VERSION, "items": ITEMS}})
