import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { equal } from "../../src/language/object/json.ts";
import { profileKind, tunedKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { operatorLease } from "../../src/program/operator/rbac.ts";
import { type Lease, leaseKind } from "../../src/cluster/runtime/leader/lease.ts";
import { Program } from "../../src/program/cli/testing/program.ts";
import { LiveStage } from "./live-stage.ts";
import { type OperatorProcess, startOperatorProcess } from "./operator-process.ts";
import { restartableVariants } from "./restartable-server.ts";
import { nodes } from "./stage.ts";
import { until } from "../node-tuning/eventually.ts";

let attune: Program;
let stage: LiveStage;
let running: OperatorProcess[] = [];

beforeAll(async () => {
  attune = await Program.build();
});
afterAll(() => attune.remove());
afterEach(async () => {
  for (const one of running) one.signal("SIGKILL");
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
  await stage.close();
});

const start = (): OperatorProcess => {
  const started = startOperatorProcess(attune, stage.kubeconfig);
  running.push(started);
  return started;
};

const textOf = (value: number): string => `[main]\ninclude=openshift-node\n[sysctl]\nvm.swappiness=${value}\n`;

async function edit(value: number): Promise<void> {
  const { apiVersion, kind } = tunedKind;
  const spec = { profile: [{ name: "all", data: textOf(value) }], recommend: [{ profile: "all", priority: 5 }] };
  const object = { apiVersion, kind, metadata: { name: "all", namespace }, spec };
  const apply = { type: "apply", object, force: true } as const;
  await stage.client.patch(tunedKind, "all", apply, { namespace, fieldManager: "test" });
}

async function join(name: string): Promise<void> {
  const metadata = { name, labels: { "kubernetes.io/os": "linux" } };
  await stage.client.create(nodes, { apiVersion: "v1", kind: "Node", metadata });
}

/** Whether exactly these nodes have Profiles, all with this value. */
async function haveAll(names: ReadonlySet<string>, value: number): Promise<boolean> {
  const { items } = await stage.client.list(profileKind, { namespace });
  return (
    items.length === names.size &&
    items.every(
      ({ metadata, spec }) =>
        names.has(metadata.name ?? "") && spec.profile?.some(({ data }) => equal(data, textOf(value))),
    )
  );
}

const holder = async (): Promise<string | undefined> => {
  const { items } = await stage.client.list<Lease>(leaseKind, { namespace });
  return items.find(({ metadata }) => metadata.name === operatorLease)?.spec?.holderIdentity;
};

describe.each(restartableVariants())("the operator as a process, on the $name server", (variant) => {
  beforeEach(async () => {
    stage = await LiveStage.open(variant);
  });

  it("survives five kills at any moment of its work", async () => {
    const names = new Set<string>();
    let value = 0;
    // Without leader election: a killed process does not release its lease, and the next one would wait for it.
    const free = async (): Promise<void> => {
      await stage.client.delete(leaseKind, operatorLease, { namespace }).catch(() => {});
    };
    for (let kill = 0; kill < 5; kill++) {
      const operator = start();
      const before = names.size;
      for (let index = 0; index < 40; index++) names.add(`node-${kill}-${index}`);
      await Promise.all([...names].slice(before).map((name) => join(name)));
      await edit(++value);
      // A different part of the work is done each time.
      const part = before + Math.ceil(40 * (0.1 + 0.8 * Math.random()));
      await until(async () => (await stage.client.list(profileKind, { namespace })).items.length >= part);
      operator.signal("SIGKILL");
      await operator.ended;
      const leaving = [...names][Math.floor(Math.random() * names.size)] as string;
      names.delete(leaving);
      await stage.client.delete(nodes, leaving);
      await free();
    }
    await edit(++value);
    start();
    await until(() => haveAll(names, value));
  }, 120_000);

  it("is replaced by another when it is stopped past its lease, and ends when it continues", async () => {
    const names = new Set(["one", "two"]);
    for (const name of names) await join(name);
    await edit(1);
    const first = start();
    await until(() => haveAll(names, 1));
    const led = await holder();
    const second = start();
    first.signal("SIGSTOP");
    await edit(2);
    await until(async () => (await holder()) !== led);
    await until(() => haveAll(names, 2));
    const settled = await versions();

    first.signal("SIGCONT");
    expect(await first.ended).not.toBe(0);
    expect(first.output()).toContain("lease");
    expect(await holder()).not.toBe(led);
    expect(await versions()).toEqual(settled);
    second.signal("SIGTERM");
    expect(await second.ended).toBe(0);
    // The lease was released: the next process need not wait.
    expect(await holder()).toBeUndefined();
  }, 120_000);
});

async function versions(): Promise<(string | undefined)[]> {
  const { items } = await stage.client.list(profileKind, { namespace });
  return items.map(({ metadata }) => metadata.resourceVersion);
}
