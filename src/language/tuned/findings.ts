import type { Expansion } from "./expand.ts";
import { type Probe, probeKey } from "./probe.ts";
import type { Notice, Problem } from "./problem.ts";

/** A bound for profiles that consist of mistakes. */
const mostKept = 1000;
/** No real profile runs this many programs. */
const mostPrograms = 200;

/** Problems, notices and open questions collected while a profile is resolved. */
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

  /** Records what is left out because a program may not be run. */
  refuse(left: string, reason: string, place: { file?: string; line?: number }): void {
    this.notice({ ...place, level: "error", message: `${left}: ${reason}`, refused: true });
  }

  /** Records the findings of an expansion and returns its text. */
  take({ text, probes, problems, notices }: Expansion, place: { file?: string; line?: number }): string {
    for (const message of problems) this.problem({ ...place, message });
    for (const notice of notices) this.notice({ ...place, ...notice });
    this.ask(probes);
    return text;
  }

  /** Distinct questions, in the order in which they were asked. */
  probes(): Probe[] {
    return [...this.#probes.values()];
  }
}
