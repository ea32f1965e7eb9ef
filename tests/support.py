"""What many tests need: a temporary home, a project, hook payloads, hooks as real processes, a scripted sorter."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

from memsift import home
from memsift.deadline import Deadline
from memsift.judgement import KINDS
from memsift.judgement import PassageJudgement
from memsift.judgement import PromptJudgement
from memsift.judgement import Thresholds
from memsift.judgement import TurnJudgement
from memsift.runtime import Runtime

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIXTURES = os.path.join(ROOT, "tests", "fixtures")
SCRIPTS = {"claude-code": "claude_code.py", "codex": "codex.py"}
SESSION = "3a4003bc-9149-43d7-8a5a-71699cc4a209"


def make_repository(path, remote=""):
    """A folder that git would take for a repository, without running git."""
    os.makedirs(os.path.join(path, ".git"))
    with open(os.path.join(path, ".git", "HEAD"), "w", encoding="utf-8") as file:
        file.write("ref: refs/heads/main\n")
    with open(os.path.join(path, ".git", "config"), "w", encoding="utf-8") as file:
        file.write("[core]\n\tbare = false\n")
        if remote:
            file.write('[remote "origin"]\n\turl = %s\n' % remote)
    return path


def heed_interrupts():
    """For `preexec_fn`: what a shell starts in the background ignores Ctrl-C, and so does what that starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class HomeTest(unittest.TestCase):
    """A test with a HOME, a MEMSIFT_HOME below it and a repository acme-shop, all gone afterwards."""

    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="memsift-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.user_home = os.path.join(self.folder, "home")
        os.mkdir(self.user_home)
        self.memsift_home = os.path.join(self.user_home, ".memsift")
        self.project = make_repository(os.path.join(self.folder, "acme-shop"))
        self.environment = {"HOME": self.user_home, "PATH": os.environ["PATH"], "TMPDIR": self.folder,
                            "MEMSIFT_GRACE_SECONDS": "86400"}  # no worker waits for the end of a grace time
        patch = mock.patch.dict(os.environ, self.environment, clear=True)
        patch.start()
        self.addCleanup(patch.stop)
        self.home = home.Home(self.memsift_home)

    def runtime(self, seconds=30.0):
        return Runtime(Deadline(seconds))

    def repository(self):
        """The name of the only repository that memsift knows by now."""
        names = os.listdir(os.path.join(self.memsift_home, "repos"))
        self.assertEqual(len(names), 1, names)
        return names[0]

    def log_text(self):
        path = os.path.join(self.memsift_home, "debug.log")
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()

    def payload(self, host, event, **fields):
        """A payload as the host sends it, with this test's folders."""
        facts = {"session_id": SESSION, "cwd": self.project, "hook_event_name": event,
                 "transcript_path": os.path.join(self.folder, "none.jsonl")}
        facts["prompt_id" if host == "claude-code" else "turn_id"] = fields.pop("turn", "turn-1")
        facts.update(fields)
        return facts

    def hook(self, host, moment, payload, environment=None, timeout=60):
        """Run a hook script as a process of its own, guarded; the finished process, its output checked."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-X", "utf8", os.path.join(ROOT, "tests", "guard.py"),
             os.path.join(ROOT, "hooks", SCRIPTS[host]), moment],
            input=raw, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, cwd=self.folder,
            env=self.environment if environment is None else environment, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        if done.stdout:
            self.assertIsInstance(json.loads(done.stdout), dict)
        return done

    def added(self, done):
        """The text that a finished prompt hook adds."""
        return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""

    def wait_for(self, condition, seconds=20.0):
        """Until the condition is true; fails when it is not within generous seconds."""
        give_up = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > give_up:
                self.fail("still not so after %d s; log: %s" % (seconds, self.log_text()[-2000:]))
            time.sleep(0.02)


def kinds(kind, probability=0.9):
    """A distribution over the eleven kinds with one favourite."""
    rest = (1 - probability) / (len(KINDS) - 1)
    return {name: probability if name == kind else rest for name in KINDS}


class ScriptedSorter:
    """A sorter that says what it was told: `kind` for prompts, a score by note id, sentences by their text."""

    name = "scripted"

    def __init__(self, kind="past_choice", scores=None, turn="keep", replaces=""):
        self.thresholds = Thresholds(need=0.5, add=0.5, keep=0.5, sentence=0.5)
        self.kind = kind
        self.scores = scores or {}
        self.turn = turn
        self.replaces = replaces
        self.questions = []

    def judge_prompt(self, question, deadline=None):
        self.questions.append(question)
        scores = [self.scores.get(entry.id, 0.0) for entry in question.candidates]
        return PromptJudgement(kinds(self.kind), scores, self.name)

    def judge_passages(self, question, deadline=None):
        self.questions.append(question)
        return PassageJudgement([self.scores.get(entry.id, 0.0) for entry in question.passages], self.name)

    def judge_turn(self, question, deadline=None):
        self.questions.append(question)
        probabilities = {name: 0.9 if name == self.turn else 0.05 for name in ("keep", "correction", "nothing")}
        sentences = [("developer", text, 0.9) for text in question.prompts]
        sentences += [("agent", question.answer, 0.4)] if question.answer else []
        return TurnJudgement(probabilities, sentences, self.name, replaces=self.replaces)
