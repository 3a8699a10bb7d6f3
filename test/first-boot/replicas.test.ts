import { expect, test } from "vitest";
import type { Client, KindRef, WatchEvent } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { annotations } from "../../src/domain/rollout/node-annotations.ts";
import { firstBootNamespace, invitationName } from "../../src/domain/rollout/first-boot/invitation.ts";
import { fetchPayload } from "../../src/node/on-node/first-boot/fetch-payload.ts";
import { file, withFiles } from "../machine-config-rollout/rollout-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { bootFirst, bootFully, FirstBootCluster, give, newMachine } from "./first-boot-cluster.ts";

const base = { ...withFiles(file("/etc/base.conf", "x")), kernelArguments: ["nohz_full=2-3"] };
const { signal } = new AbortController();

test("a machine that a replica serves joins under the next leader, which tells it exactly the config that it has", async () => {
  const cluster = await FirstBootCluster.start({ leaderElection: true });
  await cluster.apply("50-base", base);
  const config = await cluster.rendered("50-base");
  const server = await cluster.addReplica();
  const [host, token] = [newMachine(), await cluster.token("a")];
  await give(host, { ...token, server });
  expect(await bootFirst(host)).toEqual({ type: "rebooting", config });
  await cluster.stopOperator();
  await host.boot();
  expect(await bootFully(host)).toMatchObject({ type: "done" });
  await cluster.join("a");
  const { metadata } = await eventually("told", async () => {
    const node = await cluster.admin.get(kinds.node, "a");
    return node.metadata.annotations?.[annotations.desiredConfig] !== undefined && node;
  });
  expect(metadata.annotations).toMatchObject({ [annotations.desiredConfig]: config });
  await eventually("the invitation is gone", async () => (await cluster.invitation("a")) === undefined);
  expect(host.boots).toBe(2);
  // Tokens that the leader before had issued stay good.
  expect(await eventually("published", async () => (await cluster.token("b")).server === server)).toBe(true);
  expect((await cluster.token("b")).certificateAuthority).toBe(token.certificateAuthority);
});

test("of two clients that show one token to two replicas at once, one gets the config", async () => {
  const cluster = await FirstBootCluster.start({ leaderElection: true });
  await cluster.apply("50-base", base);
  await cluster.rendered("50-base");
  const server = await cluster.addReplica();
  for (const node of ["a", "b", "c", "d", "e"]) {
    const token = await cluster.token(node);
    const other = { ...token, server };
    for (const known of [token, other])
      await eventually("the replica knows the token", async () => {
        // Refused, so that the token stays unused.
        const { type } = await fetchPayload({ ...known, pool: "master" }, "none", signal);
        return type === "refused";
      });
    const answers = await Promise.all([fetchPayload(token, "one", signal), fetchPayload(other, "two", signal)]);
    expect(answers.filter(({ type }) => type === "config")).toHaveLength(1);
  }
});

test("a replica that has not seen a new token yet lets the machine wait, and refuses none", async () => {
  const cluster = await FirstBootCluster.start({ leaderElection: true });
  await cluster.apply("50-base", base);
  await cluster.rendered("50-base");
  const late = new LateWatch(cluster.admin);
  const server = await cluster.addReplica(late.client);
  const known = { ...(await cluster.token("known")), server };
  await eventually("serves", async () => (await fetchPayload(known, "k", signal)).type === "config");
  late.hold();
  const token = { ...(await cluster.token("a")), server };
  expect(await fetchPayload(token, "k", signal)).toMatchObject({ type: "later" });
  // The token of a node may be issued again.
  const again = { ...(await cluster.token("known")), server };
  expect(await fetchPayload(again, "k", signal)).toMatchObject({ type: "later" });
  late.release();
  for (const issued of [token, again])
    await eventually("serves", async () => (await fetchPayload(issued, "k", signal)).type === "config");
  // Of a token that is not new every replica knows.
  await cluster.admin.delete(kinds.secret, invitationName("a"), { namespace: firstBootNamespace });
  cluster.aheadMs = 10 * 60_000;
  await eventually("refused", async () => (await fetchPayload(token, "k", signal)).type === "refused");
});

/** A client whose watches of Secrets can fall behind. */
class LateWatch {
  readonly client: Client;
  #held: Promise<void> = Promise.resolve();
  #release = (): void => {};

  constructor(client: Client) {
    const wait = (): Promise<void> => this.#held;
    async function* late(events: AsyncIterable<WatchEvent<never>>): AsyncGenerator<WatchEvent<never>> {
      for await (const event of events) {
        await wait();
        yield event;
      }
    }
    this.client = new Proxy(client, {
      get(target, verb: keyof Client) {
        const method = target[verb].bind(target) as (kind: KindRef, ...rest: unknown[]) => unknown;
        if (verb !== "watch") return method;
        return (kind: KindRef, ...rest: unknown[]) => {
          const events = method(kind, ...rest) as AsyncIterable<WatchEvent<never>>;
          return kind.kind === "Secret" ? late(events) : events;
        };
      },
    });
  }

  hold(): void {
    this.#held = new Promise((resolve) => (this.#release = resolve));
  }

  release(): void {
    this.#release();
  }
}
