import os
import time
import unittest

from memsift.deadline import Deadline
from memsift.longterm import cognee
from memsift.longterm.cognee import Cognee
from memsift.longterm.cognee import NotThere
from memsift.longterm.cognee import Upload
from memsift.remote.service import Failed
from memsift.settings import Settings
from tests import scripted_http
from tests.remote.test_transport import TransportTest
from tests.scripted_cognee import KEY
from tests.scripted_cognee import ScriptedCognee
from tests.scripted_cognee import read_form

OURS, OTHER, MISSING = "memsift-acme-shop", "handbook", "memsift-missing"
PAYMENTS, CARTS = "We go with PayCo for payments.", "The carts stay in Postgres."
UNKNOWN = "4ffd1b24-3a7a-4a2f-9ad0-6a3c6a1c0d11"
VERSIONS = [{}, {"access_control": False}, {"version": "1.0.9"}]


class CogneeTest(TransportTest):
    def start(self, seconds=20.0, key=KEY, **how):
        self.server = ScriptedCognee(**how)
        self.addCleanup(self.server.__exit__)
        self.server.__enter__()
        self.client = Cognee(self.server.url, key)
        self.deadline = Deadline(seconds)
        return self.server

    def search(self, text, *datasets, most=5, **more):
        return [found.text for found in self.client.search(text, list(datasets), most, self.deadline, **more)]


class Uploaded(CogneeTest):
    def upload(self, *texts, name=OURS):
        documents = [Upload("k%d.md" % number, text, {"memsift": "k%d" % number}) for number, text in enumerate(texts)]
        return self.client.add(name, documents, ["memsift", "acme-shop"], self.deadline)

    def test_road_of_a_note_in_every_version(self):
        for how in VERSIONS:
            with self.subTest(how):
                self.start(**how)
                added = self.upload(PAYMENTS, CARTS)
                self.assertEqual(added.dataset_id, self.server.id(OURS))
                self.assertEqual(self.search("payments", OURS), [])  # before it is searchable
                self.client.cognify([OURS], self.deadline)
                self.assertEqual(self.client.status(added.dataset_id, self.deadline), "completed")
                self.assertEqual(self.search("payments", OURS, most=1), [PAYMENTS])
                listed = self.client.documents(added.dataset_id, self.deadline)
                self.assertEqual({each.name + ".md": each.id for each in listed}, added.data_ids)
                self.assertEqual(self.client.raw(added.dataset_id, added.data_ids["k1.md"], self.deadline), CARTS)
                for _ in range(2):  # once more is no failure
                    self.client.forget(added.dataset_id, added.data_ids["k0.md"], self.deadline)
                self.assertEqual(self.search("payments", OURS), [CARTS])

    def test_one_part_for_each_document_and_one_tag_for_each_node_set(self):
        self.start()
        self.upload(PAYMENTS, CARTS)
        fields, files = read_form(self.server.requests[0])
        self.assertEqual(fields, {"datasetName": [OURS], "node_set": ["memsift", "acme-shop"],
                                  "external_metadata": ['[{"memsift": "k0"}, {"memsift": "k1"}]']})
        self.assertEqual(files, [("k0.md", PAYMENTS), ("k1.md", CARTS)])

    def test_the_same_text_again_is_the_same_document(self):
        self.start()
        first = self.upload(PAYMENTS, CARTS)
        again = self.upload(CARTS, "New.", PAYMENTS)
        self.assertEqual([again.data_ids["k2.md"], again.data_ids["k0.md"]], [first.data_ids["k0.md"], first.data_ids["k1.md"]])
        self.assertEqual(self.server.texts(OURS), [PAYMENTS, CARTS, "New."])

    def test_secrets_stay_here_and_what_hangs_the_server_as_well(self):
        self.start()
        secret = "sk-or-v1-" + "a1b2c3d4" * 8
        self.client.add(OURS, [Upload("k.md", "Key %s, half \ud83d, whole \ud83d\ude00, nul \0." % secret, {"turn": secret})], [],
                        self.deadline)
        self.assertNotIn("a1b2c3d4", self.server.requests[0].body.decode("utf-8"))
        self.assertEqual(self.server.texts(OURS), ["Key [redacted], half \ufffd, whole \U0001f600, nul  ."])

    def test_nothing_to_upload_is_not_sent(self):
        self.start()
        self.assertEqual(self.upload().data_ids, {})
        self.assertEqual(self.server.requests, [])

    def test_name_that_the_server_refuses_is_told_in_its_words(self):
        self.start()
        with self.assertRaises(Failed) as caught:
            self.upload(PAYMENTS, name="acme shop")
        self.assertEqual((caught.exception.status, caught.exception.message),
                         (500, "Internal server error: Dataset name cannot contain spaces or dots."))

    def test_background_work_is_asked_for_and_its_state_is_told(self):
        self.start(delays_cognify=True)
        added = self.upload(PAYMENTS)
        self.assertEqual(self.client.status(added.dataset_id, self.deadline), "")
        self.client.cognify([OURS], self.deadline)
        self.assertIs(self.server.requests[-1].json()["run_in_background"], True)
        for outcome, told in (("", "started"), ("ERRORED", "errored")):
            if outcome:
                self.server.finish(outcome)
            self.assertEqual(self.client.status(added.dataset_id, self.deadline), told)


