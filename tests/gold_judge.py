"""A judge that knows the labels: a System One server on loopback that answers from labelled conversations.

    python3 tests/gold_judge.py FILE...      prints its address, and serves until it is stopped

What is right scores 0.88 to 0.92, what is wrong at most 0.63, as was measured of notes judged alone. With it, a replay
shows what the road itself loses: everything that it misses, the judge knew.
"""

import functools
import http.server
import json
import os
import random
import re
import sys
import threading

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from memsift.conversation import LONGEST_PROMPT
from memsift.excerpt import excerpt
from memsift.judgement import KINDS
from memsift.likeness import share
from memsift.likeness import words
from memsift.replay import reading
from memsift.sorters.budget import focused
from memsift.terms import fold

_QUOTED = re.compile(r"<<<(.*)>>>", re.DOTALL)
RIGHT, WRONG = (0.88, 0.92), (0.02, 0.63)
_TELLING = 60  # characters at a note's beginning that stand in no other turn


@functools.lru_cache(maxsize=20_000)
def _key(text):
    """The same text whatever redaction, cutting and spaces did to it."""
    return " ".join(fold(focused(excerpt(text, LONGEST_PROMPT))).split())


class Labels:
    """What is right, by the text of prompts and notes."""

    def __init__(self, recordings):
        self.needs, self.kinds, self.ids, self.turns, self.facts, self.replaced, self.said = {}, {}, {}, {}, {}, {}, []
        for recording in recordings:
            for entry in recording.entries:
                self.ids.setdefault(_key(entry.text), set()).add((recording.path, entry.id))
            for turn in recording.turns:
                self._learn(recording.path, turn)

    def _learn(self, path, turn):
        for prompt in turn.prompts:
            self.needs.setdefault(_key(prompt), set()).update((path, need) for need in turn.gold.needs)
            self.kinds[_key(prompt)] = turn.gold.kind
            self.turns[_key(prompt)] = turn.gold.keep
            self.facts[_key(prompt)] = _subject(turn.gold.fact)
            self.replaced[_key(prompt)] = (path, turn.gold.replaces)
        self.said.append((path, turn.id, _key("\n".join(turn.prompts + [turn.answer]))))
        if turn.gold.fact:
            self.ids.setdefault(_key(turn.gold.fact), set()).add((path, turn.id))

    def answers(self, prompt, note):
        return bool(self._known_as(note) & self.needs.get(_key(prompt), set()))

    def denies(self, prompt, note):
        """Whether the turn of a prompt replaces what a note says."""
        return self.replaced.get(_key(prompt)) in self._known_as(note)

    def carries(self, prompt, sentence):
        """Whether a sentence of a turn says much of what is to be remembered of it."""
        fact, subject = self.facts.get(_key(prompt), set()), _subject(sentence)
        return share(subject, fact) >= 0.5 or share(fact, subject) >= 0.25

    def _known_as(self, note):
        """The ids of a note: by its text, or by the turn whose very words it begins with."""
        key = _key(note)
        if key not in self.ids:
            start = key[:_TELLING]
            self.ids[key] = {(path, id) for path, id, said in self.said if start and start in said}
        return self.ids[key]


def _subject(text):
    return {word for word in words(text) if len(word) > 3}


class GoldJudge:
    """The server. `requests`: the bodies it was sent."""

    def __init__(self, paths, seed=7):
        self.labels = Labels([reading.read(path) for path in paths])
        self.requests = []
        self._random = random.Random(seed)
        judge = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                judge.requests.append(body)
                answer = json.dumps({"model": "gold", "answers": judge.answer(body),
                                     "usage": {"input_tokens": len(json.dumps(body)) // 4}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d/v1/systemone" % self._server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body):
        state = body["state"]
        prompt = state.get("prompt") or "\n".join(state.get("prompts", ()))
        return {id: self._one(id, question, prompt, "prompts" in state) for id, question in body["questions"].items()}

    def _one(self, id, question, prompt, is_turn):
        if question["type"] == "choice":
            options = list(question["criteria"])
            known = self.labels.kinds if set(options) == set(KINDS) else self.labels.turns
            return self._choice(options, known.get(_key(prompt), options[0]))
        quoted = _QUOTED.search(question["instructions"])
        knows = {"n": self.labels.denies if is_turn else self.labels.answers, "s": self.labels.carries}.get(id[0])
        right = bool(knows and quoted and knows(prompt, quoted.group(1)))
        return {"type": "noul", "noul": round(self._random.uniform(*(RIGHT if right else WRONG)), 2)}

    def _choice(self, options, right):
        rest = 0.15 / (len(options) - 1)
        return {"type": "choice", "choice": right,
                "probabilities": {option: round(0.85 if option == right else rest, 2) for option in options}}


if __name__ == "__main__":
    with GoldJudge(sys.argv[1:]) as judge:
        print(judge.url, flush=True)
        threading.Event().wait()
