// SPDX-License-Identifier: BSD-3-Clause
// What colours mean; each kind of work can be hidden.
import type { Run } from "../data/run.ts";
import { element } from "../ui/html.ts";
import { type Kind, css, kindOfLane, kinds } from "../ui/palette.ts";

/** Loads come from the host or from another device. */
function presentKinds(run: Run): Kind[] {
  const causes = new Set([...new Set(run.lanes.kind)].map((kind) => kindOfLane(run.kindName(kind)).cause));
  if (causes.has("h2d")) causes.add("d2d");
  return kinds.filter(({ cause }) => causes.has(cause));
}

function entry(kind: Kind, hidden: Set<string>, changed: () => void): HTMLElement {
  const box = element("input", { type: "checkbox", checked: "" });
  box.addEventListener("change", () => {
    if (box.checked) hidden.delete(kind.cause);
    else hidden.add(kind.cause);
    changed();
  });
  return element("label", { class: "kind" }, box, element("span", { class: "swatch", style: `background:${css(kind.colour)}` }), kind.name);
}

export function legend(run: Run, hidden: Set<string>, changed: () => void): HTMLElement {
  const entries = presentKinds(run).map((kind) => entry(kind, hidden, changed));
  return element("fieldset", { class: "legend" }, element("legend", {}, "Work"), ...entries);
}
