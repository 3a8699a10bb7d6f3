import { describe } from "vitest";
import { apiVersion, type MachineConfigPool, roleLabel } from "../../src/domain/machine-config/api.ts";
import { Pools } from "../../src/domain/machine-config/pools.ts";
import { renderPool } from "../../src/domain/machine-config/render-pool.ts";
import { generatedBy, releaseVersion } from "../../src/domain/machine-config/rendered-annotations.ts";
import { poolStatus } from "../../src/domain/rollout/pool-status.ts";
import { configurationOf, describeProblem, Renderings } from "../../src/domain/rollout/rendering.ts";
import type { Condition } from "../../src/language/object/condition.ts";
import type { LabelSelectorObject } from "../../src/language/object/label-selector.ts";
import { agreesWithRecorded, casesOf, machineConfigOf, sha256, type ShortMachineConfig } from "./parity.ts";

interface Recorded {
  id: string;
  check: string;
  pool: {
    name: string;
    /** Absent: the role of the pool's name. */
    machineConfigSelector?: LabelSelectorObject | null;
    configuration?: string;
    paused?: boolean;
    conditions?: Condition[];
  };
  machineConfigs: ShortMachineConfig[];
  expect: { created: object[]; pool: { conditions: Condition[]; configuration: string; source: string[] } };
}

/** One pass: the annotations of what is created, where the pool points, and whether it is degraded. */
interface Pass {
  created: unknown[];
  configuration: string;
  source: string[];
  isDegraded: boolean;
}

const isDegraded = (conditions: readonly Condition[] = []): boolean =>
  conditions.some(({ type, status }) => type === "RenderDegraded" && status === "True");

const images = { osImageURL: "base-os-image", baseOSExtensionsContainerImage: "base-extensions-image" };
const version = "<controller version>";

async function pass({ pool: short, machineConfigs }: Recorded): Promise<Pass> {
  const pool = poolOf(short);
  const pools = new Pools([pool]);
  const selected = machineConfigs
    .map(machineConfigOf)
    .filter(({ metadata }) => pools.selecting(metadata.labels ?? {}).includes(short.name));
  const renderings = new Renderings(
    (of, configs, current) =>
      renderPool({ pool: of, machineConfigs: configs, current, images, version, release: "1.2.3", digest: sha256 }),
    // No recorded pool points to a config that exists.
    () => Promise.resolve(undefined),
  );
  const rendering = await renderings.of(pool, selected);
  const renderProblems = rendering?.type === "refused" ? rendering.problems.map(describeProblem) : [];
  const status = poolStatus({ pool, members: [], renderProblems, waiting: [], now: "2026-01-01T00:00:00Z" });
  const rendered = rendering?.type === "rendered" ? rendering : undefined;
  return {
    created: rendered ? [rendered.config.metadata.annotations] : [],
    configuration: rendered ? "created" : (short.configuration ?? ""),
    source: (rendered && configurationOf(rendered).source?.map(({ name }) => name ?? "")) ?? [],
    isDegraded: isDegraded(status.conditions),
  };
}

function poolOf({
  name,
  configuration,
  paused = false,
  conditions = [],
  ...given
}: Recorded["pool"]): MachineConfigPool {
  const { machineConfigSelector = { matchLabels: { [roleLabel]: name } } } = given;
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name },
    spec: { machineConfigSelector, paused, ...(configuration ? { configuration: { name: configuration } } : {}) },
    status: { conditions },
  };
}

const rendered: Pass = {
  created: [{ [generatedBy]: version, [releaseVersion]: "1.2.3" }],
  configuration: "created",
  source: ["10-a"],
  isDegraded: false,
};

/**
 * machine-config W-3: a KubeletConfig that failed stops no other change. machine-config W-17: a pool without a selector is left
 * alone, as one with an empty selector.
 */
const ours: Record<string, Pass> = {
  "render-sync-kubelet-config-pending": rendered,
  "render-sync-kubelet-config-failed": rendered,
  "render-sync-no-selector": { created: [], configuration: "", source: [], isDegraded: false },
};

describe("a pass over a pool renders as recorded", () => {
  const cases = casesOf<Recorded>("rendered-config")
    .filter(({ check }) => check === "sync")
    .map((recorded) => {
      const { created, pool } = recorded.expect;
      const { configuration, source } = pool;
      const expected: Pass = { created, configuration, source, isDegraded: isDegraded(pool.conditions) };
      return { id: recorded.id, recorded, expect: expected };
    });
  agreesWithRecorded(cases, ours, ({ recorded }) => pass(recorded));
});
