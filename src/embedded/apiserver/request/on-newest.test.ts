import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { AdmissionPlugin } from "../admission/admission.ts";
import { SmallServer } from "../testing/small-server.ts";
import { patch } from "./patch.ts";

const map = { namespace: "a", name: "m" };
let asked: number;
let whileWaiting: () => Promise<unknown>;
let server: SmallServer;

/** Lets other writes come between, as webhooks do. */
const waits: AdmissionPlugin = {
  name: "Waits",
  mayWait: () => true,
  handles: ({ operation }) => operation === "UPDATE",
  admit: async () => {
    asked++;
    await whileWaiting();
  },
};

const write = (key: string, value = "x") => server.patch("configmaps", map, { data: { [key]: value } });
const data = () => server.get("configmaps", map).data;

beforeEach(async () => {
  asked = 0;
  whileWaiting = () => nextTurn();
  server = new SmallServer({ admission: [waits] });
  await server.createNamespaces("a");
  await server.create("configmaps", { metadata: map });
});

describe("writes that wait for others", () => {
  it("all come through, and none is tried more than a few times, however many there are", async () => {
    const keys = Array.from({ length: 100 }, (_, i) => `k${i}`);
    await Promise.all(keys.map((key) => write(key)));
    expect(Object.keys(data() as object)).toHaveLength(100);
    expect(asked).toBeLessThanOrEqual(300);
  });

  it("wait for each other no longer than they can", async () => {
    const turns = [
      () => nextTurn(),
      () => nextTurn(),
      // Overtaken by the first, the second waits for one that is overtaken too, and so stands behind it.
      async () => {
        const state = { isDone: false };
        void write("inner").then(() => (state.isDone = true));
        while (!state.isDone) await server.clock.advance(100);
      },
      () => write("third"),
    ];
    whileWaiting = () => (turns.shift() ?? nextTurn)();
    await Promise.all([write("first"), write("second")]);
    expect(Object.keys(data() as object).toSorted()).toEqual(["first", "inner", "second", "third"]);
  });

  it("are refused when they are due", async () => {
    const context = { ...server.context("configmaps", map), deadline: server.clock.now() + 500 };
    whileWaiting = async () => {
      const overtaking = asked === 1;
      await nextTurn();
      if (overtaking) await write("other");
      await server.clock.advance(500);
    };
    const late = patch(context, '{"data":{"late":"x"}}', "application/merge-patch+json");
    await expect(late).rejects.toMatchObject({ code: 504, reason: "Timeout" });
    expect(data()).toEqual({ other: "x" });
  });
});
