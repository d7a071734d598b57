# SPDX-License-Identifier: BSD-3-Clause
"""Hooks of mkdocs.yml. Formulas become MathML. Links in the pages are those of the repository; here they become links of the site.

Pages outside docs/ become pages of the site. A link to another file of the repository becomes text with its path. A link to a file or
an anchor that does not exist is a warning, which `mkdocs build --strict` treats as an error.
"""
import html.parser
import json
import logging
import pathlib
import posixpath
import subprocess
import urllib.parse
import xml.etree.ElementTree

import markdown
from mkdocs.structure.files import File

LOG = logging.getLogger("mkdocs.hooks.foretile")
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
SOURCES = {page: source for source, page in PAGES.items()}


def on_config(config):
    config["markdown_extensions"].append(Formulas())
    config["markdown_extensions"].append(Links(pathlib.Path(config["config_file_path"]).parent))
    return config


def on_files(files, config):
    root = pathlib.Path(config["config_file_path"]).parent
    for source, page in PAGES.items():
        file = File(page, str(root), config["site_dir"], config["use_directory_urls"])
        file.abs_src_path = str(root / source)
        files.append(file)
    Links.files = files
    return files


def on_nav(nav, config, files):
    for file in files.documentation_pages():
        if file.page not in nav.pages:
            LOG.warning("%s: found no entry in nav of mkdocs.yml, expected one", source_of(file.src_uri))
    return nav


def on_page_markdown(markdown, page, config, files):
    Links.page = page.file.src_uri
    page.title = page.title.replace("`", "")
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]


def on_post_build(config):
    site = pathlib.Path(config["site_dir"])
    pages = {page.resolve(): Anchors(page) for page in site.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            where = source_of(str(path.relative_to(site.resolve()).with_suffix(".md")))
            if not target.is_file():
                LOG.warning("%s: found a link to %s, expected a file of the site", where, link)
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].names:
                LOG.warning("%s: found a link to %s, expected an anchor of that page", where, link)
    index = site / "search/search_index.json"  # for pages that a browser opens as files, where it may not fetch JSON
    index.with_suffix(".js").write_text("var foretile_search_index = " + json.dumps(json.loads(index.read_text())) + ";\n")


def source_of(page):
    return SOURCES.get(page, "docs/" + page)


class Links(markdown.Extension, markdown.treeprocessors.Treeprocessor):
    """Runs after links were parsed (priority 20) and before MkDocs turns them into links of the site (0)."""

    def __init__(self, root):
        self.root = root

    def extendMarkdown(self, md):
        md.treeprocessors.register(self, "foretile_links", 15)

    def run(self, root):
        for element in root.iter():
            if element.tag == "a":
                self.change(element, "href")
            elif element.tag == "img":
                self.change(element, "src")
            elif element.tag == "td":
                for code in element.iter("code"):  # GitHub's tables need \| for a bar in code
                    code.text = markdown.util.AtomicString((code.text or "").replace("\\|", "|"))
            elif element.tag == "code" and len(element.text or "") < 48:
                element.set("class", "short")

    def change(self, element, key):
        link = urllib.parse.urlsplit(element.get(key))
        if link.scheme or link.netloc or not link.path or markdown.util.STX in link.path:
            return
        source = source_of(self.page)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), urllib.parse.unquote(link.path)))
        page = PAGES.get(target) or (target[len("docs/"):] if target.startswith("docs/") else None)
        if page and self.files.get_file_from_path(page):
            relative = posixpath.relpath(page, posixpath.dirname(self.page) or ".")
            element.set(key, urllib.parse.urlunsplit(link._replace(path=urllib.parse.quote(relative))))
            return
        if target.startswith(("..", "/")):
            LOG.warning("%s: found a link to %s, expected one into the repository", source, element.get(key))
        elif key == "src" or not (self.root / target).exists():
            LOG.warning("%s: found a link to %s, expected a file that exists", source, element.get(key))
        self.to_path(element, key, target)

    @staticmethod
    def to_path(element, key, target):
        element.tag = "span"
        del element.attrib[key]
        if posixpath.basename(target) in "".join(element.itertext()):
            return
        if len(element):
            element[-1].tail = (element[-1].tail or "") + " ("
        else:
            element.text = (element.text or "") + " ("
        code = xml.etree.ElementTree.SubElement(element, "code")
        code.text, code.tail = markdown.util.AtomicString(target), ")"


class Formulas(markdown.Extension, markdown.treeprocessors.Treeprocessor):
    """TeX, which pymdownx.arithmatex finds, becomes MathML: a browser shows it without scripts and fonts of ours."""

    def extendMarkdown(self, md):
        md.treeprocessors.register(self, "foretile_formulas", 16)

    def run(self, root):
        for element in list(root.iter()):
            if element.get("class") != "arithmatex":
                continue
            tex = element.text[2:-2].strip()  # without \( and \), or \[ and \]
            style = "\\displaystyle " if element.tag == "div" else ""
            done = subprocess.run(["blahtexml", "--mathml"], input=style + tex, capture_output=True, text=True, check=True)
            markup = xml.etree.ElementTree.fromstring(done.stdout).find(".//markup")
            if markup is None:
                LOG.warning("%s: found the formula %s, expected one that blahtexml reads", source_of(Links.page), tex)
                continue
            element.text = None
            math = xml.etree.ElementTree.SubElement(element, "math")
            math.extend(markup)
            if element.tag == "div":
                math.set("display", "block")


class Anchors(html.parser.HTMLParser):
    """Links and anchors of a page of the site."""

    def __init__(self, path):
        super().__init__()
        self.links, self.names = set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.names.add(attributes.get("id") or attributes.get("name"))
        self.links.update(attributes[key] for key in ("href", "src") if attributes.get(key))
