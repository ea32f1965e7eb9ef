import json
import unittest

from memsift.longterm import passage

CHUNK = {"id": "1", "text": "We go with PayCo.", "document_id": "d1", "document_name": "k1", "score": 0.5,
         "belongs_to_set": ["memsift", "acme-shop"], "external_metadata": json.dumps({"memsift": "k1"}), "created_at": 1796021610787}
OLD = {"id": "2", "text": "Carts stay in Postgres.", "belongs_to_set": [{"name": "memsift"}], "created_at": 1796021610787}


def envelope(name, *chunks):
    return {"dataset_id": "id-of-" + name, "dataset_name": name, "dataset_tenant_id": None, "search_result": list(chunks)}


class Read(unittest.TestCase):
    def test_envelope_with_access_control(self):
        found, = passage.read([envelope("memsift-acme-shop", CHUNK)])
        self.assertEqual((found.text, found.dataset, found.dataset_id), (CHUNK["text"], "memsift-acme-shop", "id-of-memsift-acme-shop"))
        self.assertEqual((found.document_id, found.document, found.tags), ("d1", "k1", ("memsift", "acme-shop")))
        self.assertEqual((found.metadata, found.score, found.created), ({"memsift": "k1"}, 0.5, 1796021610.787))

    def test_flat_list_without_access_control_says_no_dataset(self):
        found, = passage.read([CHUNK])
        self.assertEqual((found.text, found.dataset, found.dataset_id), (CHUNK["text"], "", ""))

    def test_chunk_of_1_0_has_neither_document_nor_score(self):
        found, = passage.read([envelope("a", OLD)])
        self.assertEqual((found.document_id, found.document, found.metadata, found.score), ("", "", {}, None))
        self.assertEqual(found.tags, ("memsift",))

    def test_lower_score_comes_first_over_all_datasets(self):
        answer = [envelope("a", dict(CHUNK, text="far", score=0.9), dict(CHUNK, text="near", score=0.4)),
                  envelope("b", dict(CHUNK, text="middle", score=0.6))]
        self.assertEqual([found.text for found in passage.read(answer)], ["near", "middle", "far"])

    def test_without_scores_the_datasets_take_turns(self):
        answer = [envelope("a", dict(OLD, text="a1"), dict(OLD, text="a2")), envelope("b", dict(OLD, text="b1"))]
        self.assertEqual([found.text for found in passage.read(answer)], ["a1", "b1", "a2"])

    def test_dataset_with_an_error_takes_nothing_from_the_others(self):
        answer = [dict(envelope("a"), error="no data"), envelope("b", CHUNK)]
        self.assertEqual([found.dataset for found in passage.read(answer)], ["b"])

    def test_what_is_no_passage_is_left_out(self):
        deep = [CHUNK]
        for _ in range(5_000):
            deep = [deep]
        for answer in (None, 5, True, {}, [], [None, 3], [{"text": 5}], [{"text": " "}], [" "], {"search_result": None}, deep):
            self.assertEqual(passage.read(answer), [])

    def test_plain_text_and_strange_fields_are_read_as_far_as_they_go(self):
        found = passage.read(["A passage.", dict(CHUNK, score="near", created_at=-5, belongs_to_set="memsift", document_id=7,
                                                 external_metadata="{broken")])
        self.assertEqual([(each.text, each.score, each.created, each.tags, each.document_id, each.metadata) for each in found],
                         [("A passage.", None, 0.0, (), "", {}), (CHUNK["text"], None, 0.0, (), "", {})])


if __name__ == "__main__":
    unittest.main()
