import { expect, test } from "vitest";
import { ifThere } from "../../src/cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { type Lease, leaseKind } from "../../src/cluster/runtime/leader/lease.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { invitationName } from "../../src/domain/rollout/first-boot/invitation.ts";
import { annotations } from "../../src/domain/rollout/node-annotations.ts";
import { startupTaint } from "../../src/domain/rollout/startup/startup-taint.ts";
import { operatorLease } from "../../src/program/operator/rbac.ts";
import { file, withFiles } from "../machine-config-rollout/rollout-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { bootFully, FirstBootCluster, give, newMachine } from "./first-boot-cluster.ts";

/** The writes of a first boot, in their order. */
const writes = {
  "claims the token": { verb: "patch", kind: "Secret" },
  "tells the node": { verb: "patch", kind: "Node" },
  "ends the invitation": { verb: "delete", kind: "Secret" },
} as const satisfies Record<string, { readonly verb: keyof Client; readonly kind: string }>;

/** `before`: the write arrives when another replica leads. `after`: it was carried out, and its answer is lost. */
interface Moment {
  readonly write: keyof typeof writes;
  readonly when: "before" | "after";
  /** The replica that the machine asks. */
  readonly asked: "leader" | "standby";
}

const moments: readonly Moment[] = [
  { write: "claims the token", when: "before", asked: "leader" },
  { write: "claims the token", when: "after", asked: "leader" },
  { write: "claims the token", when: "before", asked: "standby" },
  { write: "claims the token", when: "after", asked: "standby" },
  { write: "tells the node", when: "before", asked: "leader" },
  { write: "tells the node", when: "after", asked: "standby" },
  { write: "ends the invitation", when: "before", asked: "standby" },
  { write: "ends the invitation", when: "after", asked: "leader" },
];

test("a machine boots first and joins once, whenever one of two live replicas takes the lease from the other", async () => {
  const cluster = await FirstBootCluster.start({ leaderElection: true });
  await cluster.apply("50-base", { ...withFiles(file("/etc/a", "x")), kernelArguments: ["nohz_full=2-3"] });
  const config = await cluster.rendered("50-base");
  const replicas = new Replicas(cluster);
  await cluster.stopOperator();
  await replicas.start();

  for (const [index, moment] of moments.entries()) {
    const node = `node-${index}`;
    const leader = await replicas.leader();
    const token = await cluster.token(node);
    const server = replicas.url(moment.asked === "leader" ? leader : other(leader));
    const host = newMachine();
    await give(host, { ...token, server });
    const changed = replicas.changeLeaderAt(moment, node);
    expect([moment, await bootFully(host, { timeoutMs: 100_000 })]).toMatchObject([moment, { type: "done" }]);
    await cluster.join(node);
    await changed;
    await eventually("the invitation is gone", async () => (await cluster.invitation(node)) === undefined);
    expect(await replicas.leader()).toBe(other(leader));
    expect([moment, host.boots]).toEqual([moment, 2]);
    const { metadata, spec } = await cluster.admin.get(kinds.node, node);
    expect([moment, metadata.annotations]).toMatchObject([
      moment,
      { [annotations.desiredConfig]: config, [annotations.firstPivotConfig]: config },
    ]);
    expect(metadata.annotations).not.toHaveProperty([annotations.desiredDrain]);
    const { taints = [] } = spec as { taints?: { key: string }[] };
    expect(taints.filter(({ key }) => key === startupTaint.key)).toHaveLength(1);
  }
});

type Replica = "first" | "second";
const other = (replica: Replica): Replica => (replica === "first" ? "second" : "first");

/** Two replicas that live on when they lose the lease, and whose writes a test holds up. */
class Replicas {
  readonly #cluster: FirstBootCluster;
  readonly #urls = new Map<Replica, string>();
  /** Which replica has which identity. */
  readonly #identities = new Map<string, Replica>();
  #awaited: { readonly write: string; readonly when: Moment["when"] } | undefined;
  #changed: () => void = () => {};

  constructor(cluster: FirstBootCluster) {
    this.#cluster = cluster;
  }

  async start(): Promise<void> {
    for (const replica of ["first", "second"] as const)
      this.#urls.set(replica, await this.#cluster.addReplica(this.#clientOf(replica)));
  }

  url(replica: Replica): string {
    return this.#urls.get(replica) ?? "";
  }

  leader(): Promise<Replica> {
    return eventually("a replica leads", async () => {
      const lease = await ifThere(this.#cluster.admin.get(leaseKind, operatorLease, { namespace: tuningNamespace }));
      return this.#identities.get(lease?.spec?.holderIdentity ?? "");
    });
  }

  /** Resolves when the leader has changed. */
  changeLeaderAt({ write, when }: Moment, node: string): Promise<void> {
    const { verb, kind } = writes[write];
    this.#awaited = { write: `${verb} ${kind} ${kind === "Secret" ? invitationName(node) : node}`, when };
    return new Promise((resolve) => (this.#changed = resolve));
  }

  /** The replica that led learns from its watch that it does so no more; the other one waits for nothing else. */
  async #changeLeader(): Promise<void> {
    this.#awaited = undefined;
    const before = await this.leader();
    for (let now = before; now === before; now = await this.leader())
      await ifThere(this.#cluster.admin.delete(leaseKind, operatorLease, { namespace: tuningNamespace }));
    this.#changed();
  }

  #clientOf(replica: Replica): Client {
    const write = async (verb: string, { kind }: KindRef, subject: unknown, send: () => Promise<unknown>) => {
      if (kind === "Lease") this.#identities.set((subject as Lease).spec?.holderIdentity ?? "", replica);
      const isAt = (when: Moment["when"]): boolean =>
        this.#awaited?.when === when && this.#awaited.write === `${verb} ${kind} ${String(subject)}`;
      if (isAt("before")) await this.#changeLeader();
      // A write that is refused, because the kubelet was faster, is sent again.
      const answer = await send();
      if (!isAt("after")) return answer;
      await this.#changeLeader();
      throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    };
    return new Proxy<Client>(this.#cluster.admin, {
      get(target, verb: keyof Client) {
        const method = target[verb].bind(target) as (kind: KindRef, ...rest: unknown[]) => Promise<unknown>;
        if (!["create", "update", "patch", "delete"].includes(verb)) return method;
        return (kind: KindRef, ...rest: unknown[]) => write(verb, kind, rest[0], () => method(kind, ...rest));
      },
    });
  }
}
