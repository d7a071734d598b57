// SPDX-License-Identifier: BSD-3-Clause
import { element } from "./html.ts";

/** Labels and what they stand for. */
export function definitions(lines: [label: string, text: string][], kind = "facts"): HTMLElement {
  const list = element("dl", { class: kind });
  for (const [label, text] of lines) list.append(element("div", {}, element("dt", {}, label), element("dd", {}, text)));
  return list;
}
