"""Trains the local sorter from the labelled conversations and writes memsift/sorters/local.weights.

    python3 tests/train_local.py            train, cross-validate by conversation, write the file
    python3 tests/train_local.py --check    the same, but compare the bytes with the shipped file instead

Needs numpy, scipy and scikit-learn. Same data, scripts and versions give the same bytes.
"""
from __future__ import annotations

import json
import multiprocessing
import os
import sys
from array import array
from zlib import crc32

# One thread: sums in another order would give other bytes. Set before numpy is loaded.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402

from memsift.judgement import KINDS  # noqa: E402
from memsift.judgement import Message  # noqa: E402
from memsift.sorters import features  # noqa: E402
from memsift.sorters import weights as weights_file  # noqa: E402
from memsift.sorters.local import DATA_FILE  # noqa: E402
from memsift.sorters.local import LocalSorter  # noqa: E402
from memsift.sorters.local import turn_signs  # noqa: E402
from tests import train_examples as rows_of  # noqa: E402
from tests.train_dialogues import checksum  # noqa: E402
from tests.train_dialogues import read_dialogues  # noqa: E402
from tests.train_figures import Judged  # noqa: E402
from tests.train_figures import choose_thresholds  # noqa: E402
from tests.train_figures import figures  # noqa: E402

UNSEEN = ("a1.json", "a2.json")  # the README shows these two: the shipped weights never saw them
FITNESS = {"kinds": 3.0, "lacks": 3.0, "turns": 3.0, "corrects": 3.0, "sentences": 1.0,
           "candidates": 0.006}  # inverse of regularisation
EXTRA_WEIGHT = {"kinds": 0.5, "turns": 0.6, "corrects": 2.0}
DIALOGUE_WEIGHT = {"lacks": 0.4, "turns": 0.3, "corrects": 0.3}  # beside a turn of tests/conversations
INNER_FOLDS = 3
_examples = None  # what the processes that judge a fold share


def fit(kind, rows, labels, importance=None):
    model = LogisticRegression(C=FITNESS[kind], max_iter=200)
    return model.fit(rows, labels, sample_weight=importance)


def fit_parts(kind, parts):
    """`parts`: rows with their labels and what each row counts."""
    rows = rows_of.stack([rows for rows, _, _ in parts])
    importance = [weight for _, labels, weight in parts for _ in labels]
    return fit(kind, rows, [label for _, labels, _ in parts for label in labels], importance)


def quantised(model, classes):
    """Signed bytes for each class in the given order, and the size of one step."""
    order = [list(model.classes_).index(name) for name in classes] if len(model.coef_) > 1 else [0]
    table, scales = array("b"), []
    for row in model.coef_[order]:
        scale = float(numpy.abs(row).max()) / 127 or 1.0
        table.extend(numpy.round(row / scale).astype(int).tolist())
        scales.append(float("%.6g" % scale))
    return table, {"classes": list(classes), "scales": scales}


def fit_kinds(examples, names):
    texts, labels = [], []
    before = [Message("developer", "add it"), Message("agent", "Done.")]
    for kind, prompts in examples.extra["prompts"].items():
        for text in prompts:
            texts += [rows_of.prompt_row(text, []), rows_of.prompt_row(text, before)]
            labels += [kind, kind]
    rows = rows_of.stack([examples.kind_rows[name] for name in names] + [rows_of.matrix(texts, "kinds")])
    known = [p.gold["kind"] for name in names for p in examples.prompts[name]]
    importance = [1.0] * len(known) + [EXTRA_WEIGHT["kinds"]] * len(labels)
    return fit("kinds", rows, known + labels, importance)


def predicted_kinds(model, rows):
    order = [list(model.classes_).index(kind) for kind in KINDS]
    return [dict(zip(KINDS, map(float, row))) for row in model.predict_proba(rows)[:, order]]


def fit_lacks(examples, names):
    """Whether a prompt needs anything that only memory holds."""
    parts = [(examples.kind_rows[name], [bool(p.gold["needs"]) for p in examples.prompts[name]], 1.0) for name in names]
    parts.append((examples.dialogues.prompt_rows, examples.dialogues.lacking, DIALOGUE_WEIGHT["lacks"]))
    return fit_parts("lacks", parts)


def fit_candidates(examples, names, kinds_model, lacks_model):
    """Candidate weights on what models say of a prompt that have not seen the conversation."""
    rows, labels = [], []
    for fold in range(INNER_FOLDS):
        inner = names[fold::INNER_FOLDS]
        others = [name for name in names if name not in inner]
        model, lacks = fit_kinds(examples, others), fit_lacks(examples, others)
        for name in inner:
            kinds = predicted_kinds(model, examples.kind_rows[name])
            margins = lacks.decision_function(examples.kind_rows[name])
            for i, near, needed in examples.sets[name]:
                prompt = examples.prompts[name][i]
                rows += features.with_kinds(near, prompt.text, prompt.recent, kinds[i], float(margins[i]))
                labels += needed
    background = rows_of.background_of([examples.rates[name] for name in names])
    for prompt, entries, needed in rows_of.extra_memories(examples.extra):
        row = rows_of.matrix([rows_of.prompt_row(prompt, [])], "kinds")
        kinds, lack = predicted_kinds(kinds_model, row)[0], float(lacks_model.decision_function(row)[0])
        rows += features.features(prompt, [], entries, kinds, lack, background)
        labels += needed
    return standard_fit(numpy.array(rows), labels)


