// SPDX-License-Identifier: BSD-3-Clause
// What is under the pointer, beside it.
import { element } from "../ui/html.ts";
import { definitions } from "../ui/definitions.ts";
import type { Details } from "./details.ts";

const distance = 14;

export class Tooltip {
  readonly root = element("div", { class: "tooltip", role: "tooltip", hidden: "" });

  show({ title, lines }: Details, x: number, y: number): void {
    this.root.replaceChildren(element("strong", {}, title), definitions(lines));
    this.root.hidden = false;
    this.place(x, y);
  }

  /** On the other side of the pointer where there is no room. */
  private place(x: number, y: number): void {
    const { offsetWidth, offsetHeight, offsetParent } = this.root;
    const width = offsetParent?.clientWidth ?? 0;
    const height = offsetParent?.clientHeight ?? 0;
    const left = x + distance + offsetWidth > width ? x - distance - offsetWidth : x + distance;
    const top = y + distance + offsetHeight > height ? y - distance - offsetHeight : y + distance;
    this.root.style.left = `${String(Math.max(0, left))}px`;
    this.root.style.top = `${String(top)}px`;
  }

  hide(): void {
    this.root.hidden = true;
  }
}
