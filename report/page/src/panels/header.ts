// SPDX-License-Identifier: BSD-3-Clause
import type { Facts } from "../data/facts.ts";
import { button, element } from "../ui/html.ts";
import { toggleTheme } from "../ui/theme.ts";

export function header({ title, program, made, command }: Pick<Facts, "title" | "program" | "made" | "command">): HTMLElement {
  return element(
    "header",
    {},
    element("h1", {}, title),
    button("Light or dark", "Change between light and dark", toggleTheme),
    element("p", { class: "about" }, `${program} · ${made} · `, element("code", {}, command)),
  );
}
