import unittest

from memsift.compaction.faithful import fault
from memsift.compaction.faithful import keeps_all
from memsift.compaction.faithful import tells_more

PAYCO = "We go with PayCo for payments, its fees are lower for small carts."
PORTS = "Staging listens on port 8443, production on port 9443."
FAITHFUL = [
    ("PayCo handles payments because its fees are lower for small carts.", [PAYCO]),
    ("PayCo for payments: lower fees for small carts.", [PAYCO]),
    ("The port is 8443 and the timeout 30 s.", ["The port is 8443.", "The timeout is 30 s."]),
    ("Port belge : 7,90, offert d\u00e8s 79.", ["le port belge est de 7,90, offert d\u00e8s 79"]),
    ("See debits.ts.", ["See apps/back/src/debits.ts."]), ("We do not use Redis.", ["We don't use Redis."]),
    (PORTS, [PORTS]), ("Redis\u3092\u4f7f\u308f\u306a\u3044", ["Redis\u3092\u4f7f\u308f\u306a\u3044\u3002"]),
]
UNFAITHFUL = [
    ("We go with Stripo for payments.", [PAYCO]), ("PayCo fees are 2 % lower.", [PAYCO]),
    ("PayCo for payments, see src/pay.py.", [PAYCO]), ("PayCo needs api_key.", [PAYCO]), ("Always deploy PayCo.", [PAYCO]),
    ("We use Redis.", ["We do not use Redis."]), ("We don't use Redis.", ["We use Redis."]),
    ("We don't use Postgres, but Redis.", ["We don't use Redis, but Postgres."]),
    ("Nous utilisons Redis.", ["Nous n'utilisons pas Redis."]), ("Wir nutzen Redis.", ["Wir nutzen Redis nicht."]),
    ("No usamos Redis.", ["Usamos Redis."]), ("Redis\u3092\u4f7f\u3046", ["Redis\u3092\u4f7f\u308f\u306a\u3044"]),
    ("Staging listens on 9443.", [PORTS]), ("Staging 9443, production 8443.", [PORTS]),
    ("PayCo instead of Stripo.", ["Stripo instead of PayCo."]), ("We moved to redis from postgres.", ["We moved from redis to postgres."]),
    ("Version 16.3.", ["Version 16.2."]), ("See back/src/debits.js.", ["See apps/back/src/debits.ts."]),
]


class Fault(unittest.TestCase):
    def test_words_of_the_sources_may_be_shortened_and_joined(self):
        for text, sources in FAITHFUL:
            self.assertEqual(fault(text, sources), "", text)

    def test_what_the_sources_do_not_say_is_found(self):
        for text, sources in UNFAITHFUL:
            self.assertNotEqual(fault(text, sources), "", text)


class Keeping(unittest.TestCase):
    def test_lost_number_name_reason_or_denial(self):
        self.assertTrue(keeps_all("PayCo, we go with it: payments have lower fees for small carts", PAYCO))
        for text in ("PayCo for payments.", "Fees are lower for small carts.", ""):
            self.assertFalse(keeps_all(text, PAYCO), text)
        self.assertFalse(keeps_all("We use Redis.", "We do not use Redis."))

    def test_more_than_the_sources(self):
        self.assertFalse(tells_more("Sorry, my mistake, staging listens on 8443 after all.", [PORTS]))
        self.assertTrue(tells_more("Sorry, it is 8444.", [PORTS]))
        self.assertTrue(tells_more("My mistake, it is Caddy that listens on 8443.", [PORTS]))


if __name__ == "__main__":
    unittest.main()
