#!/usr/bin/env python3
"""storm_covers_test.py TOP: the storm of random calls has every function of the public C headers."""
import re
import sys
import unittest
from pathlib import Path

TOP = Path(sys.argv[1])
HEADERS = ("comex.h", "extended.h", "worlds.h")
# A worker of the storm's job is a thread: what starts, ends or meets is not for one alone to call at random.
NOT_AT_RANDOM = {"comex_init", "comex_init_args", "comex_finalize", "comex_error", "comex_barrier", "comex_create_mutexes",
                 "comex_destroy_mutexes"}


class Storm(unittest.TestCase):
    def test_has_every_function(self):
        declared = set()
        for header in HEADERS:
            text = (TOP / "include/comex" / header).read_text(encoding="utf-8")
            declared |= set(re.findall(r"^COMEX_API[^;]*?\b(comex_\w+)\(", text, re.M))
        self.assertGreater(len(declared), 100)
        called = set(re.findall(r"\b(comex_\w+)\(", (TOP / "tests/conformance/storm_calls.h").read_text(encoding="utf-8")))
        self.assertEqual(declared - called - NOT_AT_RANDOM, set())
        self.assertLessEqual(NOT_AT_RANDOM, declared)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
