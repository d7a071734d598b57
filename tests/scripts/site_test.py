# SPDX-License-Identifier: BSD-3-Clause
"""The site of the documentation is built without warnings and asks no other host for anything. It has the reference of functions.
Dead links are refused, and names in public headers without a comment.

usage: site_test.py SOURCE_FOLDER
"""
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
OTHER_HOST = re.compile(r"^\s*(https?:)?//")
# In scripts of the theme, which asks for these only where a page has a diagram of Mermaid or the address of a repository.
UNUSED = ("https://unpkg.com/mermaid", "https://api.github.com/", "https://${e}/api/v4/")

missing = subprocess.run([sys.executable, "-c", "import mkdocs, material, pymdownx"], capture_output=True).returncode
if missing or not shutil.which("blahtexml") or not shutil.which("doxygen"):
    print(f"skipped: {sys.executable} has no mkdocs with the theme material, or blahtexml or doxygen is missing; scripts/site installs them")
    sys.exit(77)


def build(folder, site):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


class Requests(html.parser.HTMLParser):
    """What a browser asks for when it shows a page; links that a reader follows are none of it."""

    def __init__(self, text):
        super().__init__()
        self.addresses, self.classes = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.classes.update((attributes.get("class") or "").split())
        if tag != "a" and attributes.get("rel") != "canonical":
            self.addresses += [attributes[key] for key in ("src", "href", "srcset", "data", "poster") if attributes.get(key)]


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.site = pathlib.Path(cls.temporary.name)
        cls.done = build(SOURCE, cls.site)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_is_built_without_warnings(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertNotIn("WARNING", self.done.stderr)

    def test_pages_ask_no_other_host(self):
        pages = list(self.site.rglob("*.html"))
        self.assertGreater(len(pages), 20)
        for page in pages:
            requests = Requests(page.read_text())
            self.assertEqual([one for one in requests.addresses if OTHER_HOST.match(one)], [], page)
            self.assertFalse(requests.classes & {"mermaid", "md-source"}, page)

    def test_styles_and_pictures_ask_no_other_host(self):
        for file in [*self.site.rglob("*.css"), *self.site.rglob("*.svg")]:
            asked = re.findall(r"""(?:url\(|@import|xlink:href=|\bhref=|src=)\s*["']?\s*((?:https?:)?//[^"')\s]*)""", file.read_text())
            self.assertEqual(asked, [], file)

    def test_scripts_ask_no_other_host(self):
        for file in self.site.rglob("*.js"):
            if file.name == "search_index.js":  # the texts of the pages
                continue
            for address in re.findall(r"""["'`](https?://[^"'`]+)""", file.read_text()):
                self.assertTrue(address.startswith(UNUSED) or address.startswith("http://a"), f"{file}: {address}")  # http://a: a test of URL


    def test_reference_has_the_functions_and_pages_link_to_it(self):
        self.assertIn('href="../library.html"', (self.site / "api/index.html").read_text())
        self.assertIn('<a href="../index.html">foretile</a>', (self.site / "api/index.html").read_text())
        self.assertIn("foretile_create", (self.site / "api/foretile_8h.html").read_text())
        self.assertTrue((self.site / "api/classforetile_1_1Multiplication.html").is_file())
        library = (self.site / "library.html").read_text()
        self.assertIn('href="api/index.html"', library)
        self.assertIn('<a href="api/foretile_8h.html"><code class="short">executor/foretile.h</code></a>', library)


class Small(unittest.TestCase):
    """Each in a small repository of its own."""

    def build(self, page="", readme="", header=None):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "mkdocs.yml").write_text((SOURCE / "mkdocs.yml").read_text().split("\nnav:\n")[0] + "\n")
            shutil.copytree(SOURCE / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
            (folder / "docs/inner").mkdir(parents=True)
            for name in ("CONTRIBUTING.md", "CHANGELOG.md", "docs/other.md"):
                (folder / name).write_text("# Title\n\n## A section: `--one`\n")
            (folder / "README.md").write_text("# Readme\n\n" + readme)
            (folder / "docs/inner/page.md").write_text("# Page\n\n" + page)
            if header is not None:
                (folder / "part").mkdir()
                (folder / "part/header.hpp").write_text(header)
                keys = (SOURCE / "Doxyfile").read_text().split("\nINPUT ")[0]
                (folder / "Doxyfile").write_text(keys + "\nINPUT = part/header.hpp\n")
            done = build(folder, "site")
            built = {name: folder / "site" / name for name in ("index.html", "inner/page.html")}
            return done, {name: re.search("<article.*</article>|$", path.read_text() if path.exists() else "", re.S)[0]
                          for name, path in built.items()}

    def assert_refused(self, expected, warnings, **texts):
        """`warnings` are pairs of a page and the link in it."""
        done, _ = self.build(**texts)
        self.assertNotEqual(done.returncode, 0)
        for page, found in warnings:
            self.assertIn(f"{page}: found {found}, expected {expected}", done.stderr)
        self.assertEqual(done.stderr.count("WARNING"), len(warnings), done.stderr)

    def test_to_pages_files_and_sections_are_right_and_formulas_become_mathml(self):
        done, pages = self.build(
            page="[o](../other.md#a-section---one) [r](../../README.md) [hooks](../../scripts/site_hooks.py) [there](#page)",
            readme="[other](docs/other.md#a-section---one) [inner](docs/inner/page.md) `[no](link)`\n\n"
                   "It costs $5 or `$x$`, and $a_i^2$.\n\n$$\n\\frac{1}{p r}\n$$\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        inner, index = pages["inner/page.html"], pages["index.html"]
        self.assertIn('<a href="../other.html#a-section---one">o</a> <a href="../index.html">r</a>', inner)
        self.assertIn('hooks (<code class="short">scripts/site_hooks.py</code>)', inner)
        self.assertIn('<a href="other.html#a-section---one">other</a> <a href="inner/page.html">inner</a>', index)
        self.assertIn('<code class="short">$x$</code>', index)
        self.assertRegex(index, r"<math><msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup>\s*</math>")
        self.assertIn('<math display="block"><mstyle displaystyle="true"><mfrac>', index)

    def test_dead_links_are_refused(self):
        self.assert_refused("a file that exists", [
            ("docs/inner/page.md", "a link to nothing.md"), ("docs/inner/page.md", "a link to ../../scripts/nothing"),
            ("docs/inner/page.md", "a link to nothing.svg"), ("README.md", "a link to docs/nothing.md")],
            page="[x](nothing.md) [x](../../scripts/nothing) ![x](nothing.svg)", readme="[x](docs/nothing.md)")

    def test_dead_anchors_are_refused(self):
        self.assert_refused("an anchor of that page", [
            ("docs/inner/page.md", "a link to ../other.html#nothing"), ("docs/inner/page.md", "a link to #nothing"),
            ("README.md", "a link to inner/page.html#nothing")],
            page="[x](../other.md#nothing) [x](#nothing)", readme="[x](docs/inner/page.md#nothing)")

    def test_links_out_of_the_repository_are_refused(self):
        self.assert_refused("one into the repository", [
            ("docs/inner/page.md", "a link to ../../../x.md"), ("README.md", "a link to /etc/passwd")],
            page="[x](../../../x.md)", readme="[x](/etc/passwd)")

    def test_wrong_formulas_are_refused(self):
        self.assert_refused("one that blahtexml reads", [("README.md", "the formula \\nothing")], readme="$\\nothing$")

    def test_names_in_headers_without_a_comment_are_refused(self):
        self.assert_refused_in_header("part/header.hpp:5: Member twice(int x) (function) of file header.hpp is not documented.", "int twice(int x);")
        self.assert_refused_in_header("part/header.hpp:5: Compound Size is not documented.", "struct Size {\n  int rows;  ///< of C\n};")

    def assert_refused_in_header(self, expected, line):
        done, _ = self.build(header=f"/// @file\n/// Numbers.\n\n\n{line}\n")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"{expected}\n", done.stderr)
        self.assertEqual(done.stderr.count("WARNING"), 1, done.stderr)

    def test_headers_in_pages_become_links_to_their_functions(self):
        done, pages = self.build(page="`part/header.hpp`, [`part/header.hpp`](../../part/header.hpp)", header="/// @file\n/// None.\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        link = '<a href="../api/header_8hpp.html"><code class="short">part/header.hpp</code></a>'
        self.assertEqual(pages["inner/page.html"].count(link), 2, pages["inner/page.html"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
