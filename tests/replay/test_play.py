import os
from unittest import mock

from memsift import block
from memsift import sorters
from memsift import spawn
from memsift.entry import Entry
from memsift.replay import reading
from memsift.replay import score
from memsift.replay.memory import Memory
from memsift.replay.play import Player
from memsift.replay.stage import Stage
from memsift.settings import Settings
from tests.replay import acme_shop
from tests.support import FIXTURES
from tests.support import HomeTest


class PlayTest(HomeTest):

    def setUp(self):
        super().setUp()
        self.sorter = acme_shop.AcmeSorter()
        for patch in (mock.patch.object(sorters, "load", lambda settings: self.sorter),
                      mock.patch.object(spawn, "worker", side_effect=AssertionError("a worker was started"))):
            patch.start()
            self.addCleanup(patch.stop)

    def play(self, *paths, memory="own", way="local"):
        recordings = [reading.read(path) for path in paths]
        with Stage(recordings[0].project, Settings()) as stage:
            player = Player(stage, Memory(stage, memory), way)
            played = [player.play(recording) for recording in recordings]
            self.assertEqual(stage.log.errors, [])
        return played

    def report(self, **options):
        return score.report(self.play(acme_shop.FILE, **options), options.get("way", "local"))


class LabelledTest(PlayTest):

    def test_own_memory(self):
        report = self.report()
        numbers = report["conversations"][0]
        waits = [row.pop("wait_ms") for row in numbers["per_prompt"]]
        characters = [row.pop("characters") for row in numbers["per_prompt"]]
        self.assertEqual(numbers["per_prompt"], [
            {"id": "s1t1", "kind": "reaction", "added": []},
            {"id": "s1t2", "kind": "reaction", "added": []},
            {"id": "s1t3", "kind": "past_choice", "added": ["c2"]},
            {"id": "s2t1", "kind": "past_choice", "added": ["s1t1"]},
            {"id": "s2t2", "kind": "reaction", "added": []},
            {"id": "s2t3", "kind": "reaction", "added": []},
            {"id": "s3t1", "kind": "past_choice", "added": ["s2t3"]},
            {"id": "s3t2", "kind": "past_choice", "added": []},  # it stands in the conversation by now
        ])
        self.assertEqual([bool(count) for count in characters], [False, False, True, True, False, False, True, False])
        self.assertEqual(
            {name: numbers[name] for name in numbers if name not in ("wait_ms", "per_prompt", "file")},
            {"prompts": 8, "added": 3, "characters": sum(characters), "added_for_nothing": 1,
             "reminders_expected": 3, "reminders_found": 2, "kept": {"expected": 3, "kept": 3, "right": 2}})
        self.assertEqual(numbers["file"], acme_shop.FILE)
        self.assertTrue(all(wait > 0 for wait in waits))
        self.assertLessEqual(numbers["wait_ms"]["median"], numbers["wait_ms"]["p95"])
        self.assertEqual(report["total"], {name: value for name, value in numbers.items()
                                           if name not in ("file", "per_prompt")})

    def test_gold_memory_is_what_the_labels_say(self):
        played, = self.play(acme_shop.FILE, memory="gold")
        numbers = score.total([played], "local")
        self.assertEqual((numbers["reminders_found"], numbers["reminders_expected"]), (2, 3))
        self.assertEqual(numbers["kept"], {"expected": 3, "kept": 3, "right": 2})
        texts = {entry.id: entry.text for entry in
                 self.sorter.prompts["Add the payment form to the checkout."].candidates}
        self.assertEqual(texts["s2t3"], "BankLink replaces PayCo, which has no SEPA debit.")
        self.assertEqual(set(texts) - {"c1", "c2"}, {"s2t2", "s2t3"})  # s2t3 has replaced s1t1
        of_provider = self.sorter.prompts["Which provider takes the money, and why that one?"].candidates
        self.assertEqual({entry.id for entry in of_provider if entry.place == "notes"}, {"s1t1"})
        added = next(outcome for outcome in played.outcomes["local"] if outcome.turn.id == "s2t1").context
        note = Entry("s1t1", "2026-03-02", "Payments go through PayCo: lower fees for small carts.")
        self.assertEqual(added, block.render([note]))

    def test_a_note_has_the_day_of_its_session(self):
        played, = self.play(acme_shop.FILE)
        self.assertEqual([(note.date, note.turn) for note in played.kept],
                         [("2026-03-02", "s1/s1t1"), ("2026-03-02", "s1/s1t3"), ("2026-03-05", "s2/s2t3")])
        self.assertEqual([note.files for note in played.kept], [["README.md"], [], ["src/banklink.py"]])

    def test_the_sorter_sees_what_the_agent_sees(self):
        self.play(acme_shop.FILE)
        first = self.sorter.prompts["Which provider takes the money, and why that one?"]
        self.assertEqual(first.recent, [])
        seen = self.sorter.prompts["And the same form on the invoice page."].recent
        self.assertEqual([message.role for message in seen], ["developer", "memory", "agent"])
        self.assertIn("BankLink", seen[1].text)
        changes = [question.changes for question in self.sorter.turns]
        self.assertIn("Choose PayCo", " ".join(changes[0]))
        self.assertIn("make test", " ".join(changes[2]))

    def test_recall_on_every_prompt(self):
        report = self.report(way="none")
        numbers = report["total"]
        added = {row["id"]: row["added"] for row in report["conversations"][0]["per_prompt"]}
        self.assertEqual(numbers["prompts"], 8)
        self.assertGreaterEqual(numbers["added"], 7)
        self.assertGreaterEqual(numbers["added_for_nothing"], 4)
        self.assertEqual(numbers["reminders_expected"], 3)
        self.assertGreaterEqual(numbers["reminders_found"], 1)
        self.assertIn("c1", added["s2t2"])
        self.assertTrue(all(len(ids) <= 5 for ids in added.values()))
        self.assertEqual(numbers["kept"], {"expected": 3, "kept": 3, "right": 2})

    def test_recall_is_counted_in_the_same_run(self):
        played = self.play(acme_shop.FILE)
        beside, alone = score.total(played, "none"), self.report(way="none")["total"]
        for numbers in (beside, alone):
            numbers.pop("wait_ms")
        self.assertEqual(beside, alone)


