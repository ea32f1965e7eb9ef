"""What Cognee's own plugin has left on this machine: the key that it made for its local server."""

from __future__ import annotations

import os

from memsift import files
from memsift.remote import service
from memsift.settings import same_address

_KEY_FILE = os.path.join(".cognee-plugin", "api_key.json")


def key_file() -> str:
    """Where the plugin keeps its key; "" without a home folder."""
    user_home = os.environ.get("HOME", "")
    return os.path.join(user_home, _KEY_FILE) if os.path.isabs(user_home) else ""


def minted_key(url: str) -> str:
    """The key that was made for the server at this address, "" where there is none: no other server may see it."""
    path = key_file()
    try:
        content = service.parse(files.read_bytes(os.path.realpath(path), 100_000)) if path else None
    except OSError:
        return ""
    address, key = service.field(content, "base_url"), service.field(content, "api_key")
    if not isinstance(address, str) or not isinstance(key, str) or not same_address(address, url):
        return ""
    return key.strip()
