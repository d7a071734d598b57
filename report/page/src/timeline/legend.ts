// SPDX-License-Identifier: BSD-3-Clause
// What colours mean; each kind of work can be hidden.
import { element } from "./html.ts";
import { causeOfLane, css, kinds } from "./palette.ts";
import type { Run } from "./run.ts";

export function legend(run: Run, hidden: Set<string>, changed: () => void): HTMLElement {
  const present = new Set([...run.lanes.kind].map((kind) => causeOfLane[run.timeline.kinds[kind]]));
  if (present.has("h2d")) present.add("d2d");
  const entries = kinds
    .filter((kind) => present.has(kind.cause))
    .map((kind) => {
      const box = element("input", { type: "checkbox", checked: "" });
      box.addEventListener("change", () => {
        if (box.checked) hidden.delete(kind.cause);
        else hidden.add(kind.cause);
        changed();
      });
      return element("label", { class: "kind" }, box, element("span", { class: "swatch", style: `background:${css(kind.colour)}` }), kind.name);
    });
  return element("fieldset", { class: "legend" }, element("legend", {}, "Work"), ...entries);
}
