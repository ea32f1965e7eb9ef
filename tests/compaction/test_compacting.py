import json
import os
import sqlite3
import unittest
from unittest import mock

from memsift import lock
from memsift import notes
from memsift.archive.archive import Archive
from memsift.compaction import compacting
from memsift.compaction import compaction
from memsift.entry import Entry
from memsift.longterm import outbox
from memsift.remote.pauses import Pauses
from tests import scripted_http as acts
from tests.scripted_http import ScriptedHttp
from tests.support import HomeTest

REPOSITORY = "acme-shop-0123456789"
PORTS = "Staging listens on port 8443, production on port 9443."


def note(number, text, **facts):
    return Entry(**dict({"id": "k%09d" % number, "date": "2026-11-30", "text": text, "said": "developer", "turn": "s1/%d" % number}, **facts))


FOUND = [note(1, "Staging listens on port 8443."), note(2, "Production listens on port 9443."), note(3, "We go with PayCo.")]
MERGE = {"add": [{"from": ["k000000001", "k000000002"], "text": PORTS}], "replace": [], "drop": []}


def says(answer):
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return acts.answers({"choices": [{"message": {"content": text}}]})


class Compacting(HomeTest):
    def setUp(self):
        super().setUp()
        notes.append(self.home, REPOSITORY, FOUND)

    def compact(self, *script, **environment):
        """Compact with a scripted service, or without one; what it told, and the requests."""
        os.environ.update(environment)
        if not script:
            return compacting.compact(REPOSITORY, self.runtime()), []
        with ScriptedHttp(*script) as server:
            os.environ["MEMSIFT_COMPACTOR_URL"] = server.url
            return compacting.compact(REPOSITORY, self.runtime()), server.requests

    def texts(self):
        return [found.text for found in notes.load(self.home, REPOSITORY)]

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def archived(self):
        return [entry.text for entry in Archive(self.home.archive(REPOSITORY)).every()]


