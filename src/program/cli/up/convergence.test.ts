import { describe, expect, it } from "vitest";
import type { MemoryHost } from "../../../node/host/memory-host.ts";
import { machine, machineBase, smallMachine } from "../../../embedded/lab/machine.ts";
import { exampleSysctl, exampleTuned } from "./worked-example.ts";
import type { Profile } from "../../../domain/node-tuning/api.ts";
import { outcomeOf, outcomeTable } from "./convergence.ts";

const time = "2026-01-01T00:00:00Z";
const condition = (type: string, status: string, message = "") => ({
  type,
  status,
  reason: "Test",
  message,
  lastTransitionTime: time,
});

interface Reported {
  readonly applied?: string;
  readonly degraded?: string;
  readonly observedGeneration?: number;
  readonly profile?: string;
}

function reported({ applied = "True", degraded = "False", observedGeneration = 2, profile }: Reported = {}): Profile {
  return {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Profile",
    metadata: { name: "n", generation: 2 },
    spec: { config: { tunedProfile: profile ?? exampleTuned().metadata.name ?? "" } },
    status: {
      observedGeneration,
      conditions: [condition("Applied", applied, "applied"), condition("Degraded", degraded, "broken")],
    },
  } as unknown as Profile;
}

async function hostWith(value: string): Promise<MemoryHost> {
  const host = machine(machineBase(smallMachine));
  await host.write(exampleSysctl.path, `${value}\n`);
  return host;
}

describe("a node", () => {
  it("has converged when its Profile is applied and its kernel has the value", async () => {
    const outcome = await outcomeOf("n", await hostWith(exampleSysctl.value), reported());
    expect(outcome).toMatchObject({ applied: "True", degraded: "False", value: exampleSysctl.value, converged: true });
  });

  const missing: [string, Profile | undefined, string, object][] = [
    ["has no profile yet", undefined, exampleSysctl.value, { profile: "-", message: "waiting for the node" }],
    ["has another profile", reported({ profile: "other" }), exampleSysctl.value, { profile: "other" }],
    ["reports an older generation", reported({ observedGeneration: 1 }), exampleSysctl.value, { applied: "Unknown" }],
    ["has not applied it", reported({ applied: "False" }), exampleSysctl.value, { applied: "False" }],
    ["is degraded", reported({ degraded: "True" }), exampleSysctl.value, { degraded: "True", message: "broken" }],
    ["reports success, but its kernel has another value", reported(), "60", { applied: "True", value: "60" }],
  ];
  it.each(missing)("has not converged when it %s", async (_, profile, value, shown) => {
    expect(await outcomeOf("n", await hostWith(value), profile)).toMatchObject({ ...shown, converged: false });
  });
});

it("outcomes are printed one per line, with the actual and the wanted value", async () => {
  const outcome = await outcomeOf("n", await hostWith("60"), reported({ degraded: "True" }));
  expect(outcomeTable([outcome]).split("\n")).toEqual([
    "NODE   PROFILE        APPLIED   DEGRADED   VM.SWAPPINESS   WANTED   MESSAGE",
    "n      quiet-memory   True      True       60              11       broken",
  ]);
});
