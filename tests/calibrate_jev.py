"""How well the judge that is set answers memsift's questions, and which thresholds fit it.

    python3 tests/calibrate_jev.py tests/conversations/a1.json          ask about labelled conversations
    python3 tests/calibrate_jev.py mine.json                            ask about prompts that you labelled
    python3 tests/calibrate_jev.py --recording ~/.memsift/recordings/jev.jsonl [--add 0.8]     ask nothing

The judge is the one of the hooks: MEMSIFT_JEV_URL, MEMSIFT_JEV_KEY and MEMSIFT_JEV_MODEL. What it will cost is told
first, and nothing is sent before you agree. Your own file is a JSON list of prompts and turns:

    [{"prompt": "Which provider did we choose?", "kind": "past_choice", "worth": true,
      "notes": [{"text": "We go with PayCo.", "answers": true}, {"text": "Stock counts at 04:00.", "answers": false}],
      "conversation": [{"said_by": "developer", "text": "..."}, {"said_by": "agent", "text": "..."}]},
     {"prompts": ["We go with PayCo, its fees are lower."], "answer": "Noted.", "turn": "keep",
      "fact": "PayCo: low fees."}]

"conversation", "worth" and "fact" may be left out. Kinds and turns are those of memsift/sorters/questions.py. With
--recording, requests kept with MEMSIFT_RECORD=1 are decided again with other thresholds.
"""

import argparse
import json
import os
import random
import statistics
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from memsift import sorters
from memsift.decision import Limits
from memsift.judgement import Thresholds
from memsift.remote import place
from memsift.replay.recording import BadRecording
from memsift.settings import Settings
from memsift.sorters import jev
from tests import calibrate_asking
from tests import calibrate_cases
from tests import calibrate_figures
from tests import calibrate_recording
from tests import consent

PRICES_DATE = "November 2026"
PRICES_SOURCE = "the price lists of OpenRouter and TypeSafe"
PRICES = (  # host, model, USD for a million input tokens; output tokens are free
    ("openrouter.ai", "typesafe/jev-1.13", 0.042),
    ("openrouter.ai", "jev-1.13", 0.042),
    ("api.typesafe.ai", "jev-1.13", 0.042),
)
INTERRUPTED = 130


def main(arguments=None):
    """The exit code: 0, 1 after a sentence on standard error, 130 when interrupted."""
    options = _parse(arguments)
    settings = Settings()
    for problem in settings.problems:
        _complain(problem)
    try:
        if options.recording:
            return _recorded(options, settings)
        return _live(options, settings)
    except BadRecording as error:
        _complain(str(error))
    except OSError as error:
        _complain("%s: %s" % (error.filename, error.strerror) if error.filename else str(error))
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    return 1


def _parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help="labelled conversations, or your own prompts")
    parser.add_argument("--recording", metavar="FILE", help="decide again what was recorded, without a request")
    parser.add_argument("--limit", type=_count, metavar="N", help="ask about N of the prompts, drawn at random")
    parser.add_argument("--sample", type=int, default=1, metavar="SEED", help="which ones --limit draws (default 1)")
    parser.add_argument("--precision", type=_share, default=0.9, help="of a proposal at least (default 0.9)")
    parser.add_argument("--parallel", type=_count, default=4, metavar="N", help="requests at a time (default 4)")
    parser.add_argument("--seconds", type=_count, default=20, help="how long one request may take (default 20)")
    for name in Thresholds.__slots__:
        parser.add_argument("--" + name, type=_share, metavar="0..1", help="another threshold to try")
    parser.add_argument("--yes", action="store_true", help="agree to the cost")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    if bool(options.files) == bool(options.recording):
        parser.error("give labelled files, or a --recording")
    return options


