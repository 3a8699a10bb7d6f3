import { describe } from "vitest";
import { annotations, ownAnnotations } from "../../src/domain/rollout/node-annotations.ts";
import { formatTime } from "../../src/language/object/time.ts";
import { agreesWithRecorded, casesOf } from "./parity.ts";
import { nodeOf, type ShortNode } from "./recorded-pools.ts";
import { RolloutWorld } from "./testing/rollout-world.ts";

interface Expected {
  lastAppliedDrain: string;
  unschedulable: boolean;
  events: string[];
}

interface Case {
  id: string;
  input: { node: ShortNode; ongoingSince?: string };
  expect: Expected;
}

const cases = casesOf<Case>("drain");
const recorded = cases.find(({ id }) => id === "drain-uncordon-hand")!.expect;

describe("a drain, compared with what was recorded (machine-config W-14)", async () => {
  const results = new Map<string, unknown>();
  for (const { id, input } of cases) results.set(id, await onePass(input));
  agreesWithRecorded(cases, { "drain-uncordon-hand": { ...recorded, unschedulable: true } }, ({ id }) =>
    results.get(id),
  );
});

async function onePass({ node, ongoingSince }: Case["input"]): Promise<unknown> {
  const world = new RolloutWorld();
  const labels = { "node-role.kubernetes.io/worker": "" };
  const short = { ...node, labels, desired: "rendered-worker-1", annotations: {} as Record<string, string> };
  if (ongoingSince) {
    const since = formatTime(world.clock.now() - Number.parseInt(ongoingSince, 10) * 60_000);
    short.annotations[ownAnnotations.drain] = JSON.stringify({ request: node["desiredDrain"], since, blocked: [] });
  }
  world.nodes.put(nodeOf(short));
  const kill = world.operator();
  await world.clock.advance(1000);
  kill();
  const { spec, metadata } = world.nodes.objects.get(node.name)!;
  const events = world.events.filter(({ regarding }) => regarding.kind === "Node");
  const isInvalid = events.some(({ reason }) => reason === "InvalidDrainRequest");
  return {
    ...(isInvalid ? { error: true } : {}),
    events: isInvalid ? [] : events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
    lastAppliedDrain: metadata.annotations?.[annotations.lastAppliedDrain] ?? "",
    stillOngoing: metadata.annotations?.[ownAnnotations.drain] !== undefined,
    unschedulable: spec?.unschedulable === true,
  };
}
