import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { profileKind, tunedKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { operatorLease } from "../../src/program/operator/rbac.ts";
import { type Lease, leaseKind } from "../../src/cluster/runtime/leader/lease.ts";
import { LeadershipLostError } from "../../src/cluster/runtime/leader/leader-gate.ts";
import { DirectClient } from "../workloads/direct-client.ts";
import { PausableProcess, type Sent } from "./pausable-process.ts";
import { nodes, type Running, Stage } from "./stage.ts";
import { outcome, story } from "./story.ts";

/** Defaults of the leader election: how long a leader acts without renewing, and how long others wait for it. */
const renewDeadlineMs = 16_000;
const leaseDurationMs = 20_000;

let stage: Stage;
let first: PausableProcess;
let second: PausableProcess;
let firstOperator: Running;
let secondOperator: Running;

const start = (process: PausableProcess): Running =>
  stage.startOperator(process.client, { clock: process.clock, leaderElection: true });
const lease = (): Promise<Lease> => stage.client.get(leaseKind, operatorLease, { namespace });
const isLease = ({ write }: Sent): boolean => write.endsWith("leases");
const editTo = async (cpu: number): Promise<void> => {
  const data = `[main]\ninclude=openshift-node\n[bootloader]\ncmdline=isolcpus=${cpu}\n`;
  const patch = { spec: { profile: [{ name: "rt", data }] } };
  await stage.client.patch(tunedKind, "rt", { type: "merge", patch }, { namespace });
};
const textOf = async (node: string): Promise<string> =>
  JSON.stringify((await stage.client.get(profileKind, node, { namespace })).spec.profile);

beforeEach(async () => {
  stage = await Stage.open();
  first = new PausableProcess(stage.clock, new DirectClient(stage.server));
  second = new PausableProcess(stage.clock, new DirectClient(stage.server));
  firstOperator = start(first);
  await stage.clock.advance(5_000);
  secondOperator = start(second);
  for (const { happen } of story.slice(0, 2)) {
    await happen(stage.client);
    await stage.settle();
  }
});

afterEach(async () => {
  await first.goOn();
  await firstOperator.stop();
  await secondOperator.stop();
  stage.close();
});

describe("a leader that is paused past its lease", () => {
  it("acts alone before that", async () => {
    expect(first.sent.filter((sent) => !isLease(sent)).length).toBeGreaterThan(10);
    expect(second.sent).toEqual([]);
  });

  it("starts no request when it continues, and ends; the other has taken over", async () => {
    const { spec: before } = await lease();
    first.pause();
    const pausedAt = stage.clock.monotonic();
    await editTo(3);
    await stage.clock.advance(leaseDurationMs - 5_000);
    // Not earlier: the first may still believe that it leads.
    expect(second.sent).toEqual([]);
    await stage.clock.advance(15_000);
    await stage.settle();
    const { spec: after } = await lease();
    expect(after?.holderIdentity).not.toBe(before?.holderIdentity);
    expect(after?.leaseTransitions).toBe((before?.leaseTransitions ?? 0) + 1);
    expect(await textOf("three")).toContain("isolcpus=3");
    const done = await outcome(stage.client);

    first.sent.length = 0;
    await first.goOn();
    await stage.settle();
    expect(firstOperator.failure()).toBeInstanceOf(LeadershipLostError);
    expect(first.sent.filter((sent) => !isLease(sent))).toEqual([]);
    expect(first.sent.every(({ outcome: how }) => how === 409)).toBe(true);
    expect(stage.clock.monotonic() - pausedAt).toBeGreaterThan(renewDeadlineMs);
    expect(await outcome(stage.client)).toEqual(done);
    expect((await lease()).spec?.holderIdentity).toBe(after?.holderIdentity);
  });

  it("starts no request in the middle of a plan either", async () => {
    // The first writes of a plan are in flight when it is paused; those that wait for them must not start afterwards.
    first.delays = (write) => write.endsWith("profiles");
    const joined = Array.from({ length: 40 }, (_, index) => `late-${index}`);
    for (const name of joined) await createNode(name);
    await stage.clock.advance(100);
    const begun = first.sent.filter(({ write }) => write === "create profiles").length;
    expect(begun).toBeLessThan(joined.length);
    first.pause();
    await stage.clock.advance(leaseDurationMs + 10_000);
    await stage.settle();
    first.arrive();
    first.sent.length = 0;
    await first.goOn();
    await stage.settle();
    expect(first.sent.filter((sent) => !isLease(sent))).toEqual([]);
    expect((await stage.client.list(profileKind, { namespace })).items).toHaveLength(joined.length + 3);
  });
});

describe("a write that arrives after another has taken over", () => {
  /** The first leader sends it and is paused; it reaches the server when the second one leads. */
  const late = async (isLate: (write: string) => boolean, cause: () => Promise<void>): Promise<Sent> => {
    first.delays = isLate;
    await cause();
    await stage.clock.advance(100);
    const sent = first.sent.find(({ write, outcome: how }) => isLate(write) && how === undefined);
    if (!sent) throw new Error("the first operator has sent nothing of the kind");
    first.pause();
    await stage.clock.advance(leaseDurationMs + 10_000);
    await stage.settle();
    return sent;
  };

  it("is rejected if the object has changed since", async () => {
    const sent = await late(
      (write) => write === "update profiles",
      () => editTo(3),
    );
    await editTo(4);
    await stage.settle();
    const done = await outcome(stage.client);
    first.arrive();
    await stage.settle();
    expect(sent.outcome).toBe(409);
    expect(await outcome(stage.client)).toEqual(done);
  });

  it("is undone if it creates an object that is no longer wanted", async () => {
    const sent = await late(
      (write) => write === "create profiles",
      () => createNode("short-lived"),
    );
    await stage.client.delete(nodes, "short-lived");
    await stage.settle();
    const done = await outcome(stage.client);
    first.arrive();
    await stage.settle();
    expect(sent.outcome).toBe("done");
    expect(await outcome(stage.client)).toEqual(done);
  });

  it("is corrected if it is an old status", async () => {
    const sent = await late(
      (write) => write === "patch tuneds/status",
      () => editTo(3),
    );
    await editTo(4);
    await stage.settle();
    const done = await outcome(stage.client);
    first.arrive();
    await stage.settle();
    expect(sent.outcome).toBe("done");
    expect(await outcome(stage.client)).toEqual(done);
  });
});

async function createNode(name: string): Promise<void> {
  const metadata = { name, labels: { "kubernetes.io/os": "linux" } };
  await stage.client.create(nodes, { apiVersion: "v1", kind: "Node", metadata });
}
