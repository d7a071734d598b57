# SPDX-License-Identifier: BSD-3-Clause
"""Markdown."""


def markdown(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(str(cell).replace("|", "/").replace("\n", " ") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def seconds(value):
    return "" if value is None else f"{value:.3g} s"


def tera(flops_per_s):
    return "" if flops_per_s is None else f"{flops_per_s / 1e12:.3g} Tflop/s"


def giga(bytes_per_s):
    return "" if bytes_per_s is None else f"{bytes_per_s / 1e9:.3g} GB/s"


def gib(count):
    return f"{count / 2**30:.3g} GiB"