def standard_fit(rows, labels):
    """Fits on columns of equal spread, and gives the weights for plain ones, intercept first."""
    spread = rows.std(axis=0)
    spread[spread < 1e-9] = 1.0
    middle = rows.mean(axis=0)
    model = fit("candidates", (rows - middle) / spread, labels)
    plain = model.coef_[0] / spread
    return array("f", [float(model.intercept_[0] - (plain * middle).sum()), *map(float, plain)])


def turn_parts(kind, examples, names):
    """Rows of turns, what each taught, and what it counts."""
    background = rows_of.background_of([examples.rates[name] for name in names])
    more = list(rows_of.extra_turns(examples.extra))
    extra = rows_of.matrix([turn_signs(question, background) for question, _, _ in more], "turns")
    return [(examples.turn_rows[name], examples.turns[name], 1.0) for name in names] + [
        (examples.dialogues.turn_rows, examples.dialogues.turns, DIALOGUE_WEIGHT[kind]),
        (extra, [turn for _, turn, _ in more], EXTRA_WEIGHT[kind])]


def fit_turns(examples, names):
    """Whether a turn taught anything."""
    return fit_parts("turns", [(rows, [turn != "nothing" for turn in turns], weight)
                               for rows, turns, weight in turn_parts("turns", examples, names)])


def fit_corrects(examples, names):
    """Whether a turn that taught something corrected something."""
    parts = turn_parts("corrects", examples, names)
    taught = [[i for i, turn in enumerate(turns) if turn != "nothing"] for _, turns, _ in parts]
    return fit_parts("corrects", [(rows[places], [turns[i] == "correction" for i in places], weight)
                                  for places, (rows, turns, weight) in zip(taught, parts)])


def fit_sentences(examples, names):
    background = rows_of.background_of([examples.rates[name] for name in names])
    pairs = [pair for name in names for pair in examples.sentences[name]]
    pairs += [rows_of.labelled_sentences(question, fact, background)
              for question, _, fact in rows_of.extra_turns(examples.extra) if fact]
    rows = rows_of.matrix([row for rows, _ in pairs for row in rows], "sentences")
    return fit("sentences", rows, [label for _, labels in pairs for label in labels])


def train(examples, names, thresholds):
    """The weights learnt from the named conversations."""
    kinds_model, lacks_model = fit_kinds(examples, names), fit_lacks(examples, names)
    tables, models = {}, {}
    for name, model, classes in (("kinds", kinds_model, KINDS), ("lacks", lacks_model, ("lacks",)),
                                 ("turns", fit_turns(examples, names), ("worth",)),
                                 ("corrects", fit_corrects(examples, names), ("corrects",)),
                                 ("sentences", fit_sentences(examples, names), ("carries",))):
        tables[name], models[name] = quantised(model, classes)
        rows = "turns" if name == "corrects" else name
        models[name].update(bits=rows_of.BITS[rows], mark_share=rows_of.MARK_SHARES[rows])
        models[name]["offsets"] = [float("%.6g" % x) for x in offsets(model, classes)]
    tables["candidates"] = fit_candidates(examples, names, kinds_model, lacks_model)
    tables["background"] = rows_of.background_table([examples.rates[name] for name in names])
    facts = {"models": models, "thresholds": thresholds, "background_bits": rows_of.BITS["background"]}
    return weights_file.Weights(facts, tables)


def offsets(model, classes):
    if len(model.coef_) == 1:
        return [model.intercept_[0]]
    return [model.intercept_[list(model.classes_).index(name)] for name in classes]


def judged_fold(name):
    """Judges one conversation with weights from all others; in a process of its own."""
    names = [other for other in _examples.prompts if other != name]
    open_to_all = {"need": 0.0, "add": 0.0, "keep": 0.0, "sentence": 0.0}
    trained = train(_examples, names, open_to_all)
    sorter = LocalSorter(weights_file.unpack(weights_file.pack(trained)))
    return [Judged(sorter, prompt) for prompt in _examples.prompts[name]]


def provenance():
    """Checksums of everything that the weights were made from."""
    names = ["train_local.py", "train_examples.py", "train_dialogues.py", "train_figures.py", "train_extra.json",
             "conversations", "dialogues"]
    return {"script": "tests/train_local.py", "seed": rows_of.SEED, "unseen": list(UNSEEN),
            "files": {name: "%08x" % checksum(os.path.join(rows_of.HERE, name)) for name in names}}


def main(arguments):
    global _examples
    with open(rows_of.EXTRA, encoding="utf-8") as file:
        _examples = rows_of.Examples(rows_of.read_conversations(), json.load(file), read_dialogues())
    names = list(_examples.prompts)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        judged = dict(zip(names, pool.map(judged_fold, names, chunksize=1)))
    shown = [name for name in names if name not in UNSEEN]
    thresholds = choose_thresholds(_examples, judged, names)
    for name in names:
        print(name, json.dumps(figures(_examples, judged, [name], thresholds)))
    measured = figures(_examples, judged, names, thresholds)
    print("all", json.dumps(measured), json.dumps(thresholds))
    weights = train(_examples, shown, thresholds)
    weights.facts.update(provenance=provenance(), cross_validated=measured)
    return finish(weights_file.pack(weights), "--check" in arguments)


def finish(data, check):
    if not check:
        with open(DATA_FILE, "wb") as file:
            file.write(data)
        print(len(data), "bytes written, crc32 %08x" % crc32(data))
        return 0
    with open(DATA_FILE, "rb") as file:
        same = file.read() == data
    print("same bytes" if same else "the shipped file differs")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
