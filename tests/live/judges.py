"""A scripted judge for the live tests, set the way a user of both hosts sets it."""

from __future__ import annotations

import os
import sys

from tests.live.workdesk import Workdesk
from tests.scripted_http import ScriptedHttp
from tests.support import ROOT


def serve(test: object, desk: Workdesk, *script: object) -> ScriptedHttp:
    """Start the judge until the test ends, and set it in the file that the hooks of both hosts read."""
    server = ScriptedHttp(*script)
    server.__enter__()
    test.addCleanup(server.__exit__)
    folder = os.path.join(desk.home, ".cognee")
    os.mkdir(folder)
    path = os.path.join(folder, ".env")
    with open(path, "w", encoding="utf-8") as file:
        file.write("MEMSIFT_JEV_URL=%s\nMEMSIFT_JEV_KEY=invented-key\n" % server.url)
    os.chmod(path, 0o600)
    return server


def resume(desk: Workdesk) -> str:
    """Run the resume command in the project; gives what it prints."""
    return desk.run([sys.executable, "-B", "-m", "memsift", "resume"], desk.environment(PYTHONPATH=ROOT)).stdout
