"""Which proxy the usual variables name for a place, in either case: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY."""

from __future__ import annotations

import os
import re

from memsift.remote import place as places
from memsift.remote.place import Place


def find(place: Place) -> Place | None:
    """The proxy for a place, none for this machine. Raises ValueError with a sentence for the user.

    Of the variables that are set the first decides, even if it is empty: that is how a proxy is switched off.
    """
    environment = os.environ
    names = [case(name) for name in (place.scheme + "_proxy", "all_proxy") for case in (str.lower, str.upper)]
    name = next((each for each in names if each in environment), "")
    address = environment.get(name, "").strip()
    exempt = environment.get("no_proxy", environment.get("NO_PROXY", ""))
    if not address or place.is_loopback or _is_exempt(place, exempt):
        return None
    proxy = places.parse(address if "://" in address else "http://" + address)
    if proxy is None or proxy.is_tls:
        raise ValueError("the proxy in %s must be a URL that begins with http://" % name)
    return proxy


def authorization(proxy: Place) -> dict[str, str]:
    """The header with which the proxy is told the user of its URL; empty where it has none."""
    if proxy.user is None:
        return {}
    import binascii
    user = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes([int(found.group(1), 16)]), proxy.user.encode("ascii"))
    return {"Proxy-Authorization": "Basic " + binascii.b2a_base64(user, newline=False).decode("ascii")}


def _is_exempt(place: Place, exempt: str) -> bool:
    """Whether NO_PROXY names this host, a domain above it, or a network that its numeric address is in."""
    return any(_names(entry, place) for entry in exempt.lower().replace(",", " ").split())


def _names(entry: str, place: Place) -> bool:
    if entry == "*":
        return True
    if "/" in entry:
        return bool(place.literal) and _is_within(place.literal, entry)
    port = ""
    if entry.startswith("[") or entry.count(":") == 1:  # else a colon is part of a numeric address
        entry, port = re.fullmatch(r"\[?(.*?)\]?(?::([0-9]*))?", entry).groups("")
    domain = entry.lstrip("*").lstrip(".")
    return bool(domain) and ("." + place.host).endswith("." + domain) and port in ("", str(place.port))


def _is_within(address: str, network: str) -> bool:
    import ipaddress  # few have a network in NO_PROXY
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
