// SPDX-License-Identifier: BSD-3-Clause
// What was chosen, below the timeline: it stays until it is closed, and screen readers say it.
import { definitions } from "../ui/definitions.ts";
import { button, element } from "../ui/html.ts";
import type { Details } from "./details.ts";

export class DetailsBar {
  readonly root = element("div", { class: "details", "aria-live": "polite" });

  constructor(private readonly close: () => void) {}

  show({ title, lines }: Details): void {
    this.root.replaceChildren(element("strong", {}, title), definitions(lines, "facts inline"), button("Close", "Close details (Escape)", this.close));
  }

  clear(): void {
    this.root.replaceChildren();
  }
}
