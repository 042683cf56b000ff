"""What comexrun decides: hosts and slots, workers and ranks of each host, the words for mpirun."""
import os
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import hosts
import launchers
import linked
import main
import manager
import options
from hosts import Host
from refused import Refused
from split import dealt, is_oversubscribed, split


class Options(unittest.TestCase):
    def test_own_options_stand_anywhere_before_the_program(self):
        found = options.parsed("--mca btl tcp -n 4 -x A=1 --host a:2,b --cyclic prog -n 7 --cyclic".split())
        self.assertEqual((found.workers, found.host_list, found.cyclic), (4, "a:2,b", True))
        self.assertEqual(found.of_mpirun, "--mca btl tcp -x A=1".split())
        self.assertEqual(found.program, "prog -n 7 --cyclic".split())

    def test_words_of_hydra_are_its_own(self):
        found = options.parsed("-genv A 1 -launcher ssh -bootstrap fork -np 3 -hosts=a,b prog".split())
        self.assertEqual((found.of_mpirun, found.host_list, found.workers),
                         ("-genv A 1 -launcher ssh -bootstrap fork".split(), "a,b", 3))

    def test_a_variable_of_hydra_is_two_words_or_one(self):
        for given in ("-genv A=1", "-genv A 1", "-env A=1", "-env A 1", "-genv A= -env B b=1"):
            found = options.parsed(f"{given} -n 2 prog".split())
            self.assertEqual((found.of_mpirun, found.workers, found.program), (given.split(), 2, ["prog"]))

    def test_wrong_ones_are_refused(self):
        for line in ("prog", "-n 0 prog", "-n x prog", "-n 2 --world=1 prog", "-n", "-n 2", "-n 2 a : -n 2 b", "-n 2 --host a --hostfile b c",
                     "-n 2 --virtual-hosts 0 a", "--mca btl", "-n 2 -x COMEX_VIRTUAL_HOSTS=2 a",
                     "-n 2 -genv GA_NUM_PROGRESS_RANKS_PER_NODE 2 a", "-n 2 -env COMEX_VIRTUAL_HOSTS=2 a", "-n 1234567890 a",
                     "-n 2 --world -x LD_PRELOAD=/l.so a",
                     "-n 2 -genv LD_PRELOAD /l.so --check a", "-n 2 -genv LD_PRELOAD=/l.so --world a",
                     "-n2x prog", "-n0 prog", "-n ٢ prog",
                     "-n 2 --progress-ranks 1025 a", "-n 2 --virtual-hosts " + "1" * 5000 + " a"):
            with self.assertRaises(Refused, msg=line):
                options.parsed(line.split())

    def test_a_number_may_follow_its_letter(self):
        for line in ("-n2 prog", "-np2 prog", "-c2 prog"):
            self.assertEqual((options.parsed(line.split()).workers, options.parsed(line.split()).of_mpirun), (2, []))

    def test_a_switch_of_open_mpi_takes_no_word(self):
        self.assertEqual(options.parsed("-n 2 -s prog".split()).program, ["prog"])

    def test_the_user_may_load_a_library_first(self):
        self.assertEqual(options.parsed("-n 2 -x LD_PRELOAD=/l.so prog".split()).of_mpirun, ["-x", "LD_PRELOAD=/l.so"])

    def test_two_dashes_end_the_options(self):
        self.assertEqual(options.parsed("-n 2 -- --strange".split()).program, ["--strange"])


