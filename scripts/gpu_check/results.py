# SPDX-License-Identifier: BSD-3-Clause
"""What was found, kept in one JSON file and one Markdown page, which are written again with every finding."""
import json
import os
import pathlib
import tempfile

from . import table

# Targets. `better`: what was measured must be at least (or "under": below) it.
TARGETS = {
    "dense_bound": ("dense, out of core: share of the bound", 0.92, "least"),
    "dense_xt": ("dense, out of core: times cublasXt's best", 1.1, "least"),
    "dense_resident": ("dense, everything resident: kernels over cuBLAS on the whole matrix", 0.95, "least"),
    "sparse_random": ("block-sparse, random 20% filled: share of the bound", 0.75, "least"),
    "sparse_molecule": ("C65H132 v1 restricted: share of the bound", 0.75, "least"),
    "small": ("small tiles: batched over one launch per product", 3.0, "least"),
    "prediction": ("random plans predicted: median error", 0.10, "under"),
}

STATES = {True: "ok", False: "FAILED", None: "late"}
PAGE_STATES = {True: "yes", False: "NO", None: "not ended"}


def met(target, value):
    _, wanted, sense = TARGETS[target]
    return value >= wanted if sense == "least" else value < wanted


def target_text(target):
    _, wanted, sense = TARGETS[target]
    text = f"{wanted:.0%}" if wanted < 1 else f"{wanted:g}"
    return ("at least " if sense == "least" else "under ") + text


class Results:
    def __init__(self, folder: pathlib.Path, title: str):
        self.folder = folder
        self.title = title
        self.facts = {}
        self.step = ""  # which findings belong to
        self.steps = []  # step, state, seconds, note
        self.checks = []  # correctness: what, passed (None: not ended in its time), note
        self.figures = []
        self.plans = []  # predictions
        self.measured = {}  # whatever the steps want to keep
        self.commands = []

    def begin(self, step):
        """What an earlier call found in this step goes: it is taken again."""
        self.step = step
        for rows in (self.steps, self.checks, self.figures, self.plans):
            rows[:] = [row for row in rows if row["step"] != step]

    def recall(self, found):
        """Goes on where an earlier call ended."""
        for name in ("facts", "measured"):
            getattr(self, name).update(found[name])
        for name in ("steps", "checks", "figures", "plans", "commands"):
            getattr(self, name).extend(found[name])

    def check(self, what, passed, note=""):
        passed = None if passed is None else bool(passed)
        self.checks.append({"what": what, "passed": passed, "note": note, "step": self.step})
        print(f"  {STATES[passed]:6}  {what}{': ' + note if note else ''}", flush=True)
        self.write()

    def plan(self, **plan):
        """One that was predicted and measured."""
        self.plans.append({**plan, "step": self.step})
        print(f"  plan {plan['number']}: measured {plan['measured_s']:.4g} s, predicted {plan['predicted_s']:.4g} s, "
              f"{plan['error']:+.1%}", flush=True)
        self.write()

    def ended(self, state, seconds, note):
        self.steps.append({"step": self.step, "state": state, "seconds": seconds, "note": note})
        self.write()

    def figure(self, what, *, measured_s, predicted_s=None, bound=None, peer="", value=None, target=None, note="", **more):
        """One row of the table. `value` is what the target is compared with."""
        row = {"what": what, "measured_s": measured_s, "predicted_s": predicted_s,
               "bound_s": bound.seconds if bound else None, "bound": bound.limit if bound else None, "peer": peer,
               "value": value, "target": target_text(target) if target else None,
               "met": met(target, value) if target and value is not None else None, "note": note, "step": self.step, **more}
        self.figures.append(row)
        print("  " + "  ".join(cell for cell in self._cells(row) if cell), flush=True)
        self.write()

    @property
    def failed(self):
        return any(check["passed"] is False for check in self.checks)

    def write(self):
        data = {"title": self.title, "facts": self.facts, "steps": self.steps, "checks": self.checks,
                "figures": self.figures, "plans": self.plans, "measured": self.measured, "commands": self.commands}
        write_whole(self.folder / "gpu-check.json", json.dumps(data, indent=1) + "\n")
        write_whole(self.folder / "gpu-check.md", self.page())

    def page(self):
        parts = [f"# {self.title}\n", *(f"- {key}: {value}" for key, value in self.facts.items()), ""]
        if self.figures:
            heads = ["what", "measured", "predicted", "bound", "peer", "reached", "target", "met", "note"]
            parts.append(table.markdown(heads, [self._cells(row) for row in self.figures]))
        if self.plans:
            heads = ["plan", "problem", "settings", "measured, s", "predicted, s", "error"]
            parts.append(table.markdown(heads, [[p["number"], p["problem"], p["settings"], f"{p['measured_s']:.4g}",
                                                 f"{p['predicted_s']:.4g}", f"{p['error']:+.1%}"] for p in self.plans]))
        if self.checks:
            passed = [check["passed"] for check in self.checks]
            late = f", {passed.count(None)} did not end in their time" if None in passed else ""
            parts.append(f"{passed.count(True)} of {len(passed)} correctness checks passed{late}.\n")
            parts.append(table.markdown(["check", "passed", "note"],
                                        [[c["what"], PAGE_STATES[c["passed"]], c["note"]] for c in self.checks]))
        parts.append(table.markdown(["step", "state", "seconds", "note"],
                                    [[s["step"], s["state"], f"{s['seconds']:.0f}", s["note"]] for s in self.steps]))
        return "\n".join(parts)

    @staticmethod
    def _cells(row):
        value, reached = row["value"], ""
        if value is not None:
            reached = f"{value:.1%}" if (row["target"] or "%").endswith("%") else f"{value:.2f}"
        bound = f"{row['bound_s']:.3g} s ({row['bound']})" if row["bound"] else ""
        verdict = "" if row["met"] is None else "yes" if row["met"] else "no"
        return [row["what"], table.seconds(row["measured_s"]), table.seconds(row["predicted_s"]), bound, row["peer"], reached,
                row["target"] or "", verdict, row["note"]]


def write_whole(path, text):
    """By rename, so that whoever is cut off leaves the last whole one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    with os.fdopen(handle, "w") as out:
        out.write(text)
    os.chmod(name, 0o644)
    os.replace(name, path)
