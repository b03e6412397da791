# SPDX-License-Identifier: Apache-2.0
"""Looks at the shop twice a second and buys something every tenth time."""
import itertools
import time

from web import ask

for number in itertools.count(1):
    page = "buy" if number % 10 == 0 else ""
    begun = time.monotonic()
    try:
        answer = ask("http://storefront.shop/" + page)
        outcome = "ok, cart holds %d" % answer["cart"]
    except OSError as problem:
        outcome = "failed: %s" % problem
    print("GET /%s %d ms %s" % (page, (time.monotonic() - begun) * 1000, outcome), flush=True)
    time.sleep(0.5)
