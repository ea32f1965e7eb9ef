"""How much a hook makes its host wait: whole processes, in turn with a bare interpreter, medians and ratios.

    python3 tests/bench.py [--runs N] [--python PATH] [--only WORD]

A ratio is the median of the hook over the median of `python -c pass`, both run in turn on the same interpreter. Use a
clean one (the system's, or a fresh virtual environment): a crowded site folder makes the bare run slow and flatters
the ratio. The last two rows (`--only archive` for them alone) are medians of the archive by itself. The bound of each row is
the project's own requirement; the exit code is 1 when a row is over it.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from memsift import home as layout
from memsift import hook
from memsift import notes
from memsift import project
from memsift.archive.archive import Archive
from memsift.deadline import Deadline
from memsift.entry import Entry
from memsift.runtime import Runtime
from tests import bench_archive
from tests import scripted_http
from tests.scripted_judge import ScriptedJudge

BY_JEV = "prompt decided by Jev, less its 300 ms"
SUBJECTS = ("carts", "payments", "search", "stock", "mail", "login", "prices", "images", "taxes", "returns")
ACTIONS = ("uses port %d because the proxy needs it", "retries %d times since the network drops",
           "keeps its queue in table_%d after the incident", "reads config/part_%d.toml before it starts",
           "was moved to worker %d, the old one ran out of memory")
QUESTION = "Which payment provider did we choose for acme-shop, and why?"
FACT = "We go with PayCo for payments, its fees are lower for small carts."
SKIPPED, TOOL, ENDING, LOCAL, JEV = 2.0, 2.2, 3.0, 5.0, 5.0  # bounds, in bare runs
LOCAL_MILLISECONDS = 100.0
SERVICE_MILLISECONDS = 300.0  # that the judge takes, which are not counted


def sentence(number):
    """One of many different, plausible notes."""
    subject, action = SUBJECTS[number % len(SUBJECTS)], ACTIONS[number // len(SUBJECTS) % len(ACTIONS)]
    return "The %s service %s; decided in week %d together with the %s team, see ticket ACME-%d." % (
        subject, action % (1000 + number), number % 52 + 1, SUBJECTS[number * 7 % len(SUBJECTS)], number)


class Shop:
    """A project with a memory of a given size, in a folder that goes away. `settings`: those that are not the default."""

    def __init__(self, folder, noted, archived, **settings):
        self.settings = settings
        self.user_home = os.path.join(folder, "home-%d-%d" % (noted, archived))
        self.folder = os.path.join(folder, "acme-shop")
        os.makedirs(os.path.join(self.user_home, ".memsift"))
        os.makedirs(os.path.join(self.folder, ".git"), exist_ok=True)
        for name, text in (("HEAD", "ref: refs/heads/main\n"), ("config", "[core]\n")):
            with open(os.path.join(self.folder, ".git", name), "w", encoding="utf-8") as file:
                file.write(text)
        self.home = layout.Home(os.path.join(self.user_home, ".memsift"))
        self.repository = project.identify(self.folder, self.user_home).name
        self._fill(noted, archived)

    def _fill(self, noted, archived):
        made = [Entry("n%d" % i, "2026-11-%02d" % (i % 28 + 1), sentence(i), turn="s0/t%d" % i) for i in range(noted)]
        notes.append(self.home, self.repository, made + [Entry("npay", "2026-11-01", FACT, turn="s0/pay")])
        if archived:
            Archive(self.home.archive(self.repository), wait=60).add(
                [Entry("a%d" % i, "2026-01-01", sentence(noted + i)) for i in range(archived)])

    def runtime(self, deadline):
        opened = Runtime(deadline)
        opened.home = self.home
        return opened

    def payload(self, event, **fields):
        facts = {"session_id": "bench", "cwd": self.folder, "hook_event_name": event, "prompt_id": "t%d" % time.monotonic_ns(),
                 "transcript_path": os.path.join(self.folder, "session.jsonl")}
        return json.dumps(dict(facts, **fields)).encode()


def hook_line(python, moment):
    return [python, "-I", "-S", "-X", "utf8", os.path.join(ROOT, "hooks", "claude_code.py"), moment]


def timed(command, raw, environment):
    started = time.perf_counter()
    done = subprocess.run(command, input=raw, stdout=subprocess.PIPE, env=environment, check=True)
    return (time.perf_counter() - started) * 1000, done.stdout


def judge(connection, request):
    """Answer SERVICE_MILLISECONDS after the request was read."""
    read = time.monotonic()
    answer = json.dumps(ScriptedJudge({FACT: 0.9})(request.json())).encode()
    connection.wait(SERVICE_MILLISECONDS / 1000 - (time.monotonic() - read))
    connection.send(scripted_http.message(answer))


def measure(python, moment, shop, make_payload, runs, check, judge_url=""):
    """Medians in milliseconds of the hook and of the bare interpreter, run in turn."""
    environment = {"HOME": shop.user_home, "PATH": os.environ["PATH"], "TMPDIR": tempfile.gettempdir(),
                   "MEMSIFT_GRACE_SECONDS": "86400", **shop.settings}  # no worker waits for the end of a grace time
    if judge_url:
        environment["MEMSIFT_JEV_URL"] = judge_url
    command = hook_line(python, moment)
    for _ in range(2):
        timed(command, make_payload(), environment)
    pairs = []
    for _ in range(runs):
        bare, _ = timed([python, "-c", "pass"], b"", environment)
        spent, output = timed(command, make_payload(), environment)
        check(output)
        pairs.append((spent - (SERVICE_MILLISECONDS if judge_url else 0.0), bare))
    return statistics.median(spent for spent, _ in pairs), statistics.median(bare for _, bare in pairs)


def silent(output):
    if output:
        raise SystemExit("a hook that should be silent printed %r" % output[:200])


def judged(shop):
    """Adds the note, and Jev did not fail once."""
    def check(output):
        adds(output)
        if os.path.exists(shop.home.log):
            raise SystemExit("Jev did not judge: see %s" % shop.home.log)
    return check


def adds(output):
    if FACT.encode() not in output:
        raise SystemExit("the note that answers was not added: %r" % output[:200])


def write_transcript(shop, megabytes):
    """A session whose tools printed so many megabytes, in long lines and, between them, some talk."""
    path = os.path.join(shop.folder, "large-%d.jsonl" % megabytes)
    noise = json.dumps({"type": "user", "toolUseResult": {"stdout": "x" * 1_000_000}}).encode() + b"\n"
    with open(path, "wb") as file:
        for i in range(megabytes):
            file.write(noise)
        for i in range(20):
            row = {"type": "user", "uuid": str(i), "promptId": "p%d" % i, "promptSource": "typed",
                   "message": {"content": "Prompt %d about the build." % i}}
            file.write(json.dumps(row).encode() + b"\n")
    return path


def rows(folder):
    """(name, moment, shop, payload maker, check, bound in bare runs, bound in milliseconds or None)"""
    usual = Shop(folder, 200, 10_000)
    busy = Shop(folder, 202, 10_000)  # one of its own, since a worker may compact its notes
    # So low that all of the notes might be added, and none of the work is saved.
    large = Shop(folder, 260, 100_000, MEMSIFT_ADD_THRESHOLD="0.001")
    judged_shop = Shop(folder, 201, 10_000)  # one of its own, since its log must stay empty
    transcript = write_transcript(large, 600)
    question = {"prompt": QUESTION}

    def fresh(shop, **more):
        """The first prompt of a session that has just started, and was given nothing yet."""
        def make():
            session = "q%d" % time.monotonic_ns()
            start = {"session_id": session, "cwd": shop.folder, "hook_event_name": "SessionStart", "source": "compact"}
            hook.answer("claude-code", "session-start", json.dumps(start).encode(), Deadline(60), shop.runtime)
            return shop.payload("UserPromptSubmit", **dict(question, session_id=session, **more))
        return make
    pasted = "2026-11-30 12:00:00 ERROR worker: connection refused, next try in 30 s\n" * 14_500 + QUESTION
    return [
        ("prompt skipped", "prompt", usual, lambda: usual.payload("UserPromptSubmit", prompt="/compact"), silent, SKIPPED, None),
        ("tool, ignored", "tool", busy, lambda: busy.payload("PostToolUse", tool_name="Read", tool_input={"file_path": "a"}), silent, TOOL, None),
        ("tool, command passed", "tool", busy, lambda: busy.payload("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}), silent, TOOL, None),
        ("tool, edit noted", "tool", busy, lambda: busy.payload("PostToolUse", tool_name="Edit", tool_input={"file_path": busy.folder + "/a.py"}), silent, TOOL, None),
        ("answer, worker started", "answer", busy, lambda: busy.payload("Stop", last_assistant_message="Done."), silent, ENDING, None),
        ("session end", "session-end", busy, lambda: busy.payload("SessionEnd", reason="other"), silent, ENDING, None),
        ("session start", "session-start", busy, lambda: busy.payload("SessionStart", source="startup"), silent, ENDING, None),
        ("prompt, nothing needed", "prompt", usual, lambda: usual.payload("UserPromptSubmit", prompt="ok, go ahead"), silent, LOCAL, LOCAL_MILLISECONDS),
        ("prompt, note added", "prompt", usual, fresh(usual), adds, LOCAL, LOCAL_MILLISECONDS),
        ("large memory, 600 MB transcript", "prompt", large, fresh(large, transcript_path=transcript), adds, 2 * LOCAL, 2 * LOCAL_MILLISECONDS),
        ("the same, prompt of 1 MB", "prompt", large, fresh(large, transcript_path=transcript, prompt=pasted), adds, 2 * LOCAL, 2 * LOCAL_MILLISECONDS),
        (BY_JEV, "prompt", judged_shop, fresh(judged_shop), judged(judged_shop), JEV, None),
    ]


def report(name, python, runs, judge_url, moment, shop, make, check, bound, milliseconds):
    """Measure and print a row; whether it is over its bound."""
    spent, bare = measure(python, moment, shop, make, runs, check, judge_url)
    failed = spent / bare > bound or (milliseconds is not None and spent > milliseconds)
    print("%-42s %8.1f %8.1f %7.2f %7.1f%s" % (name, spent, bare, spent / bare, bound, "  over" if failed else ""), flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", default="", help="only rows whose name holds this word")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="memsift-bench-")
    over = 0
    try:
        print("%-42s %8s %8s %7s %7s" % ("whole process", "ms", "bare ms", "ratio", "bound"))
        with scripted_http.ScriptedHttp(judge) as server:
            for name, *row in rows(folder) if arguments.only != "archive" else ():
                if arguments.only in name:
                    url = server.url if name == BY_JEV else ""
                    over += report(name, arguments.python, arguments.runs, url, *row)
        if arguments.only in "archive":
            over += bench_archive.report(folder, ROOT, arguments.python, sentence, SUBJECTS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if over else 0


if __name__ == "__main__":
    raise SystemExit(main())
