import { expect, test } from "vitest";
import { ApiError } from "../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { RollbackOnRemoval } from "./rollback-on-removal.ts";

type State = "there" | "going" | "gone" | "forbidden" | "unreachable";

const answers: Record<Exclude<State, "there" | "going">, number> = { gone: 404, forbidden: 403, unreachable: 0 };

function answer(state: State): unknown {
  if (state === "there") return { metadata: {} };
  if (state === "going") return { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const code = answers[state];
  throw new ApiError({ code, reason: code === 404 ? "NotFound" : "Other", message: state });
}

test.each<[State, State, State, boolean]>([
  // Profile at the end, DaemonSet at the start and at the end.
  ["there", "there", "there", false],
  ["gone", "there", "there", true],
  ["gone", "forbidden", "forbidden", true],
  ["there", "there", "gone", true],
  ["there", "there", "going", true],
  ["there", "gone", "gone", false],
  ["there", "forbidden", "forbidden", false],
  ["there", "there", "forbidden", false],
  ["unreachable", "there", "unreachable", false],
  ["unreachable", "there", "gone", false],
])(
  "with its Profile %s and its DaemonSet first %s and then %s an agent that ends rolls back: %s",
  async (...states) => {
    const [profile, first, then, due] = states;
    let daemonSet = first;
    const client = {
      get: async ({ kind }: KindRef) => answer(kind === "Profile" ? profile : daemonSet),
    } as unknown as Client;
    const rollback = new RollbackOnRemoval({ client, namespace: "n", node: "a" });
    await rollback.start();
    daemonSet = then;
    expect(await rollback.isDue()).toBe(due);
  },
);
