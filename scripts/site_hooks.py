# SPDX-License-Identifier: BSD-3-Clause
"""Hooks of mkdocs.yml. Formulas become MathML. Links in the pages are those of the repository; here they become links of the site.

Pages outside docs/ become pages of the site. A link to another file of the repository becomes text with its path. A link to a file or
an anchor that does not exist is a warning, which `mkdocs build --strict` treats as an error. Doxygen writes the reference of functions
from the headers that Doxyfile lists; its warnings are warnings here, and a header named in a page becomes a link into it.
"""
import html.parser
import json
import logging
import pathlib
import posixpath
import re
import subprocess
import tempfile
import urllib.parse
import xml.etree.ElementTree

import markdown
from mkdocs.structure.files import File

LOG = logging.getLogger("mkdocs.hooks.foretile")
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
SOURCES = {page: source for source, page in PAGES.items()}
REFERENCE = tempfile.TemporaryDirectory()  # of Doxygen, until MkDocs has copied it


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
    Links.headers = {}
    if (root / "Doxyfile").exists():
        Links.headers = add_reference(root, files, config)
    Links.files = files
    return files


def add_reference(root, files, config):
    """Runs Doxygen and adds what it wrote as api/. Returns each header's page."""
    folder = pathlib.Path(REFERENCE.name)
    keys = f"OUTPUT_DIRECTORY={folder}\nGENERATE_TAGFILE={folder}/tags\n"
    try:
        done = subprocess.run(["doxygen", "-"], input=(root / "Doxyfile").read_text() + "\n" + keys, cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        LOG.warning("Doxyfile: found no doxygen, expected it; scripts/setup doxygen installs it")
        return {}
    lines = done.stderr.splitlines() or ["doxygen failed"] * (done.returncode != 0)
    for line in lines:
        LOG.warning("%s", line.replace(f"{root}/", "").replace(": error: ", ": "))
    for path in sorted(folder.glob("api/**/*")):
        if path.suffix == ".html":  # the name of the project leads back to the site
            up = "../" * len(path.relative_to(folder / "api").parts)
            path.write_text(path.read_text().replace('<div id="projectname">foretile', f'<div id="projectname"><a href="{up}index.html">foretile</a>'))
        if path.is_file():
            files.append(File(str(path.relative_to(folder)), str(folder), config["site_dir"], config["use_directory_urls"]))
    compounds = xml.etree.ElementTree.parse(folder / "tags").iterfind("compound[@kind='file']") if (folder / "tags").exists() else []
    return {one.findtext("path").replace(f"{root}/", "") + one.findtext("name"): "api/" + one.findtext("filename") for one in compounds}


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
            name = path.relative_to(site.resolve())
            by_doxygen = name.parts[0] == "api"  # it links to sections that it leaves out
            where = name if by_doxygen else source_of(str(name.with_suffix(".md")))
            if not target.is_file():
                LOG.warning("%s: found a link to %s, expected a file of the site", where, link)
            elif by_doxygen or not parts.fragment or target not in pages:
                continue
            elif urllib.parse.unquote(parts.fragment) not in pages[target].names:
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
        self.link_headers(root)

    def link_headers(self, root):
        for parent in list(root.iter()):
            if parent.tag in ("a", "pre") or re.fullmatch("h[1-6]", parent.tag):
                continue
            for place, code in enumerate(parent):
                if code.tag == "code" and code.text in self.headers:
                    link = xml.etree.ElementTree.Element("a", href=self.to_page(self.headers[code.text]))
                    link.tail, code.tail = code.tail, None
                    link.append(code)
                    parent[place] = link

    def to_page(self, page):
        return posixpath.relpath(page, posixpath.dirname(self.page) or ".")

    def change(self, element, key):
        link = urllib.parse.urlsplit(element.get(key))
        if link.scheme or link.netloc or not link.path or markdown.util.STX in link.path:
            return
        source = source_of(self.page)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), urllib.parse.unquote(link.path)))
        page = PAGES.get(target) or (target[len("docs/"):] if target.startswith("docs/") else None)
        if page and self.files.get_file_from_path(page):
            element.set(key, urllib.parse.urlunsplit(link._replace(path=urllib.parse.quote(self.to_page(page)))))
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