class Hosts(unittest.TestCase):
    def test_a_list_has_slots_or_not(self):
        self.assertEqual(hosts.of_list("a:4,b"), [Host("a", 4), Host("b", None)])
        self.assertEqual(hosts.of_list("a:2,b:2,a:1"), [Host("a", 3), Host("b", 2)])
        self.assertEqual(hosts.of_list("a,a,b,b:3"), [Host("a", 2), Host("b", 4)])
        for wrong in ("a:x", "a:0", ",a", "+n1", "a:٢", "a:" + "1" * 5000):
            self.assertRaises(Refused, hosts.of_list, wrong)

    def test_files_of_every_kind(self):
        self.assertEqual(hosts.of_file("# all\na slots = 4 max_slots=8\nb:2 # two\n\nc\n", "f"),
                         [Host("a", 4), Host("b", 2), Host("c", None)])
        self.assertEqual(hosts.of_file("n1\nn1\nn2\nn2\nn2\n", "pbs"), [Host("n1", 2), Host("n2", 3)])
        self.assertEqual(hosts.of_file("n1\nn2\n", "pbs", a_line=1), [Host("n1", 1), Host("n2", 1)])
        self.assertRaises(Refused, hosts.of_file, "# nobody\n", "f")
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"\xff\xfe a\n")
            file.flush()
            self.assertRaisesRegex(Refused, "this is no text", hosts.read, file.name)

    def test_slurm_writes_names_with_ranges(self):
        for text, names in (("a", "a"), ("n[1-3]", "n1 n2 n3"), ("n[01-03,07],m2", "n01 n02 n03 n07 m2"),
                            ("r[1-2]c[08-09]x", "r1c08x r1c09x r2c08x r2c09x")):
            self.assertEqual(hosts.nodes_of(text), names.split())
        for wrong in ("n[1-x]", "n[01-02", "n]", "n[١]", f"n[{'1' * 5000}]"):
            self.assertRaises(Refused, hosts.nodes_of, wrong)

    def test_slurm_names_nodes_and_tasks(self):
        told = {"SLURM_JOB_NODELIST": "n[1-3]", "SLURM_JOB_CPUS_PER_NODE": "16(x3)"}
        self.assertEqual([h.slots for h in hosts.of_slurm(told)], [16, 16, 16])
        told |= {"SLURM_NTASKS": "20", "SLURM_TASKS_PER_NODE": "8(x2),4"}
        self.assertEqual(hosts.of_slurm(told), [Host("n1", 8), Host("n2", 8), Host("n3", 4)])
        for wrong in ("8", "8(x٣)", f"{'1' * 5000}(x3)"):
            told["SLURM_TASKS_PER_NODE"] = wrong
            self.assertRaises(Refused, hosts.of_slurm, told)

    def test_the_command_line_wins_over_the_batch_system(self):
        asked = options.parsed(["-n", "2", "--host", "a", "p"])
        self.assertEqual(hosts.found(asked, {"SLURM_JOB_NODELIST": "n1"}), [Host("a", None)])


class Split(unittest.TestCase):
    def shares(self, *args, **more):
        return [(s.workers, s.ranks) for s in split(*args, **more)]

    def test_workers_are_dealt_evenly(self):
        self.assertEqual(dealt(8, [None, None]), [4, 4])
        self.assertEqual(dealt(7, [None] * 3), [3, 2, 2])
        self.assertEqual(dealt(10, [2, None, 4]), [2, 4, 4])
        self.assertIsNone(dealt(5, [2, 2]))
        self.assertEqual(dealt(1_000_000, [None] * 999)[:2], [1002, 1001])

    def test_each_host_has_its_progress_ranks(self):
        a, b = Host("a", 8), Host("b", 8)
        self.assertEqual(self.shares(14, [a, b], 1), [(7, 8), (7, 8)])
        self.assertEqual(self.shares(6, [a, b], 2), [(3, 5), (3, 5)])
        self.assertEqual(self.shares(6, [a, b], 0), [(3, 3), (3, 3)])
        self.assertEqual(self.shares(4, [Host("", 4)], 1, 2), [(4, 6)])  # of each virtual host

    def test_progress_ranks_share_cores_where_slots_are_few(self):
        shares = split(16, [Host("a", 8), Host("b", 8)], 1)
        self.assertEqual([s.ranks for s in shares], [9, 9])
        self.assertTrue(is_oversubscribed(shares))
        self.assertFalse(is_oversubscribed(split(14, [Host("a", 8), Host("b", 8)], 1)))
        self.assertFalse(is_oversubscribed(split(14, [Host("a", None)], 1)))

    def test_more_workers_than_slots_want_a_word(self):
        with self.assertRaisesRegex(Refused, "^5 workers do not fit 1 host with 4 slots: name more hosts"):
            split(5, [Host("", 4)], 1)
        self.assertEqual(self.shares(5, [Host("", 4)], 1, oversubscribe=True), [(5, 6)])

    def test_hosts_without_workers_get_nothing(self):
        self.assertEqual(self.shares(1, [Host("a", None), Host("b", None)], 1), [(1, 2)])

    def test_each_virtual_host_needs_a_worker(self):
        self.assertRaises(Refused, split, 3, [Host("a", None), Host("b", None)], 1, 2)


