import type { Expansion } from "./expand.ts";
import { type Probe, probeKey } from "./probe.ts";
import type { Notice, Problem } from "./problem.ts";

/** Enough for anybody who mends a profile, and a bound for one that is all mistakes. */
const mostKept = 1000;
/** No profile runs this many programs to learn what it is. */
const mostPrograms = 200;

/** What comes up while a profile is resolved. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly notices: Notice[] = [];
  readonly #probes = new Map<string, Probe>();
  #programs = 0;

  problem(problem: Problem): void {
    if (this.problems.length < mostKept) this.problems.push(problem);
  }

  notice(notice: Notice): void {
    if (this.notices.length < mostKept) this.notices.push(notice);
  }

  ask(probes: readonly Probe[]): void {
    for (const probe of probes) {
      const key = probeKey(probe);
      if (this.#probes.has(key)) continue;
      this.#probes.set(key, probe);
      if (probe.type === "exec" && ++this.#programs === mostPrograms)
        this.problem({ message: `the profile asks for more than ${mostPrograms} programs to be run` });
    }
  }

  /** Keeps what an expansion came upon, and gives its text. */
  take({ text, probes, problems, notices }: Expansion, place: { file?: string; line?: number }): string {
    for (const message of problems) this.problem({ ...place, message });
    for (const notice of notices) this.notice({ ...place, ...notice });
    this.ask(probes);
    return text;
  }

  /** One question for each, in the order in which they came up. */
  probes(): Probe[] {
    return [...this.#probes.values()];
  }
}
