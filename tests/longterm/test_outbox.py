import json
import os
import unittest
from unittest import mock

from memsift import files
from memsift.entry import Entry
from memsift.longterm import outbox
from tests.support import HomeTest

NAME = "acme-shop-0123456789"
KEY = "sk-ant-" + "api03-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 2


def entry(id, text="We go with PayCo for payments.", **facts):
    return Entry(id, "2026-11-30", text, **facts)


class Outbox(HomeTest):
    def put(self, *entries, forget=()):
        return outbox.put(self.home, NAME, list(entries), forget)

    def waiting(self):
        return outbox.waiting(self.home, NAME)

    def path(self, id):
        return os.path.join(self.home.outbox(NAME), id + ".json")

    def write(self, name, content):
        files.make_folder(self.home.outbox(NAME))
        with open(os.path.join(self.home.outbox(NAME), name), "wb") as file:
            file.write(content)

    def test_packet_holds_every_field_of_its_entries(self):
        given = Entry("k1", "2026-11-30", "We go with PayCo.", ["a b.py", "ü.md"], "developer", "s/t", "considered", "k0")
        self.put(given, forget=["k0"])
        packet, = self.waiting()
        found, = packet.entries
        names = [name for name in Entry.__slots__ if name not in ("place", "passed")]  # what is pending is not sent
        self.assertEqual([getattr(found, name) for name in names], [getattr(given, name) for name in names])
        self.assertEqual(packet.forget, ["k0"])

    def test_same_entries_are_the_same_packet(self):
        self.assertEqual(self.put(entry("k1")), self.put(entry("k1")))
        self.assertEqual(len(self.waiting()), 1)
        self.assertNotEqual(self.put(entry("k1")), self.put(entry("k1", "We go with Stripely.")))

    def test_many_entries_become_packets_of_one_request_each_in_their_order(self):
        self.put(*[entry("k%03d" % i) for i in range(100)], forget=["old"])
        self.assertEqual([len(packet.entries) for packet in self.waiting()], [40, 40, 20])
        self.assertEqual([packet.forget for packet in self.waiting()], [[], [], ["old"]])
        self.assertEqual([each.id for packet in self.waiting() for each in packet.entries], ["k%03d" % i for i in range(100)])

    def test_long_texts_are_spread_by_their_size(self):
        self.put(*[entry("k%d" % i, "ü" * 100_000) for i in range(4)], entry("huge", "x" * 2_000_000))
        self.assertEqual([len(packet.entries) for packet in self.waiting()], [2, 2, 1])

    def test_nothing_to_say_is_no_packet(self):
        self.assertEqual(self.put(), [])
        self.assertEqual(self.waiting(), [])

    def test_secrets_do_not_reach_the_disk(self):
        id, = self.put(entry("k1", "The key is %s." % KEY, files=[KEY]))
        with open(self.path(id), encoding="utf-8") as file:
            self.assertNotIn(KEY, file.read())

    def test_half_an_emoji_stops_nothing(self):
        self.put(entry("k1", "Ship it \ud83d now"))
        self.assertEqual(self.waiting()[0].entries[0].text, "Ship it \ufffd now")

    def test_later_packets_come_later_though_the_clock_went_back(self):
        with mock.patch("time.time_ns", return_value=2_000):
            self.put(entry("k1"))
        with mock.patch("time.time_ns", return_value=1_000):
            self.put(entry("k2"))
        self.assertEqual([packet.entries[0].id for packet in self.waiting()], ["k1", "k2"])

    def test_what_is_forgotten_leaves_the_packets_that_wait(self):
        both, = self.put(entry("k1", "Secret plan."), entry("k2"))
        alone, = self.put(entry("k1", "Secret plan, again."))
        self.put(forget=["k1"])
        self.assertEqual([each.id for packet in self.waiting() for each in packet.entries], ["k2"])
        self.assertFalse(os.path.exists(self.path(alone)))
        with open(self.path(both), encoding="utf-8") as file:
            self.assertNotIn("Secret plan", file.read())
        self.assertEqual(self.waiting()[-1].forget, ["k1"])

    def test_entry_that_takes_its_own_place_is_not_forgotten(self):
        self.put(entry("k1"), forget=["k1"])
        self.assertEqual((self.waiting()[0].ids(), self.waiting()[0].forget), ({"k1"}, []))

    def test_broken_packets_stay_are_named_and_stop_no_other(self):
        whole, = self.put(entry("k1"))
        for name, content in (("torn.json", b'{"version": 1, "entr'), ("list.json", b"[]"), ("deep.json", b"[" * 100_000),
                              ("shape.json", b'{"made": 1, "entries": [{"id": 7}]}'), ("empty.json", b""), ("notes.txt", b"mine")):
            self.write(name, content)
        os.mkdir(self.path("folder"))
        os.mkfifo(self.path("pipe"))
        self.assertEqual([packet.id for packet in self.waiting()], [whole])
        self.assertEqual(sorted(outbox.broken(self.home, NAME)), ["deep.json", "empty.json", "folder.json", "list.json",
                                                                  "pipe.json", "shape.json", "torn.json"])
        self.assertIn("notes.txt", os.listdir(self.home.outbox(NAME)))

    def test_hand_edited_packet_still_reads(self):
        id, = self.put(entry("k1"))
        with open(self.path(id), encoding="utf-8") as file:
            facts = json.load(file)
        facts["entries"][0] = {"id": "k1", "date": "", "text": "Edited."}
        self.write(id + ".json", b"\xef\xbb\xbf" + json.dumps(facts, indent=4).replace("\n", "\r\n").encode())
        self.assertEqual(self.waiting()[0].entries[0].text, "Edited.")

    def test_accepted_packet_is_removed_unless_it_was_put_in_again(self):
        self.put(entry("k1"))
        sent, = self.waiting()
        self.put(entry("k1"))
        outbox.remove(self.home, NAME, sent)
        again, = self.waiting()
        outbox.remove(self.home, NAME, again)
        self.assertEqual(self.waiting(), [])
        outbox.remove(self.home, NAME, again)

    def test_files_are_private(self):
        id, = self.put(entry("k1"))
        self.assertEqual(os.stat(self.path(id)).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(self.home.outbox(NAME)).st_mode & 0o777, 0o700)


if __name__ == "__main__":
    unittest.main()