class Linked(unittest.TestCase):
    def check(self, theirs, ours):
        with mock.patch.object(linked, "mpi_of", lambda path: ours if path.endswith("libcomex.so") else theirs):
            linked.check("sh", "/lib")

    def test_a_program_of_another_mpi_is_refused(self):
        with self.assertRaisesRegex(Refused, "^sh is linked with libmpich.so.12, and this comexrun starts .* libmpi.so.40: use"):
            self.check({"libmpich.so.12"}, {"libmpi.so.40"})
        for theirs, ours in (({"libmpi.so.40"}, {"libmpi.so.40"}), (set(), {"libmpi.so.40"}), ({"libmpich.so.12"}, set())):
            self.check(theirs, ours)

    def test_a_program_that_there_is_not_is_left_to_mpirun(self):
        linked.check("/no/such/program", "/lib")


class Preloaded(unittest.TestCase):
    def test_libraries_need_a_path_that_the_loader_does_not_cut(self):
        for line in ("-n 2 --world a", "-n 2 --check a"):
            for folder in ("/a b/lib", "/a:b/lib"):
                self.assertRaisesRegex(Refused, "blank or a colon", main.preloaded, options.parsed(line.split()), folder)


class Folder(unittest.TestCase):
    def test_of_locks_is_in_tmp_where_the_runtime_folder_is_not_here(self):
        with tempfile.TemporaryDirectory() as runtime:
            for folder, base in ((runtime, runtime), (runtime + "/none", "/tmp"), ("", "/tmp")):
                with mock.patch.dict(os.environ, {"COMEXRUN_DIR": "", "XDG_RUNTIME_DIR": folder}):
                    self.assertEqual(manager.own_folder(), f"{base}/comexrun-{os.getuid()}")

    def test_that_is_named_has_to_be_there(self):
        with mock.patch.dict(os.environ, {"COMEXRUN_DIR": "/no/such/folder"}):
            self.assertRaisesRegex(Refused, "COMEXRUN_DIR=/no/such/folder is not a folder", manager.own_folder)


class Words(unittest.TestCase):
    def words(self, kind, more=(), **launch):
        shares = split(4, [Host("a", 3), Host("b", 3)], 1)
        return " ".join(launchers.words_of(kind, "mpirun", launchers.Launch(shares, {"A": "1"}, **launch), list(more), ["p", "q"]))

    def test_of_each_launcher(self):
        self.assertEqual(self.words(launchers.OPEN_MPI), "mpirun -x A --host a:3,b:3 -np 6 p q")
        self.assertEqual(self.words(launchers.HYDRA), "mpirun -hosts a:3,b:3 -n 6 p q")
        self.assertEqual(self.words(launchers.OPEN_MPI, oversubscribed=True, preload="/l.so"),
                         "mpirun -x A -x LD_PRELOAD=/l.so --oversubscribe --bind-to none --host a:3,b:3 -np 6 p q")
        self.assertEqual(self.words(launchers.HYDRA, oversubscribed=True, unbound=True, preload="/l.so"),
                         "mpirun -genv LD_PRELOAD /l.so -hosts a:3,b:3 -n 6 p q")

    def test_of_a_job_that_goes_on(self):
        self.assertEqual(self.words(launchers.OPEN_MPI, outlive="/o"), "mpirun -x A --enable-recovery --host a:3,b:3 -np 6 p q")
        self.assertEqual(self.words(launchers.HYDRA, outlive="/o"), "mpirun -disable-auto-cleanup -hosts a:3,b:3 -n 6 /o p q")

    def test_who_binds_is_left_to(self):
        self.assertNotIn("none", self.words(launchers.OPEN_MPI, ("--bind-to", "core"), oversubscribed=True))

    def test_this_machine_needs_no_name(self):
        launch = launchers.Launch(split(1, [Host("", 4)], 1), {})
        self.assertEqual(launchers.words_of(launchers.HYDRA, "m", launch, [], ["p"]), "m -n 2 p".split())

    def test_launchers_are_known_by_what_they_say(self):
        for said, kind in (("mpirun (Open MPI) 4.1.4", "openmpi"), ("HYDRA build details:", "hydra"),
                           ("mpirun (PRRTE) 3.0", "openmpi"), ("Intel(R) MPI Library", "hydra")):
            self.assertEqual(launchers.kind_of(said), kind)


if __name__ == "__main__":
    unittest.main()
