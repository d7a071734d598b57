// SPDX-License-Identifier: BSD-3-Clause
// Elements of the page. Texts never become markup.

export type Child = Node | string;

export function element<Name extends keyof HTMLElementTagNameMap>(name: Name, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function button(label: string, title: string, act: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", title }, label);
  made.addEventListener("click", act);
  return made;
}

let panelsMade = 0;

/** A part of the page with a heading. */
export function panel(title: string, ...children: Child[]): HTMLElement {
  const id = `panel-${String(++panelsMade)}`;
  return element("section", { class: "panel", "aria-labelledby": id }, element("h2", { id }, title), ...children);
}

/** Folded until it is asked for; open on paper. */
export function foldable(title: string, ...children: Child[]): HTMLElement {
  return element("details", { class: "print" }, element("summary", {}, title), ...children);
}
