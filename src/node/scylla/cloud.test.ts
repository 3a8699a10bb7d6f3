import { lookup } from "node:dns/promises";
import { describe, expect, test } from "vitest";
import { askResolver, type Cloud, CloudOfNode } from "./cloud.ts";

const failing = (code: string) => async (): Promise<never> => {
  throw Object.assign(new Error("lookup failed"), { code });
};

describe("the cloud of a node", () => {
  test("is asked for by the name of the metadata server of Google Cloud", async () => {
    const asked: string[] = [];
    expect(
      await askResolver(async (name) => {
        asked.push(name);
      }),
    ).toBe("gke");
    expect(asked).toEqual(["metadata.google.internal"]);
  });

  test("is what the resolver of this machine says: a name that it knows, and one that there cannot be", async () => {
    expect(await askResolver(() => lookup("localhost"))).toBe("gke");
    expect(await askResolver(() => lookup(`${"a".repeat(64)}.internal`))).toBe("other");
  });

  test.each(["EAI_AGAIN", "ESERVFAIL", "ETIMEOUT", "ECONNREFUSED"])("is not known after %s", async (code) => {
    expect(await askResolver(failing(code))).toBe("unknown");
  });

  test("is not known while the resolver does not answer", async () => {
    expect(await askResolver(() => new Promise(() => {}), 1)).toBe("unknown");
  });

  test("is asked for until it is known, and then no more: a node does not move", async () => {
    const answers: Cloud[] = ["unknown", "gke", "other"];
    const cloud = new CloudOfNode(async () => answers.shift() ?? "unknown");
    expect([await cloud.isGke(), await cloud.isGke(), await cloud.isGke()]).toEqual([undefined, true, true]);
    const elsewhere = new CloudOfNode(async () => "other");
    expect(await elsewhere.isGke()).toBe(false);
  });
});