class UnlabelledTest(PlayTest):

    def fixture(self, *parts):
        return os.path.join(FIXTURES, *parts)

    def test_what_needs_labels_is_null(self):
        path = self.fixture("codex", "rollouts", "normal.jsonl")
        numbers = score.report(self.play(path), "local")["conversations"][0]
        self.assertEqual(numbers["prompts"], 2)
        for name in ("added_for_nothing", "reminders_expected", "reminders_found"):
            self.assertIsNone(numbers[name], name)
        self.assertEqual(numbers["kept"], {"expected": None, "kept": 0, "right": None})

    def test_a_later_recording_finds_what_an_earlier_one_left(self):
        first = self.fixture("claude-code", "transcripts", "headless-resumed-tools-failure-then-success.jsonl")
        second = self.fixture("codex", "rollouts", "normal.jsonl")
        with mock.patch.dict(acme_shop.WANTED, {"Which payment provider": "PayCo"}):
            one, two = self.play(first, second)
        self.assertEqual([note.text for note in one.kept],
                         ["We go with PayCo for payments, its fees are lower for small carts. Note it in the README."])
        self.assertEqual([outcome.added for outcome in two.outcomes["local"]], [[one.kept[0].id], []])

    def test_gold_memory_without_labels_is_own_memory(self):
        path = self.fixture("claude-code", "transcripts", "headless-resumed-tools-failure-then-success.jsonl")
        played, = self.play(path, memory="gold")
        self.assertEqual(len(played.kept), 1)

    def test_after_a_compaction_notes_are_added_again(self):
        first = self.fixture("claude-code", "transcripts", "headless-resumed-tools-failure-then-success.jsonl")
        second = self.fixture("claude-code", "transcripts", "tui-bash-command-subagent-interrupt-queued-compact.jsonl")
        wanted = {"Which database": "PayCo", "Use a helper": "PayCo", "What did we choose": "PayCo"}
        with mock.patch.dict(acme_shop.WANTED, wanted):
            _, played = self.play(first, second)
        got = [outcome.prompt for outcome in played.outcomes["local"] if outcome.context]
        self.assertEqual(got, ["Which database do we use in acme-shop?", "What did we choose for payments?"])

    def test_every_fixture_plays(self):
        for host, folder in (("claude-code", "transcripts"), ("codex", "rollouts")):
            for name in sorted(os.listdir(self.fixture(host, folder))):
                with self.subTest(name):
                    path = self.fixture(host, folder, name)
                    played, = self.play(path)
                    self.assertEqual(len(played.outcomes["local"]), reading.read(path).count_prompts())
