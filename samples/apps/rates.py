# SPDX-License-Identifier: Apache-2.0
"""Somebody else's service, outside of the mesh."""
import random

from web import serve

serve({"/rate": lambda: {"rate": round(random.uniform(0.9, 1.1), 4)}})
