# SPDX-License-Identifier: BSD-3-Clause
"""Every option and every key that the programs take has a row in docs/; the tables of options are what --help says.

usage: reference_test.py SOURCE_FOLDER foretile foretile-run

Keys are those that the programs list where they find an unknown one. A row is of the names in code font in its first cell.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

SOURCE, FORETILE, RUN = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
DOCS = SOURCE / "docs"
STRATEGIES = ("stationary-b", "local-b", "stationary-c", "grid-3d", "owner-b", "owner-computes-c")
UNKNOWN = "zzzz"
LONGEST_MEANING = 35  # words, with range, default and what it excludes


def spelled_out(code):
    """The names of "a.{b,c}"."""
    braces = re.fullmatch(r"(.*)\{(.*)\}", code)
    return [braces[1] + name for name in braces[2].split(",")] if braces else [code]


def names_in(cell):
    """With the part before the dot that a name has from the one before it; "x.*" is all in x, and so is "[x]"; "_8 to _64" is a range."""
    names, before = set(), ""
    for code in re.findall(r"`([^`]+)`", cell):
        for name in spelled_out(code):
            names |= {name.strip("[]"), before + name.lstrip(".")}
            if name.startswith("["):
                names.add(name.strip("[]") + ".*")
            before = name[:name.rfind(".") + 1] if "." in name.lstrip(".") else before
    return names | {re.sub(r"\d+$", "N", name) for name in names if " to `" in cell}


def rows_of(page):
    """The names in first cells of all tables."""
    lines = [line for line in (DOCS / page).read_text().splitlines() if line.startswith("|")]
    return set().union(*(names_in(re.split(r"(?<!\\)\|", line)[1]) for line in lines))


def has_row(name, rows):
    tables = [name[:at.start()] for at in re.finditer(r"\.", name)]
    return name in rows or re.sub(r"\d+$", "N", name) in rows or any(f"{table}.*" in rows for table in tables)


def write_npy(path, rows, columns):
    head = f"{{'descr': '<f8', 'fortran_order': True, 'shape': ({rows}, {columns}), }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + bytes(8 * rows * columns))


class Keys(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def call(self, *command):
        return subprocess.run([*map(str, command)], cwd=self.path, capture_output=True, text=True, timeout=60, check=False)

    def known(self, *command):
        """The keys that the error about an unknown one lists."""
        said = self.call(*command).stderr.splitlines()
        listed = re.search(r"unknown key .*Known keys: (.*?)(?:; see docs/\S+)?$", said[-1] if said else "")
        self.assertTrue(listed, f"{command}: found '{said}', expected known keys")
        return listed[1].split(", ")

    def written(self, text):
        (self.path / "x.toml").write_text(text)
        return "x.toml"

    def check(self, page, names):
        self.assertGreater(len(names), 0)
        rows = rows_of(page)
        self.assertEqual([name for name in sorted(names) if not has_row(name, rows)], [], f"docs/{page} has no row of these")
        print(f"{page}: {len(names)} keys", file=sys.stderr)

    def platform_keys(self, table):
        """Those in the table; a table in it lists its own. Tables are two deep, as in device.kernel."""
        for name in self.known(FORETILE, "platform", "show", "summit", "--set", f"{table}.{UNKNOWN}=1"):
            is_deep = table.count(".") == 2
            if not is_deep and f"Known keys: {name}." in self.call(FORETILE, "platform", "show", "summit", "--set", f"{name}.{UNKNOWN}=1").stderr:
                yield from self.platform_keys(name)
            else:
                yield name.removeprefix("platform.")

    def test_of_platforms(self):
        text = (DOCS / "platforms.md").read_text()
        links = re.findall(r"`\[(\w+)\]`", next(line for line in text.splitlines() if line.startswith("| `nvlink.latency`")))
        self.assertGreater(len(links), 2)
        rows = {re.sub(rf"^({'|'.join(links)})\.", "nvlink.", name) for name in self.platform_keys("platform")}
        self.check("platforms.md", {name.replace(f"link.{UNKNOWN}.", "link.NAME.") for name in rows})

    def problem_texts(self):
        """A problem of each kind."""
        write_npy(self.path / "a.npy", 4, 4)
        xyz = SOURCE / "examples/h2o12.xyz"
        for kind, arguments in {
                "dense": ("--m", 4, "--n", 4, "--k", 4, "--tile", 2), "random": ("--m", 2048, "--n", 2048, "--k", 2048),
                "molecule": ("--xyz", xyz), "matrices": ("--a", "a.npy", "--b", "a.npy"),
                "tensor": ("R[ij,ab] += V[ij,cd] T[cd,ab]", "--index", "abcd=4", "--index", "ij=2", "--tile", 2, "--operand", "V:density=0.5")}.items():
            done = self.call(FORETILE, "problem", kind, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            yield kind, done.stdout
        yield "tiles", 'kind = "tiles"\nm_tiles = [2]\nn_tiles = [2]\nk_tiles = [2]\na = [[0, 0]]\nb = [[0, 0]]\n'

    def test_of_problems(self):
        names = set()
        for _, text in self.problem_texts():
            names |= set(self.known(FORETILE, "show", self.written(f"{UNKNOWN} = 1\n{text}")))
            for table in sorted(set(re.findall(r"^\[\[\w+\]\]$", text, re.M))):
                names |= set(self.known(FORETILE, "show", self.written(text.replace(table, f"{table}\n{UNKNOWN} = 1", 1))))
        self.check("problems.md", names)

    def test_of_tilings(self):
        names = set()
        for kind, text in self.problem_texts():
            if kind != "tiles":
                names |= set(self.known(FORETILE, "plan", self.written(text), "--set", f"problem.{UNKNOWN}=1"))
        self.check("problems.md", {name.removeprefix("problem.") for name in names})

    def test_of_strategies(self):
        (self.path / "p.toml").write_text(dict(self.problem_texts())["dense"])
        names = {"strategy"}
        for strategy in STRATEGIES:
            names |= set(self.known(FORETILE, "plan", "p.toml", "--platform", "summit", "--nodes", 1, "--set", f"strategy={strategy}",
                                    "--set", f"{UNKNOWN}=1"))
        self.check("strategies.md", names)

    def test_of_search_spaces(self):
        (self.path / "p.toml").write_text(dict(self.problem_texts())["dense"])
        tune = (FORETILE, "tune", "p.toml", "--count", 1, "--space")
        names = set(self.known(*tune, self.written(f"{UNKNOWN} = 1\n")))
        names |= set(self.known(*tune, self.written(f'[parameters]\n"grid.p" = {{{UNKNOWN} = 1, from = 1, to = 2, steps = 2}}\n')))
        self.check("tuning.md", names)


class Options(unittest.TestCase):
    def reference(self, folder, *arguments):
        return subprocess.run([folder / "scripts/reference", *arguments, FORETILE, RUN], capture_output=True, text=True, timeout=60, check=False)

    def test_tables_are_those_of_help(self):
        done = self.reference(SOURCE, "--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        print(done.stdout, file=sys.stderr)

    def test_stale_missing_and_second_tables_are_found(self):
        page = (DOCS / "commands.md").read_text()
        row = re.search(r"^\| `--nodes N` .*\n", page, re.M)[0]
        table = re.search(r"<!-- options: foretile compare -->.*?<!-- end of options -->", page, re.S)[0]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copytree(DOCS, folder / "docs")
            (folder / "scripts").mkdir()
            shutil.copy(SOURCE / "scripts/reference", folder / "scripts")
            for wrong, message in ((page.replace(row, ""), "docs/commands.md: the table of * is not what --help says; run scripts/reference"),
                                   (page.replace(table, ""), "found no table of foretile compare"),
                                   (page + table, "found a table of foretile compare, expected no second one"),
                                   (page.replace("options: foretile compare", "options: foretile compere"), "found a table of foretile compere")):
                (folder / "docs/commands.md").write_text(wrong)
                done = self.reference(folder, "--check")
                self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
                self.assertIn(message, done.stderr)
                self.assertEqual((folder / "docs/commands.md").read_text(), wrong)
            (folder / "docs/commands.md").write_text(page.replace(row, ""))
            self.assertEqual(self.reference(folder).returncode, 0)
            self.assertEqual((folder / "docs/commands.md").read_text(), page)

    def test_rows_are_short_and_name_their_values(self):
        for page in DOCS.rglob("*.md"):
            for table in re.findall(r"<!-- options: .+? -->\n(.*?)<!-- end of options -->", page.read_text(), re.S):
                for row in table.splitlines():
                    cells = re.split(r"(?<!\\)\|", row)[1:-1]
                    if cells:
                        self.assertLessEqual(len(cells[-1].split()), LONGEST_MEANING, row)
                        self.assertNotRegex(cells[0], r"TEXT|INT\b|FLOAT", row)

    def test_lines_fit_the_terminal(self):
        for columns, most in ((80, 80), (120, 120), (30, 60)):
            for command in ("simulate", "problem molecule", "tune"):
                done = subprocess.run([FORETILE, *command.split(), "--help"], capture_output=True, text=True, timeout=60, check=True,
                                      env={**os.environ, "COLUMNS": str(columns)})
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), most)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
