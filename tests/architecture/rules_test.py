#!/usr/bin/env python3
"""Each rule refuses what it is there to refuse, and lets pass what looks like it."""
import unittest

from rules import MAY_INCLUDE, breaches, OWN_LIBRARIES

HEADER = "// Owns nothing.\n#pragma once\n"


def said(name, text, **more):
    return "\n".join(breaches({name: text, **more}))


class Rules(unittest.TestCase):
    def test_core_includes_the_standard_library_and_itself_only(self):
        self.assertEqual(said("src/core/a.cpp", '#include <vector>\n#include "core/ids.h"\n'), "")
        self.assertIn("src/core/a.cpp:1: core may not include shm/arena.h",
                      said("src/core/a.cpp", '#include "shm/arena.h"\n'))

    def test_origin_and_target_side_do_not_meet(self):
        self.assertIn("may not include", said("src/op/a.cpp", '#include "pr/server.h"\n'))
        self.assertIn("may not include", said("src/pr/a.cpp", '#include "nb/handle_table.h"\n'))
        self.assertIn("may not include", said("src/op/a.cpp", '#include "runtime/opening/world.h"\n'))

    def test_a_folder_of_src_holds_few_files(self):
        files = {f"src/core/a{i}.cpp": "" for i in range(41)}
        self.assertIn("src/core: 41 files", "\n".join(breaches(files)))
        del files["src/core/a0.cpp"]
        self.assertEqual(list(breaches(files)), [])

    def test_nb_sees_of_shm_only_how_to_wait(self):
        self.assertEqual(said("src/nb/a.cpp", '#include "shm/idle.h"\n'), "")
        self.assertIn("may not include", said("src/nb/a.cpp", '#include "shm/arena.h"\n'))

    def test_an_implementation_is_known_to_its_room_and_to_those_that_compose_only(self):
        line = '#include "transport/mpi_transport.h"\n'
        self.assertIn("may not include", said("src/pr/a.cpp", line))
        self.assertEqual(said("src/runtime/a.cpp", line), "")
        self.assertEqual(said("src/transport/mpi_transport.cpp", line), "")

    def test_mpi_and_the_system_have_their_places(self):
        self.assertIn("does not belong", said("src/op/a.cpp", "#include <mpi.h>\n"))
        self.assertEqual(said("src/transport/mpi_check.cpp", "#include <mpi.h>\n"), "")
        self.assertIn("places", said("src/pr/a.cpp", "#include <unistd.h>\n"))
        self.assertEqual(said("src/shm/posix_os.cpp", "#include <sys/mman.h>\n"), "")
        self.assertIn("hwloc", said("src/runtime/environment.cpp", "#include <hwloc.h>\n"))

    def test_getenv_is_called_once_and_may_be_talked_about(self):
        call = "auto a = std::getenv(x);\n"
        self.assertEqual(said("src/runtime/a.cpp", call + "// getenv(y)\n"), "")
        self.assertIn("getenv", said("src/runtime/a.cpp", call, **{"src/runtime/b.cpp": call}))
        self.assertEqual(said("src/runtime/a.cpp", call, **{"src/interpose/world.cpp": call}), "")
        self.assertIn("getenv", said("src/interpose/a.cpp", call, **{"src/interpose/world.cpp": call}))

    def test_a_file_stops_at_400_lines(self):
        self.assertEqual(said("src/op/a.cpp", "\n" * 400), "")
        self.assertIn("401 lines", said("src/op/a.cpp", "\n" * 401))

    def test_a_branch_inside_a_function_is_seen_and_one_outside_is_not(self):
        inside = "namespace a {\nvoid f() {\n#ifdef X\n#endif\n}\n}\n"
        outside = "namespace a {\nvoid f() {}\n#ifdef X\nstruct b {\n#if Y\n#endif\n};\n#endif\n}\n"
        self.assertIn("a.cpp:3:", said("src/op/a.cpp", inside))
        self.assertEqual(said("src/op/a.cpp", outside), "")

    def test_headers_open_with_their_purpose(self):
        self.assertEqual(said("src/op/a.h", HEADER), "")
        self.assertIn("opens with", said("src/op/a.h", "#pragma once\n"))
        self.assertIn("pragma", said("src/op/a.h", "// Owns nothing.\n"))

    def test_one_room_knows_mpi_implementations(self):
        for words in ('getenv("OMPI_COMM_WORLD_RANK")', "// Open MPI yields.", '"MPIR_CVAR_X"', "as MPICH does", "#ifdef OPEN_MPI",
                      "MPICH_VERSION", "mpi::open_mpi()", '"I_MPI_X"', '"SLURM_PROCID"', '"MPI_LOCALNRANKS"', "btl_vader of smsc: vader"):
            for place in ("src/runtime/a.cpp", "include/comex/a.h", "bindings/python/a.cpp", "examples/a.c"):
                self.assertIn("src/mpi alone", said(place, words + "\n"))
            self.assertEqual(said("src/mpi/a.cpp", words + "\n"), "")
        self.assertEqual(said("src/armci/a.cpp", "// libarmci-openmpi and libarmci-mpich\n"), "")
        self.assertEqual(said("src/transport/a.cpp", "const MpiCheck check;\n"), "")
        self.assertIn("src/mpi alone", said("src/CMakeLists.txt", "# as MPICH does\n"))

    def test_a_type_has_a_name_of_its_own(self):
        one = HEADER + "namespace a {\nstruct Thing {\n  struct Part {};\n};\nclass Other;\n}\n"
        other = HEADER + "namespace a {\nstruct Thing;\nclass Other : public Thing {\n  enum class Part { x };\n};\n}\n"
        self.assertEqual(said("src/op/a.h", one, **{"src/pr/b.h": other}), "")
        for again in ("class Thing final {", "enum class Thing : int {", "using Thing = int;", "struct alignas(64) Thing {"):
            text = HEADER + "namespace b {\n" + again + "\n}\n"
            self.assertIn("b.h:4: Thing", said("src/op/a.h", one, **{"src/pr/b.h": text}))
            self.assertEqual(said("src/op/a.h", one, **{"src/pr/b.cpp": text}), "")

    def test_the_page_has_the_same_table(self):
        rows = [f"| src/{room} | a role |" for room in MAY_INCLUDE]
        allowed = [f"| {room} | {', '.join(names) or 'nothing'}; and a remark |" for room, names in MAY_INCLUDE.items()]

        def page(rows, allowed):
            return said("docs/architecture.md", "\n".join(["", *rows, "### Who may include whom", *allowed, "", "- more", ""]))
        self.assertEqual(page(rows, allowed), "")
        self.assertIn("no row for src/core", page(rows[1:], allowed))
        self.assertIn("differ on core", page(rows, allowed[1:]))
        self.assertIn("differ on cellar", page(rows, [*allowed, "| cellar | core |"]))
        self.assertIn("differ on shm", page(rows, ["| shm | core, mpi |" if "| shm |" in row else row for row in allowed]))

    def test_libraries_are_linked_as_they_may_include(self):
        links = [f"comex_room({room} {' '.join('room_' + name.split('/')[0] for name in sorted(names))})"
                 for room, names in MAY_INCLUDE.items() if room not in OWN_LIBRARIES]

        def cmake(*lines):
            return said("src/CMakeLists.txt", "\n".join(lines))
        self.assertEqual(cmake(*links), "")
        self.assertIn("shm is a library there", cmake(*(line for line in links if "(shm " not in line)))
        self.assertIn("cellar is a library there", cmake(*links, "comex_room(cellar room_core)"))
        self.assertIn("core links shm", cmake("comex_room(core room_shm)", *links[1:]))
        self.assertIn("watch may include shm and does not link it",
                      cmake(*("comex_room(watch room_core)" if "(watch " in line else line for line in links)))

    def test_unfinished_business_is_seen(self):
        self.assertIn("unfinished", said("tools/check", "# TO" + "DO later\n"))


if __name__ == "__main__":
    unittest.main()
