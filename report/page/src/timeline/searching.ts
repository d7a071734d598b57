// SPDX-License-Identifier: BSD-3-Clause
// The search field: Enter jumps to what is found, Enter again to the next.
import type { Found, Run } from "../data/run.ts";
import { element } from "../ui/html.ts";
import { findOperations, firstRange, lanesOf } from "./find.ts";
import { namesTile, parsedSearch } from "./search.ts";

interface Jumps {
  toLanes: (begin: number, end: number) => void;
  toOperation: (found: Found) => void;
}

const nextFrame = (): Promise<unknown> => new Promise((done) => setTimeout(done));

export class Searching {
  readonly root = element("span", { class: "search" });
  private readonly input = element("input", { type: "search", placeholder: "rank 3 device 1, C(2,5)", "aria-label": "Find a rank, a device or a tile" });
  private readonly answer = element("span", { role: "status" });
  private text = "";
  private matches: AsyncGenerator<Found | undefined> | undefined;

  constructor(
    private readonly run: Run,
    private readonly jumps: Jumps,
  ) {
    this.root.append(this.input, this.answer);
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") void this.find(this.input.value.trim());
    });
  }

  private say(text: string): void {
    this.answer.textContent = text;
  }

  private async find(text: string): Promise<void> {
    if (text === this.text && this.matches) return this.next(this.matches);
    this.text = text;
    this.matches = undefined;
    const wanted = parsedSearch(text);
    if (!wanted) return this.say('Try "rank 3", "rank 3 device 1", "C(2,5)" or "i=2 j=5".');
    if (namesTile(wanted)) return this.next((this.matches = findOperations(this.run, wanted)));
    const range = firstRange(lanesOf(this.run.lanes, wanted));
    this.say(range ? "" : `There is no ${text}.`);
    if (range) this.jumps.toLanes(...range);
  }

  /** Another search in the meantime ends this one. */
  private async next(matches: AsyncGenerator<Found | undefined>): Promise<void> {
    this.say("Searching ...");
    for (let one = await matches.next(); this.matches === matches; one = await matches.next()) {
      if (one.done) return this.ended();
      if (one.value) {
        this.say("Enter: the next one.");
        return this.jumps.toOperation(one.value);
      }
      await nextFrame();
    }
  }

  private ended(): void {
    this.matches = undefined;
    this.say(`There is no ${this.text} after this.`);
  }
}
