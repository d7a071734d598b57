// SPDX-License-Identifier: BSD-3-Clause
// Which of several works are shown.
import type { Work } from "../data/facts.ts";
import { element } from "../ui/html.ts";
import { workName } from "./works.ts";

function choice(works: Work[], number: number, page: HTMLElement): HTMLElement {
  const box = element("input", { type: "checkbox", checked: "" });
  box.addEventListener("change", () => {
    for (const part of page.querySelectorAll<HTMLElement>(`[data-work="${String(number)}"]`)) part.hidden = !box.checked;
  });
  return element("label", { class: "kind" }, box, workName(works, works[number]));
}

export function selector(works: Work[], page: HTMLElement): HTMLElement {
  return element("fieldset", { class: "legend works" }, element("legend", {}, "Show"), ...works.map((_, n) => choice(works, n, page)));
}
