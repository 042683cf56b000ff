#!/usr/bin/env python3
"""recipes_test.py SOURCES BUILD CMAKE: the recipes of packaging/ are Python, and name this version, options and presets that there
are, and files that an install makes."""
import ast
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCES, BUILD, CMAKE = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
TOP = (SOURCES / "CMakeLists.txt").read_text(encoding="utf-8")
VERSION = re.search(r"project\(comex VERSION ([0-9.]+)", TOP).group(1)
OLDEST_CMAKE = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)\)", TOP).group(1)
CMAKE_TEXT = TOP + "".join(path.read_text(encoding="utf-8") for path in (SOURCES / "cmake").glob("*.cmake"))
FOUND = CMAKE_TEXT + "".join((SOURCES / "tools" / path).read_text(encoding="utf-8") for path in ("CMakeLists.txt", "comex_top/CMakeLists.txt"))
# What configuring looks for, by its name in CMake, Spack and EasyBuild (where the toolchain has the MPI).
WANTED = [("HWLOC", "hwloc", "hwloc"), ("MPI", "mpi@3:", None), ("CLI11", "cli11", "CLI11"), ("fmt", "fmt", "fmt"),
          ("Curses", "ncurses", "ncurses"), ("nlohmann_json", "nlohmann-json", "nlohmann_json"), ("PkgConfig", "pkgconfig", "pkgconf"),
          ("COMEX_HELP2MAN", "help2man", "help2man"), ("COMEX_PYTHON", "python@3.8:", "Python")]
OPTIONS = set(re.findall(r"option\((\w+)|set\((\w+)[^()]*CACHE|find_program\((MPI_\w+)", CMAKE_TEXT))
OPTIONS = {name for names in OPTIONS for name in names if name}
SPACK = SOURCES / "packaging/spack/package.py"
EASYBUILD = next((SOURCES / "packaging/easybuild").glob("*.eb"))


class Recipes(unittest.TestCase):
    def test_the_spack_package(self):
        text = SPACK.read_text(encoding="utf-8")
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        named = [(call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id, call.args) for call in calls]
        first = {name: [args[0].value for called, args in named if called == name and isinstance(args[0], ast.Constant)]
                 for name in ("version", "define", "define_from_variant", "variant", "depends_on")}
        self.assertEqual(first["version"], [VERSION])
        self.assertGreaterEqual(len(first["define"] + first["define_from_variant"]), 3)
        for option in first["define"] + first["define_from_variant"]:
            self.assertIn(option, OPTIONS)
        of_variants = [args[1].value for called, args in named if called == "define_from_variant"]
        self.assertEqual(of_variants, first["variant"])
        self.assertIn(f"cmake@{OLDEST_CMAKE}:", first["depends_on"])
        self.assertEqual(set(re.findall(r"\d+[.]\d+[.]\d+", text)), {VERSION})
        self.assertIn('build_targets = ["installed"]', text)
        compilers = {"c", "cxx", "fortran", f"cmake@{OLDEST_CMAKE}:"}
        self.assertEqual(set(first["depends_on"]), {spack for _, spack, _ in WANTED} | compilers)

    def test_dependencies_are_looked_for(self):
        for name, *_ in WANTED:
            self.assertRegex(FOUND, rf"(find_package|pkg_check_modules|find_program)\({name} ")

    def test_the_easybuild_file(self):
        known = {"SHLIB_EXT": "so"}
        exec(compile(EASYBUILD.read_text(encoding="utf-8"), EASYBUILD, "exec"), known)
        chain = known["toolchain"]
        self.assertEqual(known["version"], VERSION)
        self.assertEqual(EASYBUILD.name, f"{known['name']}-{VERSION}-{chain['name']}-{chain['version']}.eb")
        given = re.findall(r"-D(\w+)=", known["configopts"])
        self.assertGreaterEqual(len(given), 2)
        for option in given:
            self.assertIn(option, OPTIONS)
        cmake = [version for name, version, *_ in known["builddependencies"] if name == "CMake"]
        self.assertGreaterEqual(tuple(map(int, cmake[0].split("."))), tuple(map(int, OLDEST_CMAKE.split("."))))
        given = {name for name, *_ in known["builddependencies"] + known["dependencies"]}
        self.assertEqual(given - {"CMake", "Ninja"}, {name for *_, name in WANTED if name})
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run([CMAKE, "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
            for file in known["sanity_check_paths"]["files"]:
                self.assertTrue((Path(prefix) / file).is_file(), file)
            for folder in known["sanity_check_paths"]["dirs"]:
                self.assertTrue((Path(prefix) / folder).is_dir(), folder)
            for command in known["sanity_check_commands"]:
                subprocess.run(f"{prefix}/bin/{command}", shell=True, check=True, stdout=subprocess.DEVNULL)

    def test_the_page_names_presets_and_targets_that_there_are(self):
        page = (SOURCES / "packaging/README.md").read_text(encoding="utf-8")
        presets = set(re.findall(r'"name": "([\w-]+)"', (SOURCES / "CMakePresets.json").read_text(encoding="utf-8")))
        named = re.findall(r"(?:build/|--preset )([\w-]+)", page)
        self.assertGreaterEqual(len(named), 4)
        self.assertLessEqual({*named, "release-mpich"}, presets)
        for option in re.findall(r"-D(\w+)=", page):
            self.assertIn(option, OPTIONS)
        self.assertEqual(set(re.findall(r"\d+[.]\d+[.]\d+", page)), {VERSION})
        self.assertIn("add_custom_target(installed", CMAKE_TEXT)
        self.assertIn(EASYBUILD.name, page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
