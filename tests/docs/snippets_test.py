# SPDX-License-Identifier: BSD-3-Clause
"""Runs what tutorials and how-to pages show, and compares what the programs print with the pages.

usage: snippets_test.py SOURCE_FOLDER foretile foretile-run|none [--mpiexec=PROGRAM] [--fill] [TEST...]

Each page has a scratch folder with a copy of examples/. In ```console blocks, lines that begin with "$ " are run one after
the other; the lines behind a command are its output, in which a line "..." stands for any number of lines. Comments directly above a
block say more:

  <!-- varies -->            the output depends on the machine: exit codes alone are compared
  <!-- exits: N -->          exit code of the block's last command; 0 unless given
  <!-- not run: REASON -->   the block is shown only
  <!-- file: NAME -->        the block, of any language, is written to this file
  <!-- from: PATH -->        the block's lines are in this file of the source folder, in this order and without gaps

--fill replaces an output that is the line "?" by what the command printed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, FORETILE, RUN = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3]
FILL = "--fill" in sys.argv
MPIEXEC = next((word[10:] for word in sys.argv if word.startswith("--mpiexec=")), None)
PAGES = [page for kind in ("tutorials", "how-to") for page in sorted((SOURCE / "docs" / kind).glob("*.md"))]
COMMENT = re.compile(r"<!-- ([a-z ]+?)(?:: (.*))? -->")
KNOWN = {"varies", "exits", "not run", "file", "from"}


class Block:
    """What stands between two fences."""

    def __init__(self, language, marks, line, begin):
        self.language, self.marks, self.line, self.begin, self.lines = language, marks, line, begin, []


def blocks_of(text):
    """In the order of the page; fences may be indented."""
    found, marks, block = [], {}, None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"\s*```(\w*)$", line)
        if block is not None:
            if fence:
                found.append(block)
                block, marks = None, {}
            else:
                block.lines.append(line)
        elif fence:
            block = Block(fence[1], marks, number, number)
        elif COMMENT.fullmatch(line):
            name, value = COMMENT.fullmatch(line).groups()
            marks[name] = value or ""
        else:
            marks = {}
    return found


def commands_of(block):
    """Pairs of a command and its output; a command goes on behind a backslash."""
    found = []
    for line in block.lines:
        if found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1][0] = found[-1][0] + "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], []])
        else:
            found[-1][1].append(line)
    return found


def pattern_of(lines):
    return "".join(r"(?:.*\n)*" if line.strip() == "..." else re.escape(line.rstrip()) + "\n" for line in lines)


def normal(text):
    """Without blanks at the ends of lines, and without empty lines at both ends."""
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return "".join(line + "\n" for line in lines)


class Page:
    """Runs the blocks of a page in its scratch folder."""

    def __init__(self, page, folder):
        self.page, self.folder, self.text = page, folder, page.read_text()
        (folder / "work").mkdir()
        (folder / "bin").mkdir()
        shutil.copytree(SOURCE / "examples", folder / "work" / "examples")
        (folder / "bin" / "foretile").symlink_to(FORETILE.resolve())
        if RUN != "none":
            (folder / "bin" / "foretile-run").symlink_to(pathlib.Path(RUN).resolve())
        self.add_program("python3", sys.executable)  # the one that has NumPy
        if MPIEXEC:
            self.add_program("mpiexec", MPIEXEC)
        self.environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
                            "XDG_CONFIG_HOME": str(folder / "configuration")}

    def add_program(self, name, path):
        """A script, not a link: both look for their parts beside the path of their start."""
        script = self.folder / "bin" / name
        script.write_text(f'#!/bin/sh\nexec "{path}" "$@"\n')
        script.chmod(0o755)

    def run(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder / "work", env=self.environment, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout

    def check(self, test):
        for block in blocks_of(self.text):
            place = f"{self.page.relative_to(SOURCE)}:{block.line}"
            test.assertLessEqual(set(block.marks), KNOWN, f"{place}: unknown comment")
            test.assertNotEqual(block.marks.get("not run"), "", f"{place}: no reason")
            if "file" in block.marks:
                (self.folder / "work" / block.marks["file"]).write_text("\n".join(block.lines) + "\n")
            elif "from" in block.marks:
                source = (SOURCE / block.marks["from"]).read_text()
                test.assertIn("\n".join(block.lines), source, f"{place}: not in {block.marks['from']}")
            elif block.language == "console" and "not run" not in block.marks:
                if RUN == "none" and any("foretile-run" in line for line in block.lines):
                    return  # later blocks may need what this one writes
                self.check_commands(test, block, place)

    def check_commands(self, test, block, place):
        commands = commands_of(block)
        for number, (command, shown) in enumerate(commands, 1):
            code, printed = self.run(command)
            expected = int(block.marks.get("exits", 0)) if number == len(commands) else 0
            said = f"{place}: $ {command}\nprinted:\n{printed}"
            test.assertEqual(code, expected, said)
            if shown == ["?"] and FILL:
                self.page.write_text(self.page.read_text().replace(f"$ {command}\n?\n", f"$ {command}\n{normal(printed)}", 1))
            elif "varies" not in block.marks:
                pattern = pattern_of(normal("\n".join(shown)).splitlines())
                test.assertTrue(re.fullmatch(pattern, normal(printed)), f"{said}\nthe page shows:\n" + "\n".join(shown))


class Snippets(unittest.TestCase):
    maxDiff = None

    def test_there_are_pages(self):
        self.assertGreater(len(PAGES), 0)

    def test_comparing_notices_what_differs(self):
        pattern = pattern_of(["a 1", "...", "b 2"])
        for right in ("a 1\nb 2\n", "a 1\nx\n\ny\nb 2\n"):
            self.assertTrue(re.fullmatch(pattern, right), right)
        for wrong in ("a 1\n", "a 2\nb 2\n", "a 1\nb 2\nc\n", "x\na 1\nb 2\n"):
            self.assertFalse(re.fullmatch(pattern, wrong), wrong)


def test_of(page):
    def test(self):
        with tempfile.TemporaryDirectory() as folder:
            Page(page, pathlib.Path(folder)).check(self)
    return test


for one in PAGES:
    setattr(Snippets, f"test_{one.parent.name}_{one.stem}".replace("-", "_"), test_of(one))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + [name for name in sys.argv[4:] if not name.startswith("--")], verbosity=2)
