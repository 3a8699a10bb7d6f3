import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { nodePoolCrds } from "../../src/domain/node-pool/crds.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import type { Json } from "../../src/language/object/json.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { casesOf, type RecordedCase } from "./cases.ts";
import { hashDifferences, type Hashes } from "./differences.ts";
import { LiveCase, Observed } from "./live-node-pools.ts";
import { type NodePoolCase, nodePoolFiles, wantedSteps } from "./node-pool-steps.ts";

const isLong = process.env["ATTUNE_LONG"] !== undefined;
if (!isLong) console.log("run: one in ten recorded cases through the controller (all with ATTUNE_LONG)");
const chosen = <T>(all: readonly T[]): readonly T[] => (isLong ? all : all.filter((_, index) => index % 10 === 0));
const cases = chosen(nodePoolFiles.flatMap((file) => casesOf<NodePoolCase>(file)).filter((one) => !one.rejected));
const hashCases = chosen(casesOf<RecordedCase<unknown>>("rollout-hash"));

/** The recorded cases through the controller: what other suites decide in memory is written to, and read from, an API server. */
describe.each(["documented", "shipped"] as const)("column %s", { timeout: 60_000 }, (protocol) => {
  let dir: string;
  let server: ApiServer;
  let client: HttpClient;
  let observed: Observed;
  const stop = new AbortController();
  const parts: Promise<void>[] = [];
  const ended: { readonly id: string; readonly live: LiveCase; readonly wanted: Json }[] = [];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "attune-live-"));
    server = await startServer({ dir, storage: "memory" });
    client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
    for (const crd of nodePoolCrds) await client.create(kinds.customResourceDefinition, crd);
    observed = new Observed(client);
    const { signal } = stop;
    parts.push(observed.run(signal), runManagement({ client, signal, image: "", protocol, leaderElection: false }));
  });
  afterAll(async () => {
    stop.abort();
    await Promise.all(parts);
    client?.close();
    await server?.close();
    await rm(dir, { recursive: true, force: true });
  });

  it.concurrent.each(cases.map((recorded, index): [string, NodePoolCase, number] => [recorded.id, recorded, index]))(
    "%s",
    async (id, recorded, index) => {
      const live = new LiveCase(client, observed, { users: `n${index}`, protocol });
      await live.create(recorded);
      for (const { changes, wanted } of wantedSteps(id, recorded, protocol)) {
        for (const change of changes) await live.change(change);
        expect(await live.settled(wanted)).toEqual(wanted);
        ended.push({ id, live, wanted });
      }
    },
  );

  it.concurrent.each(hashCases.map((one, index): [string, RecordedCase<unknown>, number] => [one.id, one, index]))(
    "%s",
    async (id, recorded, index) => {
      const live = new LiveCase(client, observed, { users: `h${index}`, protocol });
      await live.create(recorded);
      const before = await live.target();
      const [step] = recorded.steps;
      for (const change of step?.change ?? []) await live.change(change);
      const { full, withoutVersion } = hashDifferences[id] ?? step ?? {};
      if (full === "changed") await eventually("another", async () => (await live.order()).full !== before.full);
      const after = full === "changed" ? await live.order() : await live.target();
      const word = (hash: keyof Hashes): string => (before[hash] === after[hash] ? "same" : "changed");
      expect({ full: word("full"), withoutVersion: word("withoutVersion") }).toEqual({ full, withoutVersion });
    },
  );

  it("and all of them stay so", () => {
    const last = new Map(ended.map((one) => [one.id, one]));
    for (const { live, wanted } of last.values()) expect(live.state(wanted)).toEqual(wanted);
    expect(last.size).toBe(cases.length);
  });
});
