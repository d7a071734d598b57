# SPDX-License-Identifier: BSD-3-Clause
"""Runs what README, CONTRIBUTING and docs show, and compares what the programs print with the pages.

usage: snippets_test.py SOURCE_FOLDER foretile foretile-run|none [--mpiexec=PROGRAM] [--fill] [GROUP or GROUP.TEST...]

Groups: Rules, Reference, Tutorials, HowTo, Results. A page is refused that shows code otherwise than so:

  - Code stands between fences with a language; a line outside that begins with four blanks is refused.
  - ```console: lines that begin with "$ " are run one after the other, in a folder of the page with examples/ and scripts/. The
    lines behind a command are its output, in which a line "..." stands for any number of lines. Without them the exit code counts.
  - ```text: a drawing, a formula, a layout; no commands.
  - Any other language: the block is a file that a later command of the page names, or is in a file of the source folder.

Comments directly above a block say more:

  <!-- varies -->            numbers and their units depend on the machine and are not compared; there may be more warnings
  <!-- exits: N -->          exit code of the block's last command; 0 unless given
  <!-- not run: REASON -->   the block is shown only
  <!-- file: NAME -->        the block is written to this file
  <!-- from: PATH -->        the block's lines are in this file of the source folder, in this order and without gaps

<!-- page not run: REASON --> says so for all commands of a page of docs/results/. tests/scripts/docs_test.py looks in all
commands, run or not, for programs, scripts, options and parameters that are not there.

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
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").rglob("*.md"))]
COMMENT = re.compile(r"<!-- ([a-z ]+?)(?:: (.*))? -->")
PAGE_NOT_RUN = re.compile(r"^<!-- page not run: \S.* -->$", re.M)
OF_COMMANDS, OF_FILES = {"varies", "exits", "not run"}, {"file", "from"}
COMMAND = re.compile(r"\s*(?:\$ |foretile(?:-run)? |mpiexec |cmake |ctest |python3 |(?:scripts|studies|build)/)")


class Block:
    """What stands between two fences."""

    def __init__(self, language, marks, line):
        self.language, self.marks, self.line, self.lines = language, marks, line, []


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
            block = Block(fence[1], marks, number)
        elif COMMENT.fullmatch(line):
            name, value = COMMENT.fullmatch(line).groups()
            marks[name] = value or ""
        else:
            marks = {}
    return found


def faults_of(text):
    """Pairs of a line of a page and what the rules refuse there."""
    blocks = blocks_of(text)
    inside = {number for block in blocks for number in range(block.line, block.line + len(block.lines) + 2)}
    for number, line in enumerate(text.splitlines(), 1):
        if number not in inside and re.match(r" {4}|\t|\s*(?:```|~~~)", line):
            yield number, "found code, expected it between ``` and a language, and ```"
    for at, block in enumerate(blocks, 1):
        for fault in faults_of_block(block, blocks[at:]):
            yield block.line, fault


def faults_of_block(block, later):
    language, marks = block.language, set(block.marks)
    if not language:
        yield "found no language"
        return
    if wrong := marks - (OF_COMMANDS if language == "console" else OF_FILES):
        yield f"found {sorted(wrong)} above {language}"
    if block.marks.get("not run") == "":
        yield "found no reason"
    if language == "console":
        if not block.lines or not block.lines[0].startswith("$ "):
            yield 'found no command, expected a line that begins with "$ "'
    elif "file" in marks:
        commands = [command for other in later if other.language == "console" for command, _ in commands_of(other)]
        if not any(block.marks["file"] in command for command in commands):
            yield f"found no command behind it that names {block.marks['file']}"
    elif language == "text":
        if any(COMMAND.match(line) for line in block.lines):
            yield "found a command, expected console"
    elif "from" not in marks:
        yield f"found {language} that nothing reads, expected file or from above it"


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


def without_numbers(text):
    """Numbers, with their units, digests and names of kernels become #; blanks, which align columns, become one."""
    text = re.sub(r"(?<=OpenBLAS )\w+", "#", text)
    text = re.sub(r"\b(?=\w*\d)[0-9a-f]{16}\b", "#", text)
    text = re.sub(r"(?<![\w.])[-+]?\d[\d.,]*(?:e[-+]?\d+)?(?:%|(?: (?:[num]?s|[kMGT]i?B|B|[kMGT]?flop)(?:/s)?\b))?", "#", text)
    return re.sub(r" +", " ", text)


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
        (folder / "work" / "scripts").symlink_to(SOURCE / "scripts")
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
        if PAGE_NOT_RUN.search(self.text):
            return
        for block in blocks_of(self.text):
            place = f"{self.page.relative_to(SOURCE)}:{block.line}"
            if "file" in block.marks:
                (self.folder / "work" / block.marks["file"]).write_text("\n".join(block.lines) + "\n")
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
            elif shown:
                shown, printed = normal("\n".join(shown)), normal(printed)
                if "varies" in block.marks:
                    shown, printed = without_numbers(shown), without_numbers(printed)
                    printed = "".join(line for line in printed.splitlines(True) if ": warning: " not in line or line in shown)
                test.assertTrue(re.fullmatch(pattern_of(shown.splitlines()), printed), f"{said}\n{shown}\nexpected of\n{printed}")


