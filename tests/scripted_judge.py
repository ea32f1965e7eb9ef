"""What a System One server answers that a test has told what to think of each text."""


class ScriptedJudge:
    """`scores`: probability of yes by a word of the question; every other question gets 0.1.

    `kind`, `turn`: the favourite option for a prompt and for a turn. Call it with the body of a request.
    """

    model = "typesafe/jev-1.13-20260917"

    def __init__(self, scores=None, kind="past_choice", turn="keep"):
        self.scores = scores or {}
        self.kind = kind
        self.turn = turn

    def __call__(self, body):
        answers = {id: self._answer(question) for id, question in body["questions"].items()}
        usage = {"input_tokens": 476, "output_tokens": 70, "cost": 0.00002}
        return {"id": "gen-dec-1", "model": self.model, "answers": answers, "usage": usage}

    def _answer(self, question):
        if question["type"] == "choice":
            return self._choice(list(question["criteria"]))
        found = [score for word, score in self.scores.items() if word in question["instructions"]]
        return {"type": "noul", "noul": found[0] if found else 0.1}

    def _choice(self, options):
        favourite = next((option for option in options if option in (self.kind, self.turn)), options[0])
        rest = round(0.1 / (len(options) - 1), 2)
        return {"type": "choice", "choice": favourite, "confidence": 0.9,
                "probabilities": {option: 0.9 if option == favourite else rest for option in options}}
