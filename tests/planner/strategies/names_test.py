#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Only planner/strategies/ knows the names of strategies and of their parameters: a new strategy touches its own folder.

Looks at the string literals of all sources. Words that a plan's frame has as well (lookahead, batch, ...) mean the frame elsewhere.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
FOLDERS = ["apps", "base", "executor", "planner", "platforms", "scheduler", "simulator", "tuner"]
OWN = ROOT / "planner/strategies"
FRAME = {"lookahead", "barriers", "batch", "prefetch_c", "copy_batch_bytes", "store"}
HELP = {("apps/options.cpp", "grid.p"), ("apps/options.cpp", "stationary-c"), ("apps/options.cpp", "grid-3d")}  # examples for people
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')


def sources(folder):
    return [path for path in folder.rglob("*") if path.suffix in (".cpp", ".hpp", ".cu")]


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def own_names():
    """Strategies' names, and keys of parameters: the first text of a ParameterInfo."""
    names = set()
    for path in sources(OWN):
        text = without_comments(path.read_text())
        names.update(re.findall(r'k\w+Name = "([\w-]+)"', text))
        names.update(re.findall(r'\{"([a-z_.]+)",\s*(?:"[^"]*"|[\w.]+),\s*"[^"]* ', text))
    return {name for name in names if len(name) > 1}  # b, c and d are matrices elsewhere


def main():
    names = own_names() - FRAME
    assert {"stationary-b", "stationary-c", "local-b", "block_fraction", "grid.p", "device_rows", "staging_fraction"} <= names, names
    found = []
    for folder in FOLDERS:
        for path in sources(ROOT / folder):
            if OWN in path.parents:
                continue
            place = str(path.relative_to(ROOT))
            for literal in LITERAL.findall(without_comments(path.read_text())):
                for name in names:
                    there = re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", literal)
                    if there and (place, name) not in HELP:
                        found.append(f'{place}: "{literal}" has {name}')
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
