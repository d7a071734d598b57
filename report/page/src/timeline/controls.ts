// SPDX-License-Identifier: BSD-3-Clause
// Buttons above a timeline.
import { button, element } from "../ui/html.ts";
import type { Colouring } from "./colours.ts";

export interface Actions {
  open: (open: boolean) => void;
  zoom: (factor: number) => void;
  all: () => void;
  colour: (colouring: Colouring) => void;
}

const colourings: [Colouring, string][] = [["kind", "kind of work"], ["row", "tile row i"], ["column", "tile column j"]];

function colourChoice(choose: (colouring: Colouring) => void): HTMLElement {
  const select = element("select", {}, ...colourings.map(([value, name]) => element("option", { value }, name)));
  select.addEventListener("change", () => choose(select.value as Colouring));
  return element("label", {}, "Colour by ", select);
}

export function controls({ open, zoom, all, colour }: Actions, search: HTMLElement): HTMLElement {
  return element(
    "div",
    { class: "controls" },
    button("Fold", "Fold all nodes", () => open(false)),
    button("Unfold", "Unfold all nodes to ranks", () => open(true)),
    button("Zoom in", "Zoom in (+)", () => zoom(0.5)),
    button("Zoom out", "Zoom out (-)", () => zoom(2)),
    button("All", "Show the whole time (0)", all),
    colourChoice(colour),
    search,
  );
}
