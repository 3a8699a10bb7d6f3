import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { AdmissionPlugin } from "../admission/admission.ts";
import { SmallServer } from "../testing/small-server.ts";
import { patch } from "./patch.ts";

const map = { namespace: "a", name: "m" };
let asked: number;
let whileWaiting: () => Promise<unknown>;
let server: SmallServer;

/** Lets other writes overtake, as webhooks do. */
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

describe("overtaken writes", () => {
  it("all succeed, each after a few attempts", async () => {
    const keys = Array.from({ length: 100 }, (_, i) => `k${i}`);
    await Promise.all(keys.map((key) => write(key)));
    expect(Object.keys(data() as object)).toHaveLength(100);
    expect(asked).toBeLessThanOrEqual(300);
  });

  it("wait for their turn only for a limited time", async () => {
    const turns = [
      () => nextTurn(),
      () => nextTurn(),
      // The second is overtaken by the first, and waits behind a write that is overtaken too.
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

  it("are refused at their deadline", async () => {
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
