# SPDX-License-Identifier: BSD-3-Clause
"""README and docs name only files, sections, options and commands that are there, all options of the programs and all
public headers.

usage: docs_test.py SOURCE_FOLDER foretile [foretile-run]
"""
import functools
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

SOURCE, PROGRAMS = pathlib.Path(sys.argv[1]), sys.argv[2:]
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").rglob("*.md"))]
TEXTS = {page: page.read_text() for page in PAGES}
# Of cmake, of Slurm and of our scripts, whose options these pages have too.
OTHERS = {"--ntasks-per-node", "--cpus-per-task", "--mem", "--mpi", "--time",
          "--build", "--install", "--prefix", "--preset", "--pack", "--parallel", "--gtest", "--fix", "--help", "--version"}
PAGES_OF_SCRIPTS = {"testing.md", "gpu.md"}
PROGRAM = r"(?:\S*/)?foretile(?:-run)?|(?:scripts|studies|build/release)/\S*\w"
PLACEHOLDERS = re.compile(r"NAME|KIND|TARGET|TERM")


def source_paths():
    return [path for path in SOURCE.rglob("*") if path.relative_to(SOURCE).parts[0] not in ("build", ".git")]


def source_files():
    """Below the folders that docs write about, with and without the ending."""
    names = {path.relative_to(SOURCE) for path in source_paths()}
    return {str(name) for name in names} | {str(name.with_suffix("")) for name in names}


def text_of(path):
    return path.read_text(errors="ignore") if path.is_file() else ""


SOURCES = "".join(text_of(path) for path in source_paths()
                  if path.suffix in (".cpp", ".hpp", ".cu", ".py", ".txt", ".cmake") and path.name != "docs_test.py")


def sections(text):
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@functools.cache
def help_of(*command):
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def commands_below(*command):
    text = help_of(*command)
    return re.findall(r"^  ([a-z]+) ", text.split("Subcommands:")[1], re.M) if "Subcommands:" in text else []


def options():
    """Of all commands of the programs, and of their commands."""
    found = set()
    waiting = [[program] for program in PROGRAMS]
    while waiting:
        command = waiting.pop()
        found |= options_in(help_of(*command))
        waiting += [[*command, name] for name in commands_below(*command)]
    return found - {"--help", "--version"}


def commands_in(text):
    """Lists of words: commands that a page shows in blocks and within lines, each without what stands before its program."""
    text = re.sub(r"^<!-- exits: 2 -->\n(?:<!--.*-->\n)*```console\n.*?^```", "", text, flags=re.M | re.S)  # shows a wrong command
    shown = re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)
    lines = re.findall(r"^\$ (.*)$", "".join(shown).replace("\\\n", " "), re.M)
    lines += "".join(re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)).splitlines()
    lines += re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    for line in lines:
        try:
            words = shlex.split(line.replace("\\|", "|"), comments=True)
        except ValueError:
            continue  # output, or words with an apostrophe
        at = [*(at for at, word in enumerate(words) if re.fullmatch(PROGRAM, word)), len(words)]
        for begin, end in zip(at, at[1:]):
            yield [word.strip("[];") for word in words[begin:end]]


def wrong_in(words):
    """What is not there of a command: its script or target of CMake, an option, or a parameter that it sets."""
    path, named = SOURCE / words[0], options_in(" ".join(word.split("=")[0] for word in words))
    for program in PROGRAMS:
        if pathlib.Path(program).name == path.name:
            command = [program]
            for word in words[1:]:
                if word not in commands_below(*command):
                    break
                command.append(word)
            keys = [word.split("=")[0].split(".")[-1] for before, word in zip(words, words[1:]) if before == "--set"]
            known = options() if "..." in words else options_in(help_of(*command))
            return named - known | {key for key in keys if key.islower() and not re.search(rf"\b{key}\b", SOURCES)}
    if words[0].startswith("build/release/"):
        return {words[0]} if not re.search(rf"\b{path.name}\b", SOURCES) else set()
    if not path.is_file():
        return {words[0]}
    beside = "".join(text_of(one) for one in (*path.parent.rglob("*"), *(SOURCE / "studies").glob("*.py")))
    return {option for option in named if option not in beside}


def paragraphs(text):
    """Without code, tables, headings and pictures; each item of a list is one."""
    text = re.sub(r"```.*?```", "", re.sub(r"^    .*$", "", text, flags=re.M), flags=re.S)
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.split("\n") if line.strip() and not line.startswith(("|", "#", "<", "!"))]
        for item in re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", "\n".join(lines)):
            yield item


def words(text):
    return len(re.findall(r"[\w'`./-]+", re.sub(r"\]\([^)]*\)", "]", text)))