class WithoutAModel(Compacting):
    def test_notes_move_to_the_digest_word_for_word_and_into_the_archive(self):
        told, _ = self.compact()
        self.assertEqual(self.texts(), [found.text for found in FOUND])
        self.assertEqual(self.archived(), self.texts())
        self.assertEqual((told["moved"], told["compactor"]), (3, ""))
        self.assertNotIn("PayCo", self.read(self.home.draft(REPOSITORY)))
        self.assertEqual(self.compact()[0]["changes"], 0)

    def test_packet_only_where_there_is_a_store(self):
        self.compact()
        self.assertEqual(outbox.waiting(self.home, REPOSITORY), [])
        notes.append(self.home, REPOSITORY, [note(4, "Stock counts run at 04:00.", replaces="k000000003", mark="correction")])
        self.compact(MEMSIFT_COGNEE_URL="http://127.0.0.1:9")
        packet, = outbox.waiting(self.home, REPOSITORY)
        self.assertEqual(([entry.id for entry in packet.entries], packet.forget), (["k000000004"], ["k000000003"]))

    def test_correction_that_waits_stays_in_the_draft_with_its_old_line_in_the_digest(self):
        notes.append(self.home, REPOSITORY, [note(4, "No, on port 9444.", mark="pending", replaces="k000000002", date="2026-11-30")])
        with mock.patch.object(compacting.corrections, "expired", lambda found, today: []):
            self.compact()
        self.assertEqual([each.id for each in notes.parse(self.read(self.home.draft(REPOSITORY)))], ["k000000004"])
        self.assertIn("port 9443", self.read(self.home.digest(REPOSITORY)))

    def test_correction_that_waited_too_long_is_settled(self):
        notes.append(self.home, REPOSITORY, [note(4, "No, on port 9444.", mark="pending", replaces="k000000002", date="2026-01-01")])
        self.compact()
        self.assertNotIn(FOUND[1].text, self.texts())
        self.assertEqual(notes.load(self.home, REPOSITORY)[-1].mark, "correction")
        self.assertNotIn("k000000002", [entry.id for entry in Archive(self.home.archive(REPOSITORY)).closest("production port")])

    def test_unreadable_archive_leaves_everything_where_it_was_and_is_finished_later(self):
        before = self.read(self.home.draft(REPOSITORY))
        with mock.patch.object(Archive, "add", side_effect=sqlite3.OperationalError("disk is full")):
            compacting.attempt(REPOSITORY, self.runtime())
        self.assertEqual(self.read(self.home.draft(REPOSITORY)), before)
        self.assertIn("disk is full", self.log_text())
        compacting.attempt_to_finish(REPOSITORY, self.runtime())
        self.assertEqual(len(self.archived()), 3)

    def test_archive_that_forgets_what_it_was_given_is_not_trusted(self):
        with mock.patch.object(Archive, "add", lambda archive, entries: None), self.assertRaises(compacting.NotArchived):
            compacting.compact(REPOSITORY, self.runtime())
        self.assertIn("PayCo", self.read(self.home.draft(REPOSITORY)))

    def test_another_process_at_it_is_left_alone(self):
        with lock.held(self.home.compaction_lock(REPOSITORY)):
            self.assertIsNone(compacting.compact(REPOSITORY, self.runtime()))
        self.assertIsNotNone(compacting.compact(REPOSITORY, self.runtime()))

    def test_plan_that_somebody_has_edited_is_set_aside(self):
        for text in ("garbage", "[]", '{"archive": [{"no": 1}], "send": []}'):
            with open(self.home.compaction(REPOSITORY), "w", encoding="utf-8") as file:
                file.write(text)
            compacting.finish(REPOSITORY, self.runtime())
            self.assertEqual(len(self.texts()), 3)
            self.assertTrue(os.path.exists(self.home.compaction(REPOSITORY) + ".broken"))

    def test_emptied_digest_keeps_rules_headings_and_remarks_and_each_entry_is_in_the_archive(self):
        with open(self.home.digest(REPOSITORY), "w", encoding="utf-8") as file:
            file.write("# Mine\n- 2026-01-01 [d000000001] %s<!-- turn=s/1 -->\n- by hand\n## Working rules\n- Never deploy on Fridays.\n"
                       "a remark\n## Else\n- 2026-01-02 [d000000002] Pinned. <!-- mark=rule -->\n" % ("word " * 2500))
        told, _ = self.compact()
        self.assertEqual(self.read(self.home.digest(REPOSITORY)), "# Mine\n## Working rules\n- Never deploy on Fridays.\na remark\n## Else\n"
                         "- 2026-01-02 [d000000002] Pinned. <!-- mark=rule -->\n")
        self.assertEqual(told["moved"], 3)
        for text in [found.text for found in FOUND] + ["by hand", ("word " * 2500).strip()]:
            self.assertIn(text, self.archived())

    def test_full_at_8000_tokens(self):
        runtime = self.runtime()
        self.assertFalse(compacting.is_full(REPOSITORY, runtime))
        notes.append(self.home, REPOSITORY, [note(9, "word " * 6500)])
        self.assertTrue(compacting.is_full(REPOSITORY, runtime))
        self.assertEqual((compaction.MOST_TOKENS, compaction.MOST_DIGEST_TOKENS), (8_000, 3_000))


