# SPDX-License-Identifier: BSD-3-Clause
"""README and docs name only files, sections and options that are there, all options of the programs and all public headers.

usage: docs_test.py SOURCE_FOLDER foretile [foretile-run]
"""
import pathlib
import re
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
PLACEHOLDERS = re.compile(r"NAME|KIND|TARGET|TERM")


def source_files():
    """Below the folders that docs write about, with and without the ending."""
    names = set()
    for path in SOURCE.rglob("*"):
        relative = path.relative_to(SOURCE)
        if relative.parts[0] in ("build", ".git"):
            continue
        names.add(str(relative))
        names.add(str(relative.with_suffix("")))
    return names


def sections(text):
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def help_of(*command):
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def options():
    """Of all commands of the programs, and of their commands."""
    found = set()
    waiting = [[program] for program in PROGRAMS]
    while waiting:
        command = waiting.pop()
        text = help_of(*command)
        found |= set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
        listed = text.split("Subcommands:")[1] if "Subcommands:" in text else ""
        waiting += [[*command, name] for name in re.findall(r"^  ([a-z]+) ", listed, re.M)]
    return found - {"--help", "--version"}


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
    def test_options_that_are_named_exist_and_all_are_named(self):
        known = options()
        for page, text in TEXTS.items():
            if page.name in PAGES_OF_SCRIPTS or page.parent.name == "results" or page.name == "CONTRIBUTING.md":
                continue
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
            self.assertEqual(named - known - OTHERS, set(), page)
        everything = "\n".join(TEXTS.values())
        for option in sorted(known):
            key = option[2:].replace("-", "_")  # options of problems are keys of their files
            self.assertTrue(re.search(re.escape(option) + r"(?![\w-])", everything) or f"`{key}`" in everything,
                            f"docs do not name {option}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
