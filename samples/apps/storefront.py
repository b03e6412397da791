# SPDX-License-Identifier: Apache-2.0
"""The page that visitors see."""
from web import POD, ask, serve


def home():
    catalog = ask("http://catalog/items")
    cart = ask("http://cart/items")
    return {"pod": POD, "catalog": catalog["version"], "items": catalog["items"], "cart": cart["items"]}


def buy():
    return {"pod": POD, "receipt": ask("http://checkout.payments/pay"), "cart": ask("http://cart/add")["items"]}


serve({"/": home, "/buy": buy})
