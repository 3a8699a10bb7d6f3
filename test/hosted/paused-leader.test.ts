import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LeadershipLostError } from "../../src/cluster/runtime/leader/leader-gate.ts";
import { profileKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { PausableProcess } from "../node-tuning-faults/pausable-process.ts";
import type { Running } from "../node-tuning-faults/stage.ts";
import { DirectClient } from "../workloads/direct-client.ts";
import { ClockedClusters, type Process } from "./clocked-clusters.ts";

/** Longer than a lease lasts after its last renewal. */
const takeoverMs = 30_000;

let clusters: ClockedClusters;
beforeEach(async () => {
  clusters = await ClockedClusters.open();
});
afterEach(() => clusters.close());

/** One process with a client of each cluster: both stop when it is paused. */
class Replica implements Process {
  readonly management: PausableProcess["client"];
  readonly hosted: PausableProcess["client"];
  readonly clock: PausableProcess["clock"];
  readonly #sides: readonly PausableProcess[];

  constructor() {
    const { servers, clock } = clusters;
    const management = new PausableProcess(clock, new DirectClient(servers.management));
    const hosted = new PausableProcess(clock, new DirectClient(servers.hosted));
    this.#sides = [management, hosted];
    [this.management, this.hosted] = [management.client, hosted.client];
    // Timers are held by one of the two.
    this.clock = hosted.clock;
  }

  /** But for the Lease. */
  get writes(): string[] {
    return this.#sides
      .flatMap(({ sent }) => sent.map(({ write }) => write))
      .filter((write) => !write.endsWith("leases"));
  }

  pause(): void {
    for (const side of this.#sides) side.pause();
  }

  async goOn(): Promise<void> {
    for (const side of this.#sides) side.sent.length = 0;
    for (const side of this.#sides) await side.goOn();
  }
}

async function swappinessOf(node: string): Promise<string | undefined> {
  const { spec } = await clusters.hosted.get(profileKind, node, { namespace: tuningNamespace });
  return /vm\.swappiness=(\d+)/.exec(JSON.stringify(spec))?.[1];
}

const sides: readonly [string, (replica: Replica) => Running][] = [
  ["the operator of a hosted cluster", (replica) => clusters.startOperator(replica, { leaderElection: true })],
  ["the management side", (replica) => clusters.startManagement(replica, { leaderElection: true })],
];

describe.each(sides)("a leader of %s that is paused past its lease", (name, start) => {
  it("starts no request to either cluster when it continues, and ends; the other has taken over", async () => {
    const other = name === sides[0]?.[0] ? clusters.startManagement(clusters) : clusters.startOperator(clusters);
    const [first, second] = [new Replica(), new Replica()];
    const leader = start(first);
    await clusters.clock.advance(5_000);
    const follower = start(second);
    await clusters.settle();
    expect(await swappinessOf("np1-a")).toBe("11");
    expect(first.writes.length).toBeGreaterThan(3);
    expect(second.writes).toEqual([]);

    first.pause();
    await clusters.tune("np1", 12);
    await clusters.clock.advance(takeoverMs);
    await clusters.settle();
    expect(await swappinessOf("np1-a")).toBe("12");

    await clusters.tune("np1", 13);
    await first.goOn();
    await clusters.settle();
    expect(leader.failure()).toBeInstanceOf(LeadershipLostError);
    expect(first.writes).toEqual([]);
    expect(await swappinessOf("np1-a")).toBe("13");
    for (const side of [leader, follower, other]) await side.stop();
  });
});
