import { describe, expect, test } from "vitest";
import { apiVersion, group, type MachineConfigPool } from "../../src/domain/machine-config/api.ts";
import { renderPool, type Rendering } from "../../src/domain/machine-config/render-pool.ts";
import { generatedBy } from "../../src/domain/machine-config/rendered-annotations.ts";
import { agreesWithRecorded, casesOf, machineConfigOf, sha256, type ShortMachineConfig } from "./parity.ts";

interface ShortPool {
  name: string;
  osImageStream?: string;
}

interface Rendered {
  id: string;
  check: "render" | "replace";
  pool: ShortPool;
  current?: ShortMachineConfig;
  machineConfigs: ShortMachineConfig[];
  controllerConfigVersion?: string;
  expect: unknown;
}

interface Names {
  id: string;
  check: "names";
  variants: { label: string; machineConfigs: ShortMachineConfig[] }[];
  expect: { equal: string[][] };
}

const images = { osImageURL: "base-os-image", baseOSExtensionsContainerImage: "base-extensions-image" };
const version = "<controller version>";

function render(
  pool: ShortPool,
  machineConfigs: readonly ShortMachineConfig[],
  current?: ShortMachineConfig,
): Rendering {
  return renderPool({
    pool: poolOf(pool),
    machineConfigs: machineConfigs.map(running).map(machineConfigOf),
    current: current && machineConfigOf(current),
    images,
    version,
    release: "1.2.3",
    digest: sha256,
  });
}

function poolOf({ name, osImageStream }: ShortPool): MachineConfigPool {
  const spec = osImageStream === undefined ? {} : { osImageStream: { name: osImageStream } };
  return { apiVersion, kind: "MachineConfigPool", metadata: { name, uid: "pool-uid" }, spec };
}

/** `current` stands for the version that runs. */
function running(short: ShortMachineConfig): ShortMachineConfig {
  return short.annotations?.[generatedBy] === "current"
    ? { ...short, annotations: { ...short.annotations, [generatedBy]: version } }
    : short;
}

const recorded = casesOf<Rendered | Names | { id: string; check: "sync"; expect: unknown }>("rendered-config");

const rendered = { annotations: { [generatedBy]: version, [`${group}/release-image-version`]: "1.2.3" } };

/**
 * machine-config W-3: a MachineConfig that an older version generated stops no pool. machine-config W-23: there is no object of
 * another operator to wait for, everything that decides is passed in.
 */
const rendersInstead = { "render-stale-generated": rendered, "render-other-operator-version": rendered };

describe("a pool is rendered as recorded", () => {
  const cases = recorded.filter((one): one is Rendered => one.check === "render" || one.check === "replace");
  agreesWithRecorded(cases, rendersInstead, ({ pool, machineConfigs, current }) => {
    const rendering = render(pool, machineConfigs, current);
    return rendering.type === "refused" ? { refused: true } : { annotations: rendering.config.metadata.annotations };
  });

  test("its rendered config is owned by the pool", () => {
    const rendering = render({ name: "worker" }, [{ name: "10-a" }]);
    expect(rendering.type === "rendered" && rendering.config.metadata.ownerReferences).toEqual([
      {
        apiVersion,
        kind: "MachineConfigPool",
        name: "worker",
        uid: "pool-uid",
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });
});

/** machine-config W-5: names follow decoded contents. */
const equalInstead = {
  "name-encoding-counts": [["plain", "base64", "mime"]],
  "name-empty-compression": [["alone", "plus-empty-ignition"]],
  "name-file-order-counts": [["ab", "ba"]],
  "name-overwrite-free": [["absent", "true", "false"]],
  "name-karg-order-counts": [["ab", "joined"], ["ba"]],
};

/** `a = b` for each set of equal names, in an order that does not depend on that of the variants. */
function sides(equal: readonly (readonly string[])[]): string[] {
  return equal.map((labels) => labels.toSorted().join(" = ")).toSorted();
}

describe("rendered configs have equal names as recorded", () => {
  const cases = recorded
    .filter((one): one is Names => one.check === "names")
    .map(({ id, variants, expect: { equal } }) => ({
      id,
      variants,
      expect: sides(equal),
    }));
  const ours = Object.fromEntries(Object.entries(equalInstead).map(([id, equal]) => [id, sides(equal)]));
  agreesWithRecorded(cases, ours, ({ variants }) => {
    const groups = new Map<string, string[]>();
    for (const { label, machineConfigs } of variants) {
      const rendering = render({ name: "worker" }, machineConfigs);
      const name = rendering.type === "rendered" ? (rendering.config.metadata.name ?? "") : "refused";
      groups.set(name, [...(groups.get(name) ?? []), label]);
    }
    return sides([...groups.values()]);
  });
});
