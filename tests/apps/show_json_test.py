# SPDX-License-Identifier: BSD-3-Clause
"""Keys and numbers of `foretile show --json`, and its pictures.   show_json_test.py FORETILE yes|no (pictures)"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

foretile = sys.argv[1]
pictures = sys.argv[2] == "yes"


def run(*arguments):
    done = subprocess.run([foretile, *map(str, arguments)], check=True, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return json.loads(done.stdout)


with tempfile.TemporaryDirectory() as scratch:
    problem = pathlib.Path(scratch) / "dense.toml"
    written = run("problem", "dense", "--m", 4, "--n", 6, "--k", 8, "--tile", 2, "-o", problem, "--json")
    shown = run("show", problem, "--json")
    # 2 x 3 tiles of C, 4 products each, of 2 * 2 * 2 * 2 flops.
    expected = {"M": 4, "N": 6, "K": 8, "flops": 384, "gemms": 24, "density": {"A": 1, "B": 1, "C": 1}}
    for key, value in expected.items():
        assert shown[key] == value, (key, shown[key], value)
    assert shown["bytes"] == {"A": 8 * 4 * 8, "B": 8 * 8 * 6, "C": 8 * 4 * 6}, shown["bytes"]
    assert {**shown, "file": str(problem)} == written, (shown, written)

    assert shown["sources"] == {"A": "given", "B": "given"}, shown
    made = pathlib.Path(scratch) / "made.toml"
    run("problem", "dense", "--m", 4, "--n", 6, "--k", 8, "--tile", 2, "--b-source", "generated", "-o", made, "--json")
    assert made.read_text().splitlines()[:3] == ['kind = "dense"', 'a_source = "given"', 'b_source = "generated"'], made.read_text()
    assert run("show", made, "--json")["sources"] == {"A": "given", "B": "generated"}
    assert run("show", "c12", "--json")["sources"] == {"A": "given", "B": "generated"}  # its file does not say

    plus = pathlib.Path(scratch) / "plus.toml"
    run("problem", "dense", "--m", 4, "--n", 6, "--k", 8, "--tile", 2, "--accumulate", "-o", plus, "--json")
    assert run("show", plus, "--json")["accumulate"] and not shown["accumulate"]

    single = pathlib.Path(scratch) / "single.toml"
    run("problem", "dense", "--m", 4, "--n", 6, "--k", 8, "--tile", 2, "--precision", "single", "-o", single, "--json")
    narrow = run("show", single, "--json")
    assert (shown["precision"], narrow["precision"]) == ("double", "single")
    for matrix, size in shown["bytes"].items():
        assert 2 * narrow["bytes"][matrix] == size, (matrix, narrow["bytes"], size)

    wide = pathlib.Path(scratch) / "wide.toml"  # two spaces between columns, however long the numbers
    run("problem", "dense", "--m", 2_000_000_000, "--n", 1_500_000, "--k", 4, "--tile", 2_000_000_000, "-o", wide, "--json")
    text = subprocess.run([foretile, "show", wide], check=True, capture_output=True, text=True).stdout
    rows = {line.split()[0]: re.split(r" {2,}", line.strip()) for line in text.splitlines()[1:] if line.strip()}
    assert rows["N"] == ["N", "1,500,000", "1", "1,500,000", "1500000", "1,500,000"], text
    assert rows["M"][-1] == "2,000,000,000" and len(rows["M"]) == len(rows["index"]) == 6, text

    if pictures:
        png = pathlib.Path(scratch) / "shapes.png"
        svg = pathlib.Path(scratch) / "shapes.svg"
        assert run("show", problem, "--json", "--picture", png)["picture"] == str(png)
        run("show", problem, "--json", "--picture", svg)
        assert png.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        # The picture says whether C is accumulated: of problems that differ in nothing else it differs.
        same_name = pathlib.Path(scratch) / "accumulated" / "dense.toml"
        same_name.parent.mkdir()
        same_name.write_text(plus.read_text())
        other = pathlib.Path(scratch) / "other.svg"
        run("show", same_name, "--json", "--picture", other)
        assert other.read_bytes() != svg.read_bytes()
        assert xml.etree.ElementTree.parse(svg).getroot().tag.endswith("svg")

    figures = run("platform", "show", "summit", "--json", "--set", "platform.nvlink.bandwidth=12e9")
    assert figures["devices_per_node"] == 6, figures
print("all as expected")