class WithAModel(Compacting):
    def test_what_it_names_is_done_and_every_other_line_is_as_it_was(self):
        line = notes.format_line(FOUND[2])
        told, (request,) = self.compact(says(MERGE))
        self.assertEqual(self.texts(), [FOUND[2].text, PORTS])
        self.assertIn(line + "\n", self.read(self.home.digest(REPOSITORY)))
        self.assertEqual(told["why"], {"brought together": 1})
        sent = json.loads(request.json()["messages"][1]["content"])
        self.assertEqual([each["id"] for each in sent["notes"]], [each.id for each in FOUND])

    def test_one_attempt_at_repair(self):
        told, requests = self.compact(says("Here you are: nothing"), says(MERGE))
        self.assertEqual(told["why"], {"brought together": 1})
        self.assertEqual([len(request.json()["messages"]) for request in requests], [2, 4])
        notes.append(self.home, REPOSITORY, [note(5, "Carts stay in Postgres."), note(6, "The cart has 40 tables.")])
        told, requests = self.compact(says("no"), says("no"), says(MERGE))
        self.assertEqual((told["compactor"], len(requests), len(self.texts())), ("refused", 2, 4))

    def test_failures_count_for_the_service_and_the_code_does_its_part(self):
        for number in range(4):
            notes.append(self.home, REPOSITORY, [note(10 + 2 * number, "Cart %d is slow." % number), note(11 + 2 * number, "Mail %d is late." % number)])
            told, requests = self.compact(acts.answers({}, "500 Internal Server Error"))
            self.assertEqual((len(requests), told["compactor"]), ((1, "failed") if number < 3 else (0, "")))
        self.assertEqual(Pauses(self.home.state).of("compactor").reason, "Internal Server Error")
        self.assertEqual(len(self.texts()), 11)
        self.assertIn("ERROR core-compaction compactor status=500", self.log_text())

    def test_unusable_answer_is_no_failure_of_the_service(self):
        for _ in range(4):
            self.compact(says("no"), says("no"))
            notes.append(self.home, REPOSITORY, [note(20, "Cart is slow."), note(21, "Mail is late.")])
        self.assertIsNone(Pauses(self.home.state).of("compactor"))

    def test_own_lines_secrets_and_what_waits_are_not_offered(self):
        with open(self.home.draft(REPOSITORY), "a", encoding="utf-8") as file:
            file.write("- Mine, by hand.\n")
        secret = "ghp_" + "a1B2" * 9
        notes.append(self.home, REPOSITORY, [note(4, "Not 8443.", mark="pending", replaces="k000000001", date=self.runtime().today()),
                                             note(5, "Rule.", mark="rule"), note(6, "Token %s." % secret)])
        _, (request,) = self.compact(says({"drop": []}))
        sent = request.json()["messages"][1]["content"]
        self.assertEqual([each["id"] for each in json.loads(sent)["notes"]], ["k000000002", "k000000003"])
        self.assertNotIn(secret, str(request.json()))

    def test_hand_edits_made_while_it_thinks_win(self):
        draft = self.home.draft(REPOSITORY)

        def edit(old, new):
            text = self.read(draft).replace(old, new)
            with open(draft, "w", encoding="utf-8") as file:
                file.write(text)
            return MERGE
        for old, new in (("Staging listens", "Staging, by hand, listens"), (notes.format_line(FOUND[0]) + "\n", "")):
            os.unlink(draft)
            notes.append(self.home, REPOSITORY, FOUND)
            act = acts.computed(lambda body: {"choices": [{"message": {"content": json.dumps(edit(old, new))}}]})
            self.compact(act)
            self.assertNotIn(PORTS, self.texts())
            self.assertEqual("Staging, by hand, listens on port 8443." in self.texts(), bool(new))
            self.assertEqual("Staging listens on port 8443." in self.texts(), False)
            os.unlink(self.home.digest(REPOSITORY))

    def test_note_kept_while_it_thinks_is_there_afterwards(self):
        def keep(body):
            notes.append(self.home, REPOSITORY, [note(7, "Kept meanwhile.")])
            return {"choices": [{"message": {"content": json.dumps(MERGE)}}]}
        self.compact(acts.computed(keep))
        self.assertEqual(sorted(self.texts()), sorted([PORTS, "We go with PayCo.", "Kept meanwhile."]))

    def test_single_note_is_not_worth_a_call(self):
        notes.remove(self.home, REPOSITORY, {"k000000001", "k000000002"})
        self.assertEqual(self.compact(says(MERGE))[1], [])


if __name__ == "__main__":
    unittest.main()
