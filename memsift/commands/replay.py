"""Play recorded conversations through the real hooks, and count what memsift would have added and kept."""

from __future__ import annotations

import argparse
import json
import os
import sys

from memsift.replay import reading
from memsift.replay import score
from memsift.replay import table
from memsift.replay.memory import GOLD
from memsift.replay.memory import OWN
from memsift.replay.memory import Memory
from memsift.replay.play import RECALLED
from memsift.replay.play import SIFTED
from memsift.replay.play import Played
from memsift.replay.play import Player
from memsift.replay.progress import Progress
from memsift.replay.recording import BadRecording
from memsift.replay.recording import Recording
from memsift.replay.stage import Stage
from memsift.settings import Settings
from memsift.sorters.weights import BadWeights

NAME = "replay"
HELP = "play recorded conversations and show what memsift adds, keeps and costs"
_DESCRIPTION = """\
Play recorded conversations through the same functions as the hooks, in a temporary home that is removed
afterwards. A FILE is a transcript of Claude Code, a rollout of Codex, or a labelled conversation (such as those
in tests/conversations). Files that were recorded in the same folder share a memory, oldest first. Your
thresholds apply; your memory is neither read nor changed.
"""
_EPILOG = """\
added              prompts that got notes
added for nothing  those of them that needed none, by the labels
reminders found    prompts that got a note they needed, of those that needed one
wait               inside the prompt hook, without the start of its interpreter; for recall, the search alone
turns kept         turns that a note was made from; rightly kept: those of them that are labelled as worth it
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    parser.add_argument("files", nargs="+", metavar="FILE", help="a recorded conversation")
    parser.add_argument("--sorter", choices=(SIFTED, "jev", RECALLED), default=SIFTED,
                        help="what answers prompts: the local sorter (default); jev: the service that is set "
                             "(MEMSIFT_JEV_URL, MEMSIFT_JEV_KEY), which may cost money; or none: the five closest "
                             "entries at every prompt, unjudged")
    parser.add_argument("--memory", choices=(OWN, GOLD), default=OWN,
                        help="what is remembered: what the sorter kept (default), or what the labels say")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")


def run(arguments: argparse.Namespace) -> int:
    """Play every file, or none where one of them cannot be read."""
    try:
        recordings = _with_prompts([reading.read(path) for path in arguments.files])
        sorter = "jev" if arguments.sorter == "jev" else "local"
        way = RECALLED if arguments.sorter == RECALLED else SIFTED
        played, errors = play(recordings, arguments.memory, way, _settings(sorter))
    except (BadRecording, BadWeights, OSError) as error:
        _tell(str(error))
        return 1
    if arguments.json:
        print(json.dumps(score.report(played, way)))
    else:
        print(table.render(played, way))
    if errors:
        _tell("%d errors on the way, the first: %s" % (len(errors), errors[0]))
    return 1 if errors else 0


def _tell(sentence: str) -> None:
    print("memsift: " + sentence, file=sys.stderr)


def _with_prompts(recordings: list[Recording]) -> list[Recording]:
    """The recordings that somebody typed in; a sub-agent's, say, is left out, and it is said so."""
    for recording in recordings:
        if not recording.count_prompts():
            _tell("%s: left out, since nobody typed a prompt in it" % recording.path)
    found = [recording for recording in recordings if recording.count_prompts()]
    if not found:
        raise BadRecording("there is nothing to play")
    return found


def _settings(sorter: str) -> Settings:
    """The user's settings, but for the long-term store: it holds what a replay may neither see nor change.

    What is wrong with them is told here, and not once more by every session that starts.
    """
    settings = Settings(dict(os.environ, MEMSIFT_SORTER=sorter, MEMSIFT_COGNEE_URL="", MEMSIFT_COGNEE_KEY="",
                             MEMSIFT_COMPACTOR_KEY=""))
    settings.sources.pop("MEMSIFT_COMPACTOR_URL", None)  # a replay asks no model that may cost money
    for problem in settings.problems:
        _tell(problem)
    settings.problems.clear()
    return settings


def play(recordings: list[Recording], memory: str, way: str, settings: Settings) -> tuple[list[Played], list[str]]:
    """What came of each recording, and the errors that the hooks would have logged."""
    played: list[Played] = []
    errors: list[str] = []
    with Progress(sys.stderr) as progress:
        for group in _sharing_a_memory(recordings):
            with Stage(group[0].project, settings) as stage:
                player = Player(stage, Memory(stage, memory), way, progress.tell)
                played += [player.play(recording) for recording in sorted(group, key=lambda one: one.began)]
                errors += stage.log.errors
    order = {id(recording): number for number, recording in enumerate(recordings)}
    return sorted(played, key=lambda one: order[id(one.recording)]), errors


def _sharing_a_memory(recordings: list[Recording]) -> list[list[Recording]]:
    groups: dict[str, list[Recording]] = {}
    for number, recording in enumerate(recordings):
        groups.setdefault(recording.place or "alone %d" % number, []).append(recording)
    return list(groups.values())
