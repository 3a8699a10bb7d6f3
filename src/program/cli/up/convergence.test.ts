import { describe, expect, it } from "vitest";
import { ApiError } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { machine } from "../../../embedded/lab/machine.ts";
import { machineBase, smallMachine } from "../../../embedded/lab/machine-base.ts";
import type { MemoryHost } from "../../../node/host/memory-host.ts";
import { readBootId } from "../../../node/host/boot-id.ts";
import { saveRecord } from "../../../node/on-node/tuning-record.ts";
import type { Profile, ProfileSpec } from "../../../domain/node-tuning/api.ts";
import { converge, readCluster, outcomeOf, outcomeTable, type Wanted } from "./convergence.ts";
import { exampleSysctl } from "./worked-example.ts";
import { collectGarbage } from "../../../cluster/runtime/testing/collect-garbage.ts";

const condition = (type: string, status: string, message = "") => ({ type, status, reason: "Test", message });
const spec = (tunedProfile = "quiet-memory"): ProfileSpec => ({ config: { tunedProfile }, profile: [] });

interface Reported {
  readonly applied?: string;
  readonly degraded?: string;
  readonly observedGeneration?: number;
}

function reported({ applied = "True", degraded = "False", observedGeneration = 2 }: Reported = {}): Profile {
  return {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Profile",
    metadata: { name: "n", generation: 2 },
    spec: spec(),
    status: {
      tunedProfile: "quiet-memory",
      observedGeneration,
      conditions: [condition("Applied", applied, "applied"), condition("Degraded", degraded, "broken")],
    },
  } as Profile;
}

/** A machine that was tuned to a profile since it started. */
async function tuned(profile = "quiet-memory", complete = true, boot?: string): Promise<MemoryHost> {
  const host = machine(machineBase(smallMachine));
  await host.write(exampleSysctl.path, "11\n");
  const bootId = boot ?? (await readBootId(host));
  await saveRecord(host, { bootId, spec: spec(profile), bootcmdline: "", complete });
  return host;
}

const wanted: Wanted = { type: "profile", spec: spec() };

describe("a node", () => {
  it("has converged when the profile that the operator chooses is applied since the machine started", async () => {
    const outcome = await outcomeOf({ node: "n", host: await tuned(), profile: reported(), wanted });
    expect(outcome).toMatchObject({ applied: "True", degraded: "False", value: "11", message: "applied" });
    expect(outcome.waitsFor).toBeUndefined();
  });

  const missing: [string, Profile | undefined, Wanted, string][] = [
    ["has not joined", undefined, { type: "no node" }, "its Node"],
    ["has no Profile yet", undefined, wanted, "the operator to choose profile quiet-memory"],
    [
      "is to get another profile",
      reported(),
      { type: "profile", spec: spec("own") },
      "the operator to choose profile own",
    ],
    ["is no longer managed", reported(), { type: "no profile" }, "the operator to delete the Profile"],
    ["reports an older generation", reported({ observedGeneration: 1 }), wanted, "the agent to report"],
    ["has not applied it", reported({ applied: "False" }), wanted, "applied"],
    ["is degraded", reported({ degraded: "True" }), wanted, "broken"],
  ];
  it.each(missing)("that %s has not converged, and says what it waits for", async (_, profile, wanted, waitsFor) => {
    const outcome = await outcomeOf({ node: "n", host: await tuned(), profile, wanted });
    expect(outcome).toMatchObject({ waitsFor, message: `waiting for ${waitsFor}` });
  });

  it.each([
    ["was not tuned", () => machine(machineBase(smallMachine))],
    ["was tuned to another profile", () => tuned("other")],
    ["is being tuned", () => tuned("quiet-memory", false)],
    ["was tuned before it booted, but not", () => tuned("quiet-memory", true, "an earlier boot")],
  ])("whose status is from before a restart, and that %s since, has not converged", async (_, host) => {
    const outcome = await outcomeOf({ node: "n", host: await host(), profile: reported(), wanted });
    expect(outcome).toMatchObject({
      waitsFor: "the agent to apply the profile",
      applied: "Unknown",
      degraded: "Unknown",
    });
  });

  it("that the operator is told to leave alone has converged", async () => {
    const host = machine(machineBase(smallMachine));
    const outcome = await outcomeOf({ node: "n", host, profile: undefined, wanted: { type: "no profile" } });
    expect(outcome).toMatchObject({ profile: "-", waitsFor: undefined });
  });
});

it("waiting ends after its time, however often the garbage collector runs", async () => {
  const collector = setInterval(collectGarbage, 5);
  try {
    const notFound = new ApiError({ code: 404, reason: "NotFound", message: "not found" });
    const client = {
      list: async () => ({ items: [] }),
      get: async () => Promise.reject(notFound),
      raw: async () => ({ resources: [] }),
    } as unknown as Client;
    const hosts = new Map([["n", machine(machineBase(smallMachine))]]);
    const { signal } = new AbortController();
    const state = await converge({ read: () => readCluster({ client, hosts, signal }), signal, timeoutMs: 150 });
    expect(state).toMatchObject({ nodes: [{ node: "n", waitsFor: "its Node" }], pools: [] });
  } finally {
    clearInterval(collector);
  }
});

it("outcomes are printed one per line", async () => {
  const host = await tuned();
  const outcome = await outcomeOf({ node: "n", host, profile: reported({ degraded: "True" }), wanted });
  expect(outcomeTable([outcome]).split("\n")).toEqual([
    "NODE   PROFILE        APPLIED   DEGRADED   VM.SWAPPINESS   MESSAGE",
    "n      quiet-memory   True      True       11              waiting for broken",
  ]);
});

it("the first table, which is printed whole, is no wider than a terminal of 80 columns", async () => {
  const host = machine(machineBase(smallMachine));
  const first = await outcomeOf({ node: "node-10000", host, profile: undefined, wanted: { type: "no node" } });
  expect(
    Math.max(
      ...outcomeTable([first])
        .split("\n")
        .map(({ length }) => length),
    ),
  ).toBeLessThanOrEqual(80);
});