def _count(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return int(text)


def _share(text):
    if not 0.0 <= float(text) <= 1.0:
        raise argparse.ArgumentTypeError("must be from 0 to 1")
    return float(text)


def _complain(sentence):
    print("calibrate_jev: " + sentence, file=sys.stderr)


def _present(settings):
    return sorters.thresholds(jev.JevSorter, settings)


def _tried(options, present):
    """The thresholds with those that the command line names, or None where it names none."""
    values = {name: getattr(options, name) for name in Thresholds.__slots__}
    named = any(value is not None for value in values.values())
    return calibrate_recording.replaced(present, values) if named else None


def _limits(settings):
    return Limits(settings["MEMSIFT_MAX_NOTES"], settings["MEMSIFT_MAX_CHARACTERS"])


# Recordings

def _recorded(options, settings):
    recording = calibrate_recording.Recording(options.recording)
    present, limits = _present(settings), _limits(settings)
    tried = _tried(options, present)
    changes = recording.changes(present, tried, limits) if tried else None
    counts = recording.counts(present, limits) if not tried else None
    if options.json:
        print(json.dumps({"records": len(recording.records), "useless": recording.useless, "models": recording.models,
                          "changes": changes, "counts": counts}))
        return 0
    print(calibrate_recording.summary(recording) + "\n")
    print(calibrate_recording.change_list(changes) if tried else calibrate_recording.count_table(counts, present))
    return 0


# Asking

def _live(options, settings):
    if not settings.has_jev:
        _complain("no judge is set: give MEMSIFT_JEV_KEY, or MEMSIFT_JEV_URL for a server of your own")
        return 1
    items = [item for path in options.files for item in calibrate_cases.read(path)]
    if options.limit and options.limit < len(items):
        drawn = random.Random(options.sample).sample(range(len(items)), options.limit)
        items = [items[number] for number in sorted(drawn)]
    cases = [case for item in items for case in item]
    estimates = [calibrate_asking.estimate(case) for case in cases]
    if not _agreed(options, settings, estimates):
        return 1
    asking = calibrate_asking.Asking(jev.client(settings), options.seconds, options.parallel, sys.stderr)
    asking.run(cases)
    return _tell(options, settings, cases, estimates, asking)


def _agreed(options, settings, estimates):
    """Tell the cost and, unless it is nothing, ask; whether to go on."""
    stream = sys.stderr if options.json else sys.stdout
    try:
        where = place.service(settings["MEMSIFT_JEV_URL"])
    except ValueError as error:
        _complain(str(error))
        return False
    print("%d requests to %s, about %s input tokens: %s" % (
        len(estimates), where.authority, "{:,}".format(sum(estimates)),
        _cost_in_words(where, str(settings["MEMSIFT_JEV_MODEL"]), sum(estimates))), file=stream, flush=True)
    if where.is_loopback or options.yes:
        return True
    print("The labelled texts go there, redacted.", file=stream)
    return consent.agreed(stream, _complain)


def price(where, model):
    """USD for a million input tokens; 0 on this machine, None where the table does not know."""
    if where.is_loopback:
        return 0.0
    for host, known, usd in PRICES:
        if where.host == host and where.is_tls and (model == known or model.startswith((known + "-", known + "."))):
            return usd
    return None


def _cost_in_words(where, model, tokens):
    usd = price(where, model)
    if usd is None:
        return "cost unknown, %s at %s is not in the price table" % (model or "the model", where.host)
    if not usd:
        return "a server on this machine costs nothing"
    return "about %.4f USD (%s USD for a million input tokens of %s, output is free; %s, %s)" % (
        tokens * usd / 1e6, usd, model, PRICES_SOURCE, PRICES_DATE)


# What came of it

def _tell(options, settings, cases, estimates, asking):
    if asking.judgements:
        found = calibrate_figures.questions(cases, asking.judgements, _present(settings))
        facts = _facts(options, settings, cases, estimates, asking, found)
        print(json.dumps(facts) if options.json else _in_words(options, facts, found))
    if asking.interrupted:
        _complain("interrupted: %d of %d requests were answered" % (len(asking.judgements), len(cases)))
        return INTERRUPTED
    if asking.stopped:
        _complain("stopped after %d of %d answers: %s" % (len(asking.judgements), len(cases), asking.stopped))
    elif asking.failures:
        _complain("%d of %d requests failed, the first: %s" % (len(asking.failures), len(cases), asking.failures[0]))
    return 1 if asking.failures else 0


def _facts(options, settings, cases, estimates, asking, found):
    present, limits = _present(settings), _limits(settings)
    sets = {"in force": present, "proposed": calibrate_figures.proposed(found, present, options.precision),
            "tried": _tried(options, present)}
    counted = {number: one.counted for number, one in asking.judgements.items() if one.counted is not None}
    models = sorted({answers.model for answers in asking.answers if answers.model})
    costs = [answers.cost for answers in asking.answers if answers.cost is not None]
    where = place.service(settings["MEMSIFT_JEV_URL"])
    usd = price(where, str(settings["MEMSIFT_JEV_MODEL"]))
    return {
        "models": models, "requests": len(cases), "answered": len(asking.judgements), "failed": len(asking.failures),
        "stopped": asking.stopped, "precision": options.precision,
        "tokens": {"counted": sum(counted.values()) if counted else None,
                   "estimated": sum(estimates[number] for number in counted or asking.judgements)},
        "usd": {"estimated": None if usd is None else sum(estimates) * usd / 1e6,
                "told_by_service": sum(costs) if costs else None},
        "latency_ms": _latency([answers.duration * 1000 for answers in asking.answers]),
        "questions": {name: one.report(options.precision) for name, one in found.items() if one.scores},
        "together": {name: calibrate_figures.together(cases, asking.judgements, thresholds, limits)
                     for name, thresholds in sets.items() if thresholds},
    }


def _latency(durations):
    ordered = sorted(durations)
    return {"median": round(statistics.median(ordered), 1), "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 1)}


def _in_words(options, facts, found):
    lines = ["", calibrate_figures.table(found, options.precision), ""]
    lines += [calibrate_figures.sentence("Thresholds " + name, counts) for name, counts in facts["together"].items()
              if "need" in facts["questions"]]
    tokens, usd = facts["tokens"], facts["usd"]["told_by_service"]
    counted = "none" if tokens["counted"] is None else "{:,}".format(tokens["counted"])
    lines += ["", "Model as it names itself: %s." % (", ".join(facts["models"]) or "it does not say"),
              "Input tokens: %s counted by the service, %s estimated for the same requests." % (
                  counted, "{:,}".format(tokens["estimated"])),
              "Latency: median %(median).1f ms, p95 %(p95).1f ms." % facts["latency_ms"]]
    return "\n".join(lines + (["Cost by the service's own account: %.4f USD." % usd] if usd is not None else []))


if __name__ == "__main__":
    sys.exit(main())