class Rules(unittest.TestCase):
    maxDiff = None

    def test_pages_keep_the_rules(self):
        self.assertGreater(len(PAGES), 0)
        for page in PAGES:
            text, name = page.read_text(), page.relative_to(SOURCE)
            self.assertEqual([], [f"{name}:{line}: {fault}" for line, fault in faults_of(text)])
            self.assertFalse(PAGE_NOT_RUN.search(text) and page.parent.name != "results", f"{name}: expected commands that are run")

    def test_lines_from_sources_are_there(self):
        for page in PAGES:
            for block in blocks_of(page.read_text()):
                if "from" in block.marks:
                    source = (SOURCE / block.marks["from"]).read_text()
                    place = f"{page.relative_to(SOURCE)}:{block.line}"
                    self.assertIn("\n".join(block.lines) + "\n", source, f"{place}: not in {block.marks['from']}")

    def test_what_breaks_a_rule_is_refused(self):
        used = "```console\n$ foretile show a.toml\n```\n"
        for right in (used, f"<!-- file: a.toml -->\n```toml\nm = 1\n```\n{used}", "```text\na -> b\n```\n",
                      "<!-- from: a.cpp -->\n```cpp\nint a;\n```\n", f"<!-- not run: takes hours -->\n{used}",
                      f"<!-- varies -->\n<!-- exits: 2 -->\n{used}"):
            self.assertEqual([], list(faults_of(right)), right)
        for wrong in ("    foretile show a.toml\n", "```\nm = 1\n```\n", "```toml\nm = 1\n```\n", "~~~toml\nm = 1\n~~~\n",
                      "```console\n", "```console\nforetile show a.toml\n```\n", "```text\nforetile show a.toml\n```\n",
                      "```text\n  $ ls\n```\n",
                      f"<!-- file: b.toml -->\n```toml\nm = 1\n```\n{used}", f"{used}<!-- file: a.toml -->\n```toml\nm = 1\n```\n",
                      f"<!-- not run -->\n{used}", f"<!-- not ran: why -->\n{used}", f"<!-- from: a.sh -->\n{used}",
                      "<!-- not run: why -->\n```toml\nm = 1\n```\n", "<!-- file: a.toml -->\n\n```toml\nm = 1\n```\n" + used):
            self.assertNotEqual([], list(faults_of(wrong)), wrong)

    def test_comparing_notices_what_differs(self):
        pattern = pattern_of(["a 1", "...", "b 2"])
        for right in ("a 1\nb 2\n", "a 1\nx\n\ny\nb 2\n"):
            self.assertTrue(re.fullmatch(pattern, right), right)
        for wrong in ("a 1\n", "a 2\nb 2\n", "a 1\nb 2\nc\n", "x\na 1\nb 2\n"):
            self.assertFalse(re.fullmatch(pattern, wrong), wrong)

    def test_what_varies_are_numbers_alone(self):
        shown = without_numbers("measured   892 ms (-5.2%), digest 0123456789abcdef\n")
        self.assertEqual(shown, without_numbers("measured  1.2 s (+31%), digest fedcba9876543210\n"))
        for other in ("measured   892 MW (-5.2%), digest 0123456789abcdef\n", "took   892 ms (-5.2%), digest 0123456789abcdef\n"):
            self.assertNotEqual(shown, without_numbers(other))


class Reference(unittest.TestCase):
    """README, CONTRIBUTING and the pages directly in docs/."""


class Tutorials(unittest.TestCase):
    pass


class HowTo(unittest.TestCase):
    pass


class Results(unittest.TestCase):
    pass


GROUPS = {"tutorials": Tutorials, "how-to": HowTo, "results": Results}


def test_of(page):
    def test(self):
        with tempfile.TemporaryDirectory() as folder:
            Page(page, pathlib.Path(folder)).check(self)
    return test


for one in PAGES:
    setattr(GROUPS.get(one.parent.name, Reference), f"test_{one.stem}".replace("-", "_"), test_of(one))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + [name for name in sys.argv[4:] if not name.startswith("--")], verbosity=2)
