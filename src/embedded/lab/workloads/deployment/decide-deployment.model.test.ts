import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTime } from "../../../../language/object/time.ts";
import type { Deployment, ReplicaSet } from "../workload-objects.ts";
import { boundsOf } from "./bounds.ts";
import { decideDeployment } from "./decide-deployment.ts";

/** A ReplicaSet with its pods, which are only counted. */
interface Kept {
  object: ReplicaSet;
  pods: number;
  available: number;
}

type Move =
  | { type: "decide" }
  | { type: "size"; which: number }
  | { type: "report"; which: number }
  | { type: "ready"; which: number; count: number }
  | { type: "template"; image: number }
  | { type: "pause"; paused: boolean };

/** A Deployment, its ReplicaSets and their pods, changed in small steps in any order. */
class World {
  deployment: Deployment;
  readonly sets = new Map<string, Kept>();
  #now = Date.parse("2026-01-01T00:00:00Z");

  constructor(replicas: number, maxSurge: number | string, maxUnavailable: number | string) {
    const labels = { app: "web" };
    this.deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default", uid: "d", generation: 1 },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "0" }] } },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
        progressDeadlineSeconds: 600,
        revisionHistoryLimit: 2,
      },
    };
  }

  get available(): number {
    return [...this.sets.values()].reduce((sum, { available }) => sum + available, 0);
  }

  get wanted(): number {
    return [...this.sets.values()].reduce((sum, { object }) => sum + (object.spec?.replicas ?? 0), 0);
  }

  move(move: Move): void {
    this.#now += 1000;
    const sets = [...this.sets.values()];
    if (move.type === "decide") return this.decide();
    if (move.type === "template") return this.edit({ template: this.#template(String(move.image)) });
    if (move.type === "pause") return this.edit({ paused: move.paused });
    const kept = sets[move.which % Math.max(1, sets.length)];
    if (!kept) return;
    if (move.type === "size") resize(kept);
    else if (move.type === "report") report(kept);
    else kept.available = Math.min(kept.pods, kept.available + move.count);
  }

  edit(spec: Partial<NonNullable<Deployment["spec"]>>): void {
    const { metadata } = this.deployment;
    const generation = (metadata.generation ?? 0) + 1;
    this.deployment = {
      ...this.deployment,
      metadata: { ...metadata, generation },
      spec: { ...this.deployment.spec!, ...spec },
    };
  }

  #template(image: string): NonNullable<Deployment["spec"]>["template"] {
    return { ...this.deployment.spec!.template, spec: { containers: [{ name: "c", image }] } };
  }

  decide(): void {
    const replicaSets = [...this.sets.values()].map(({ object }) => object);
    const plan = decideDeployment({ deployment: this.deployment, replicaSets, podsOf: () => [], now: this.#now });
    if (plan.create) {
      const name = plan.create.metadata.name ?? "";
      if (this.sets.has(name)) throw new Error(`${name} is made twice`);
      const metadata = { ...plan.create.metadata, uid: name, generation: 1, creationTimestamp: formatTime(this.#now) };
      this.sets.set(name, { object: { ...plan.create, metadata }, pods: 0, available: 0 });
    }
    for (const update of plan.updates) {
      const kept = this.sets.get(update.metadata.name ?? "")!;
      const isResized = kept.object.spec?.replicas !== update.spec?.replicas;
      const generation = (kept.object.metadata.generation ?? 0) + (isResized ? 1 : 0);
      kept.object = { ...update, metadata: { ...update.metadata, generation } };
    }
    for (const { metadata } of plan.deletes) {
      if (this.sets.get(metadata.name ?? "")?.pods !== 0) throw new Error(`${metadata.name} has pods`);
      this.sets.delete(metadata.name ?? "");
    }
    this.deployment = { ...this.deployment, status: plan.status };
  }

  /** All controllers work in turn, until nothing changes. */
  settle(): void {
    for (let turn = 0; turn < 25; turn++) {
      this.decide();
      for (const kept of this.sets.values()) {
        resize(kept);
        kept.available = kept.pods;
        report(kept);
      }
    }
  }
}

/** The ReplicaSet controller creates and deletes pods, unavailable ones first. */
function resize(kept: Kept): void {
  kept.pods = kept.object.spec?.replicas ?? 0;
  kept.available = Math.min(kept.available, kept.pods);
}

function report(kept: Kept): void {
  const { pods, available, object } = kept;
  // The status is written after pods are created and deleted, never for a size that is not reached.
  if (pods !== object.spec?.replicas) return;
  const status = { replicas: pods, readyReplicas: available, availableReplicas: available };
  kept.object = { ...object, status: { ...status, observedGeneration: object.metadata.generation ?? 0 } };
}

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ type: "decide" } as const) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("size"), which: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("report"), which: fc.nat(5) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("ready"), which: fc.nat(5), count: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("template"), image: fc.nat(3) }) },
);
const bound = fc.oneof(
  fc.nat(4),
  fc.nat(100).map((percent) => `${percent}%`),
);
const numRuns = process.env.ATTUNE_LONG ? 3_000 : 60;

describe("a rolling update", () => {
  it("never has more pods than maxSurge allows, nor fewer available ones than maxUnavailable, and ends", () => {
    fc.assert(
      fc.property(fc.nat(8), bound, bound, fc.array(move, { maxLength: 80 }), (replicas, surge, unavailable, moves) => {
        const world = new World(replicas, surge, unavailable);
        world.settle();
        const bounds = boundsOf(world.deployment);
        for (const next of moves) {
          world.move(next);
          if (world.wanted > replicas + bounds.surge) throw new Error(`${world.wanted} pods are too many`);
          if (world.available < replicas - bounds.unavailable)
            throw new Error(`${world.available} at work are too few`);
        }
        world.settle();
        expect(world.available).toBe(replicas);
        expect(world.deployment.status).toMatchObject({
          observedGeneration: world.deployment.metadata.generation,
          conditions: [
            { type: "Available", status: "True" },
            { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
          ],
        });
        // The new one, and at most revisionHistoryLimit old ones.
        expect(world.sets.size).toBeLessThanOrEqual(3);
      }),
      { numRuns },
    );
  });

  it("reaches the wanted size, also when that changes meanwhile", () => {
    const resize = fc.record({ type: fc.constant("replicas" as const), replicas: fc.nat(12) });
    const pause = fc.record({ type: fc.constant("pause" as const), paused: fc.boolean() });
    fc.assert(
      fc.property(
        fc.nat(8),
        bound,
        bound,
        fc.array(fc.oneof(move, resize, pause), { maxLength: 60 }),
        (replicas, ...rest) => {
          const [surge, unavailable, moves] = rest;
          const world = new World(replicas, surge, unavailable);
          for (const next of moves) {
            if (next.type === "replicas") world.edit({ replicas: next.replicas });
            else world.move(next);
          }
          world.edit({ paused: false });
          world.settle();
          expect([world.wanted, world.available]).toEqual(Array(2).fill(world.deployment.spec?.replicas));
        },
      ),
      { numRuns },
    );
  });
});
