import type { Client } from "../../src/cluster/kube/client.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { lowLatency } from "./profile-cluster.ts";

export interface ProfileChange {
  readonly make: (client: Client) => Promise<unknown>;
  /** A boot argument that the pool has when the change is over; none when the profile is gone. */
  readonly ends: string | undefined;
}

const cpu = { reserved: "0-1", isolated: "2-3" };
const name = "low-latency";

/** The life of a profile: it is created, edited and deleted. */
export const changes: readonly ProfileChange[] = [
  { make: (client) => client.create(performanceProfileKind, lowLatency()), ends: "nohz_full=1-3" },
  {
    make: (client) => client.patch(performanceProfileKind, name, { type: "merge", patch: { spec: { cpu } } }),
    ends: "nohz_full=2-3",
  },
  { make: (client) => client.delete(performanceProfileKind, name), ends: undefined },
];
