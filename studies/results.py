# SPDX-License-Identifier: BSD-3-Clause
"""What studies share: their rows as CSV files, tables and generated sections of a page, pictures."""
import csv
import re
import sys


def write_csv(path, rows):
    keys = list(dict.fromkeys(key for row in rows for key in row))
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as out:
        writer = csv.DictWriter(out, fieldnames=keys, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()})


def read_csv(path):
    """Rows as written, numbers as numbers."""
    def number(text):
        try:
            return float(text)
        except ValueError:
            return text
    with open(path, newline="") as source:
        return [{key: number(value) for key, value in row.items()} for row in csv.DictReader(source)]


def table(heads, lines):
    rows = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(rows + ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]) + "\n"


def replace_section(page, name, text):
    """Puts generated text between the page's two comments of that name; what people wrote around it stays."""
    begin, end = f"<!-- {name}: begin, generated -->", f"<!-- {name}: end -->"
    old = page.read_text() if page.exists() else ""
    if begin not in old:
        old += f"\n{begin}\n{end}\n"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    page.write_text(re.sub(pattern, lambda _: f"{begin}\n{text}{end}", old, flags=re.DOTALL))


def picture(path, panels, draw, rows=1, size=(7, 4.6)):
    """`panels` axes beside each other in each of `rows`, filled by draw(*axes), as SVG that is the same for the same data."""
    try:
        import matplotlib
    except ImportError:
        sys.exit("no matplotlib for this python3: scripts/setup python3-matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "foretile", "svg.fonttype": "none", "axes.grid": True, "grid.alpha": 0.3})
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(rows, panels, figsize=(size[0] * panels, size[1] * rows), squeeze=False, layout="constrained")
    draw(*axes.flat)
    figure.savefig(path, metadata={"Date": None})
