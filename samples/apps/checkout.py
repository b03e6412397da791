# SPDX-License-Identifier: Apache-2.0
"""Takes the money, at today's rate."""
from web import POD, ask, serve


def pay():
    return {"pod": POD, "paid": round(10 * ask("http://rates.example/rate")["rate"], 2)}


serve({"/pay": pay})