class Docs(unittest.TestCase):
    def test_sentences_are_short(self):
        """At most 30 words, but in the results of studies."""
        for page, text in TEXTS.items():
            if "results" in page.parts:
                continue
            for paragraph in paragraphs(text):
                for sentence in re.split(r"(?<=[.:!?])\s+(?=[A-Z`(*]|foretile )", " ".join(paragraph.split())):
                    self.assertLessEqual(words(sentence), 30, f"{page.relative_to(SOURCE)}: split this sentence:\n{sentence}")

    def test_paragraphs_are_short(self):
        """At most 100 words, but in the results of studies."""
        for page, text in TEXTS.items():
            if "results" in page.parts:
                continue
            for paragraph in paragraphs(text):
                self.assertLessEqual(words(paragraph), 100, f"{page.relative_to(SOURCE)}: split this paragraph:\n{paragraph}")

    def test_pages_are_short(self):
        """At most 1500 words, but in the reference, which is not read from its begin to its end."""
        parts = re.split(r"^  - (.+):$", (SOURCE / "mkdocs.yml").read_text(), flags=re.M)
        pages = {title: re.findall(r"^      - (\S+)$", listed, re.M) for title, listed in zip(parts[1::2], parts[2::2])}
        for page in pages["Tutorials"] + pages["How to"] + pages["Explanation"]:
            self.assertLessEqual(words(TEXTS[SOURCE / "docs" / page]), 1500, page)

    def test_links_lead_to_files_and_sections(self):
        for page, text in TEXTS.items():
            for link, section in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", text):
                if link.startswith("http"):
                    continue
                target = page.parent / link if link else page
                self.assertTrue(target.exists(), f"{page}: link to {link}")
                if section:
                    self.assertIn(section, sections(target.read_text()), f"{page}: section of {target}")

    def test_files_that_are_named_are_there(self):
        names = source_files()
        for page, text in TEXTS.items():
            for name in re.findall(r"`([A-Za-z_.][\w.-]*(?:/[\w.-]+)+)`", text):
                if name.startswith(("build/", "kept/", "examples.")) or PLACEHOLDERS.search(name):
                    continue
                self.assertTrue(any(one == name or one.endswith("/" + name) for one in names), f"{page}: {name}")

    def test_pages_that_errors_name_are_there(self):
        pages = re.findall(r'"(docs/[^"]+)"', (SOURCE / "base/error.cpp").read_text())
        self.assertGreater(len(pages), 0)
        for page in pages:
            self.assertTrue((SOURCE / page).is_file(), page)

    def test_reference_has_the_headers_of_the_library(self):
        table = TEXTS[SOURCE / "docs/library.md"].split("\n## Headers\n")[1].split("\n## ")[0]
        listed = set(re.findall(r"^    ([\w/]+\.h(?:pp)?)", (SOURCE / "Doxyfile").read_text(), re.M))
        self.assertLessEqual(set(re.findall(r"`([\w/]+\.h(?:pp)?)`", table)), listed)
        for name in sorted(listed):
            self.assertIn("@file", (SOURCE / name).read_text(), f"{name}: Doxygen leaves out functions of files without it")

    @unittest.skipIf(len(PROGRAMS) < 2, "not all programs were built")
    def test_commands_that_are_shown_are_there(self):
        """All of them: tests/docs/snippets_test.py does not run each."""
        commands = [(page, words) for page, text in TEXTS.items() for words in commands_in(text)]
        self.assertGreater(len(commands), 200)
        found = [(page.relative_to(SOURCE), words, wrong_in(words)) for page, words in commands]
        self.assertEqual([], [f"{page}: {wrong} of {' '.join(words)}" for page, words, wrong in found if wrong])

    def test_commands_that_are_not_there_are_noticed(self):
        for right in ("foretile plan c12 --nodes 2 --set problem.tile=2", "scripts/site", "build/release/planner_tests -h"):
            self.assertEqual([set()], [wrong_in(words) for words in commands_in(f"`{right}`")], right)
        for wrong in ("foretile plan c12 --nodez 2", "foretile simulate c12 --set problem.tail_tile=2", "scripts/sight",
                      "studies/rr9365/fit --chekc", "build/release/planner_testz"):
            for text in (f"`{wrong}`", f"```console\n$ mpiexec -n 2 {wrong}\n```\n"):
                self.assertEqual([False], [wrong_in(words) == set() for words in commands_in(text)], text)

    def test_variables_that_are_named_are_read(self):
        for page, text in TEXTS.items():
            for name in re.findall(r"\bFORETILE_[A-Z_]+\b", text):
                self.assertTrue(name in SOURCES, f"{page}: {name}")

    @unittest.skipIf(len(PROGRAMS) < 2, "not all programs were built")
    def test_options_that_are_named_exist_and_all_are_named(self):
        known = options()
        for page, text in TEXTS.items():
            if page.name in PAGES_OF_SCRIPTS or page.parent.name == "results" or page.name == "CONTRIBUTING.md":
                continue
            self.assertEqual(options_in(text) - known - OTHERS, set(), page)
        everything = "\n".join(TEXTS.values())
        for option in sorted(known):
            key = option[2:].replace("-", "_")  # options of problems are keys of their files
            self.assertTrue(re.search(re.escape(option) + r"(?![\w-])", everything) or f"`{key}`" in everything,
                            f"docs do not name {option}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
