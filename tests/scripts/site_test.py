# SPDX-License-Identifier: BSD-3-Clause
"""The site of the documentation is built without warnings and asks no other host for anything; dead links are refused.

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
if missing or not shutil.which("blahtexml"):
    print(f"skipped: {sys.executable} has no mkdocs with the theme material, or blahtexml is missing; scripts/site installs them")
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


class Links(unittest.TestCase):
    """Each in a small repository of its own."""

    def build(self, page="", readme=""):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "mkdocs.yml").write_text((SOURCE / "mkdocs.yml").read_text().split("\nnav:\n")[0] + "\n")
            shutil.copytree(SOURCE / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
            (folder / "docs/inner").mkdir(parents=True)
            for name in ("CONTRIBUTING.md", "CHANGELOG.md", "docs/other.md"):
                (folder / name).write_text("# Title\n\n## A section: `--one`\n")
            (folder / "README.md").write_text("# Readme\n\n" + readme)
            (folder / "docs/inner/page.md").write_text("# Page\n\n" + page)
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
