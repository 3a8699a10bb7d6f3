import { describe } from "vitest";
import type { MachineConfig } from "../../src/domain/machine-config/api.ts";
import { type Changes, changesBetween } from "../../src/domain/machine-config/cost/changes.ts";
import { costOf } from "../../src/domain/machine-config/cost/cost-of.ts";
import {
  type DisruptionPolicy,
  firstBootPolicy,
  mergedPolicy,
  type PolicyAction,
} from "../../src/domain/machine-config/cost/disruption-policy.ts";
import { isSafeRegistriesChange } from "../../src/domain/machine-config/cost/registries-change.ts";
import type { MachineContents } from "../../src/domain/machine-config/machine-contents.ts";
import { readContents } from "../../src/domain/machine-config/read-contents.ts";
import { agreesWithRecorded, casesOf } from "./parity.ts";

interface WrittenPolicy {
  files?: { path: string; actions: string[] }[];
  units?: { name: string; actions: string[] }[];
  sshKey?: string[];
}

type Case = { id: string; expect: unknown } & (
  | {
      check: "actions" | "firstBootActions";
      old: MachineConfig["spec"];
      new: MachineConfig["spec"];
      policy?: WrittenPolicy;
    }
  | { check: "mergedPolicy"; policy: WrittenPolicy }
  | { check: "registries"; old: string; new: string }
);

const cases = casesOf<Case>("disruption");

describe("what a change costs, by the recorded cases", () => {
  agreesWithRecorded(cases, {}, actual);
});

function actual(recorded: Case): unknown {
  switch (recorded.check) {
    case "registries": {
      const change = isSafeRegistriesChange(recorded.old, recorded.new);
      return change.type === "problem" ? { refused: true } : { drain: !change.safe };
    }
    case "mergedPolicy":
      return written(mergedPolicy(policyOf(recorded.policy)));
    case "actions":
    case "firstBootActions":
      return cost(recorded);
  }
}

function cost(recorded: Extract<Case, { check: "actions" | "firstBootActions" }>): unknown {
  const isFirst = recorded.check === "firstBootActions";
  const changes = changesBetween(contentsOf(recorded.old), contentsOf(recorded.new));
  const found = costOf(changes, isFirst ? firstBootPolicy : mergedPolicy(policyOf(recorded.policy ?? {})));
  const changed = {
    changedFiles: changes.files.map(({ path }) => path),
    ...(isFirst ? {} : { changedUnits: changes.units }),
    diff: kindsOf(changes),
  };
  if (found.type === "problem") return { ...changed, refused: true };
  const actions = found.actions.map(text);
  // The older table has names of its own.
  const older = actions.map((action) => action.toLowerCase().replace(".service", ""));
  return { ...changed, actions: isFirst ? older : actions, drain: found.drain };
}

function contentsOf(spec: MachineConfig["spec"]): MachineContents {
  const read = readContents(spec);
  if (read.type === "problems") throw new Error(JSON.stringify(read.problems));
  return read.contents;
}

function kindsOf(changes: Changes): string[] {
  const kinds: [string, boolean][] = [
    ["osUpdate", changes.osImage],
    ["kargs", changes.kernelArguments],
    ["fips", changes.fips],
    ["passwd", changes.users.length > 0],
    ["files", changes.files.length > 0],
    ["units", changes.units.length > 0],
    ["kernelType", changes.kernelType],
    ["extensions", changes.extensions],
  ];
  return kinds.filter(([, isChanged]) => isChanged).map(([kind]) => kind);
}

function policyOf({ files, units, sshKey }: WrittenPolicy): Partial<DisruptionPolicy> {
  return {
    ...(files && { files: files.map((one) => ({ ...one, actions: one.actions.map(action) })) }),
    ...(units && { units: units.map((one) => ({ ...one, actions: one.actions.map(action) })) }),
    ...(sshKey && { sshKey: sshKey.map(action) }),
  };
}

function written({ files, units, sshKey }: DisruptionPolicy): WrittenPolicy {
  return {
    files: files.map((one) => ({ ...one, actions: one.actions.map(text) })),
    units: units.map((one) => ({ ...one, actions: one.actions.map(text) })),
    sshKey: sshKey.map(text),
  };
}

function action(words: string): PolicyAction {
  const [type, service] = words.split(" ") as [PolicyAction["type"], string | undefined];
  return type === "Reload" || type === "Restart" ? { type, service: service ?? "" } : { type };
}

function text(one: PolicyAction): string {
  return "service" in one ? `${one.type} ${one.service}` : one.type;
}
