import os
import unittest

from memsift import candidates
from memsift.archive.archive import Archive
from tests import measure_archive
from tests.support import HomeTest

SHARE = 0.92  # of the long-term entries that prompts need, which the archive's own candidates must hold


class LabelledConversations(HomeTest):
    def test_what_prompts_need_is_among_the_candidates(self):
        needed = found = 0
        for name, recording in measure_archive.read().items():
            archive = Archive(os.path.join(self.folder, name + ".db"))
            archive.add(recording.entries)
            its_needed, its_found, misses = measure_archive.measure(recording, archive, candidates.FROM_ARCHIVE, True)
            needed, found = needed + its_needed, found + its_found
        self.assertGreater(needed, 140)
        self.assertGreaterEqual(found / needed, SHARE)


if __name__ == "__main__":
    unittest.main()