class Listed(CogneeTest):
    def test_every_document_of_a_long_list_however_the_server_pages(self):
        for how in ({}, {"page": 100}, {"page": 7}, {"version": "1.0.9"}):
            with self.subTest(how):
                self.start(**how)
                for number in range(250):
                    self.server.put(OURS, "k%d" % number, "text %d" % number)
                listed = self.client.documents(self.server.id(OURS), self.deadline)
                self.assertEqual([each.name for each in listed], ["k%d" % number for number in range(250)])
                self.assertEqual({each.size is None for each in listed}, {how == {"version": "1.0.9"}})

    def test_server_that_repeats_itself_ends(self):
        self.start()
        self.server.meet("/api/v1/datasets/", scripted_http.answers([{"id": "a-1", "name": "k1"}]))
        listed, = self.client.documents(UNKNOWN, self.deadline)
        self.assertEqual((listed.id, listed.name, listed.size), ("a-1", "k1", None))
        self.assertEqual(len(self.server.requests), 2)

    def test_datasets_behind_a_redirect_and_rows_that_are_none_are_left_out(self):
        self.start(redirects=True)
        self.server.put(OURS, "k1", PAYMENTS)
        found, = self.client.datasets(self.deadline)
        self.assertEqual((found.name, found.id, found.updated), (OURS, self.server.id(OURS), "2026-11-30T01:02:03.000001"))
        self.server.meet("/api/v1/datasets", scripted_http.answers([None, 3, {"name": "x"}, {"id": "1", "name": None}]))
        self.assertEqual([(each.id, each.name) for each in self.client.datasets(self.deadline)], [("1", "")])

    def test_list_that_is_none_is_a_failure_and_no_empty_store(self):
        self.start()
        for content in ({}, None, "none", 3):
            self.server.behave()
            self.server.meet("/api/v1/datasets", scripted_http.answers(content))
            with self.assertRaises(Failed):
                self.client.datasets(self.deadline)

    def test_id_that_is_none_is_never_made_a_path(self):
        self.start()
        for id in ("", "../users", "a/b", "a?b", "é"):
            with self.assertRaises(Failed):
                self.client.forget(UNKNOWN, id, self.deadline)
        self.assertEqual(self.server.requests, [])


class Searched(CogneeTest):
    def test_passages_alone_are_asked_for_in_these_datasets_only(self):
        self.start()
        self.server.put(OURS, "k1", PAYMENTS)
        self.server.put(OTHER, "h1", "Payments are due in May.")
        self.assertEqual(self.search("payments", OURS), [PAYMENTS])
        self.assertEqual(self.server.searches, [{"query": "payments", "search_type": "CHUNKS", "datasets": [OURS], "top_k": 5}])

    def test_tag_goes_along(self):
        self.start(access_control=False)
        self.server.put(OURS, "k1", PAYMENTS, tags=["acme-shop"])
        self.server.put(OTHER, "h1", "payments")
        self.assertEqual(self.search("payments", OURS, tag="acme-shop"), [PAYMENTS])

    def test_search_by_words_can_be_asked_for(self):
        self.start()
        self.search("payments", OURS, by="CHUNKS_LEXICAL")
        self.assertEqual(self.server.searches[0]["search_type"], "CHUNKS_LEXICAL")

    def test_nothing_found_is_no_failure(self):
        for how in VERSIONS:
            with self.subTest(how):
                self.start(**how)
                self.server.put(OTHER, "h1", "text", is_searchable=False)
                for names in ([MISSING], [OTHER], [MISSING, MISSING + "-2"], []):
                    self.assertEqual(self.search("payments", *names), [])

    def test_missing_dataset_does_not_hide_the_others(self):
        for how in VERSIONS:
            with self.subTest(how):
                self.start(**how)
                self.server.put(OURS, "k1", PAYMENTS)
                self.assertEqual(self.search("payments", MISSING, OURS), [PAYMENTS])
                self.assertEqual([search["datasets"] for search in self.server.searches], [[MISSING, OURS], [OURS]])

    def test_empty_text_is_never_sent(self):
        self.start()
        for text in ("", " \n", "\0"):
            self.assertEqual(self.search(text, OURS), [])
        self.assertEqual(self.server.requests, [])

    def test_text_is_redacted_and_cleaned_since_the_server_keeps_it(self):
        self.start()
        self.search("half \udc00 of sk-or-v1-" + "a1b2c3d4" * 8 + " où 🛒", OURS)
        self.assertEqual(self.server.searches[0]["query"], "half \ufffd of [redacted] où 🛒")
        self.assertIn("où 🛒".encode("utf-8"), self.server.requests[0].body)

    def test_three_requests_of_one_search_share_its_deadline(self):
        self.start(seconds=1.0)
        self.server.put(OURS, "k1", PAYMENTS)
        self.server.meet("/api/v1/datasets", scripted_http.hang)
        started = time.monotonic()
        with self.assertRaises(Failed) as caught:
            self.search("payments", MISSING, OURS)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(caught.exception.status, 0)


