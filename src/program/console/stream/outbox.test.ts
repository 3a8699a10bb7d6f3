import { expect, it } from "vitest";
import { Outbox, type TopicState } from "./outbox.ts";

const change = (key: string, row: object | undefined) => ({
  topic: "t",
  rows: new Map([[key, row]]),
  sources: new Map(),
});

function topic(more: Partial<TopicState> = {}): TopicState {
  return { rows: new Map([["a", { x: 1 }]]), sources: new Map(), isSettled: true, ...more };
}

it("holds the latest row of each key for a reader that does not read, however often they change", () => {
  const outbox = new Outbox(() => topic());
  for (let round = 0; round < 10_000; round++) outbox.add(change(`k${round % 100}`, { round }));
  expect(outbox.size).toBe(100);
  const [frame, ...more] = outbox.take(7);
  expect(frame).toMatchObject({
    type: "delta",
    topic: "t",
    seq: 7,
    gone: [],
    rows: { columns: { round: { length: 100 } } },
  });
  expect(more).toEqual([]);
  expect(outbox.isEmpty).toBe(true);
});

it("sends what is gone as gone", () => {
  const outbox = new Outbox(() => topic());
  outbox.add(change("a", { x: 1 }));
  outbox.add(change("a", undefined));
  expect([...outbox.take(1)]).toMatchObject([{ type: "delta", gone: ["a"], rows: { keys: [] } }]);
});

it("sends all rows once they are all known, and until then how the server answers", () => {
  let state = topic({ isSettled: false, rows: new Map(), sources: new Map([["Node", { state: "loading" }]]) });
  const outbox = new Outbox(() => state);
  outbox.addWhole("t");
  expect([...outbox.take(1)]).toEqual([{ type: "source", topic: "t", kind: "Node", source: { state: "loading" } }]);
  expect(outbox.isEmpty).toBe(true);
  state = topic();
  expect(outbox.isEmpty).toBe(false);
  expect([...outbox.take(2)]).toMatchObject([{ type: "snap", topic: "t", seq: 2, rows: { keys: ["a"] } }]);
});

it("sends a beat after what was added before it, with the number of that: a change that comes meanwhile is not held yet", () => {
  const outbox = new Outbox(() => topic());
  outbox.add(change("a", { x: 1 }));
  outbox.addBeat();
  outbox.addBeat();
  const frames = outbox.take(7);
  expect(frames.next().value).toMatchObject({ type: "delta", seq: 7 });
  outbox.add(change("a", { x: 2 }));
  expect([...frames]).toEqual([{ type: "beat", seq: 7 }]);
  expect([...outbox.take(8)]).toMatchObject([{ type: "delta", seq: 8, rows: { columns: { x: [2] } } }]);
  expect(outbox.isEmpty).toBe(true);
});
