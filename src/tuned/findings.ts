import type { Expansion } from "./expand.ts";
import { distinctProbes, type Probe } from "./probe.ts";
import type { Notice, Problem } from "./problem.ts";

/** What comes up while a profile is resolved. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly notices: Notice[] = [];
  readonly #probes: Probe[] = [];

  problem(problem: Problem): void {
    this.problems.push(problem);
  }

  notice(notice: Notice): void {
    this.notices.push(notice);
  }

  ask(probes: readonly Probe[]): void {
    this.#probes.push(...probes);
  }

  /** Keeps what an expansion came upon, and gives its text. */
  take({ text, probes, problems, notices }: Expansion, place: { file?: string; line?: number }): string {
    for (const message of problems) this.problem({ ...place, message });
    for (const notice of notices) this.notice({ ...place, ...notice });
    this.ask(probes);
    return text;
  }

  probes(): Probe[] {
    return distinctProbes(this.#probes);
  }
}