class Refused(CogneeTest):
    def test_stale_id_is_a_matter_of_the_dataset(self):
        self.start()
        calls = (lambda: self.client.documents(UNKNOWN, self.deadline), lambda: self.client.status(UNKNOWN, self.deadline),
                 lambda: self.client.forget(UNKNOWN, UNKNOWN, self.deadline), lambda: self.client.raw(UNKNOWN, UNKNOWN, self.deadline))
        for call in calls:
            with self.assertRaises(NotThere) as caught:
                call()
            self.assertIn(caught.exception.status, (401, 403))
            self.assertNotIn("refuses the key", caught.exception.message)
            self.assertEqual(self.server.paths[-1], "GET /api/v1/datasets")

    def test_document_that_is_gone_is_a_matter_of_the_document(self):
        self.start()
        self.server.put(OURS, "k1", PAYMENTS)
        with self.assertRaises(NotThere):
            self.client.raw(self.server.id(OURS), UNKNOWN, self.deadline)

    def test_wrong_key_is_told_wherever_it_is_noticed(self):
        self.start(key="wrong" + KEY)
        calls = (lambda: self.client.datasets(self.deadline), lambda: self.search("payments", OURS),
                 lambda: self.client.documents(UNKNOWN, self.deadline))
        for call in calls:
            with self.assertRaises(Failed) as caught:
                call()
            self.assertNotIsInstance(caught.exception, NotThere)
            self.assertEqual(caught.exception.status, 401)
            self.assertIn("it refuses the key (Authentication required", caught.exception.message)
            self.assertNotIn(KEY, repr(caught.exception))

    def test_missing_key_is_told_with_its_setting(self):
        self.start(key="")
        with self.assertRaises(Failed) as caught:
            self.client.datasets(self.deadline)
        self.assertIn("MEMSIFT_COGNEE_KEY", caught.exception.message)


class Set(CogneeTest):
    def settings(self, **variables):
        self.set_environment(HOME=self.folder, **variables)
        return Settings()

    def test_no_server_is_made_up(self):
        self.assertIsNone(cognee.client(self.settings(COGNEE_API_KEY="k")))
        with self.assertRaises(ValueError):
            cognee.probe(self.settings(), Deadline(1))

    def test_probe_needs_the_server_and_the_key(self):
        self.start()
        self.server.put(OURS, "k1", PAYMENTS)
        found = cognee.probe(self.settings(MEMSIFT_COGNEE_URL=self.server.url, MEMSIFT_COGNEE_KEY=KEY), self.deadline)
        self.assertEqual([each.name for each in found], [OURS])
        with self.assertRaises(Failed):
            cognee.probe(self.settings(MEMSIFT_COGNEE_URL=self.server.url), self.deadline)

    def test_key_that_the_plugin_made_is_sent_to_its_own_server_only(self):
        self.start()
        os.mkdir(os.path.join(self.folder, ".cognee-plugin"))
        for address in (self.server.url, "http://127.0.0.1:1"):
            with open(os.path.join(self.folder, ".cognee-plugin", "api_key.json"), "w", encoding="utf-8") as file:
                file.write('{"base_url": "%s/", "api_key": "%s"}' % (address, KEY))
            client = cognee.client(self.settings(MEMSIFT_COGNEE_URL=self.server.url))
            if address == self.server.url:
                self.assertEqual(client.datasets(self.deadline), [])
                continue
            with self.assertRaises(Failed):
                client.datasets(self.deadline)
            self.assertNotIn("x-api-key", self.server.requests[-1].headers)


if __name__ == "__main__":
    unittest.main()
