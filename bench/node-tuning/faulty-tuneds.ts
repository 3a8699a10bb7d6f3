import { apiVersion, type Tuned } from "../../src/domain/node-tuning/api.ts";
import { decideNodeTuning } from "../../src/domain/node-tuning/decide.ts";
import { Remembered } from "../../src/domain/node-tuning/remembered.ts";
import { WrongError } from "../harness/load.ts";
import { median, ratio, type Section, shown } from "../harness/report.ts";
import { emptyInput } from "../../src/domain/node-tuning/testing/empty-input.ts";

const namespace = "tuning";
const growth = 3;

interface Figures {
  /** CPU time of a decision, in milliseconds. */
  readonly first: number;
  readonly next: number;
  readonly edited: number;
}

/** The operator's decision about Tuneds that consist of mistakes: the first, one without a change, and one after an edit. */
export const faultyTuneds: Section = {
  name: "faulty-tuneds",
  async measure({ quick, report }) {
    const [few, many] = quick ? [100, 200] : [1000, 2000];
    const rounds = Array.from({ length: quick ? 1 : 3 }, () => [measured(few), measured(many)] as const);
    const of = (size: 0 | 1, figure: keyof Figures): number => median(rounds.map((round) => round[size][figure]));
    const row = (what: string, figure: keyof Figures): string[] => [
      what,
      shown(of(0, figure), "ms"),
      shown(of(1, figure), "ms"),
      ratio(of(1, figure), of(0, figure)),
    ];
    report.table(
      "CPU of a decision about 200 nodes and Tuneds that consist of mistakes",
      ["", `${few} Tuneds`, `${many} Tuneds`, "many to few"],
      [row("the first", "first"), row("nothing has changed", "next"), row("one Tuned was edited", "edited")],
    );
    const grown = of(1, "first") / of(0, "first");
    report.bar({
      what: `twice as many faulty Tuneds take at most ${growth} × as long`,
      measured: `${shown(grown)} ×`,
      met: grown <= growth,
    });
  },
};

function measured(count: number): Figures {
  const remembered = new Remembered();
  const tuneds = Array.from({ length: count }, (_, i) => faulty(i, 1));
  const shipped = {
    apiVersion,
    kind: "Tuned",
    metadata: { name: "default", namespace, uid: "default", generation: 1 },
  };
  const decide = (first: Tuned): number => {
    const before = process.cpuUsage();
    const { statuses } = decideNodeTuning({
      ...emptyInput,
      tuneds: [first, ...tuneds.slice(1), shipped],
      nodes: Array.from({ length: 200 }, (_, i) => ({
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: `n${i}`, labels: { "kubernetes.io/os": "linux" } },
      })),
      remembered,
    });
    if (statuses.length !== count + 1) throw new WrongError(`${statuses.length} of ${count + 1} Tuneds have a status`);
    return process.cpuUsage(before).user / 1000;
  };
  const first = decide(faulty(0, 1));
  return { first, next: decide(faulty(0, 1)), edited: decide(faulty(0, 2)) };
}

function faulty(i: number, generation: number): Tuned {
  const texts = [
    `[main]\ninclude=openshift-node,nowhere${i}\n[sysctll]\nx=${generation}\n[cpu]\ngovenor=x\n[sysctl]\nvm.swapiness=1\n`,
    `[sysctl]\nvm.swappines=\${undefined}\n[vm]\nx=\${f:nothing:1}\n`,
  ];
  const profile = texts.map((data, of) => ({ name: `p${i}-${of}`, data }));
  const recommend = profile.map(({ name }, of) => ({ profile: name, priority: 10 + of }));
  const metadata = { name: `t${i}`, namespace, uid: `t${i}`, generation };
  return { apiVersion, kind: "Tuned", metadata, spec: { profile, recommend } };
}
