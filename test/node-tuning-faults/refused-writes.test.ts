import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/cluster/kube/api-error.ts";
import { profileKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { DirectClient } from "../workloads/direct-client.ts";
import { nodes, Stage } from "./stage.ts";
import { story } from "./story.ts";

const hourMs = 3_600_000;

/** An operator whose writes of Profiles are rejected while `refusing` is true, and the number of attempts. */
async function staged(code: number): Promise<{
  stage: Stage;
  trouble: { refusing: boolean; tries: number };
  stop: () => Promise<void>;
}> {
  const stage = await Stage.open();
  const trouble = { refusing: false, tries: 0 };
  const client = new DirectClient(stage.server, {
    beforeWrite: (write) => {
      if (!write.endsWith("profiles") || !trouble.refusing) return;
      trouble.tries++;
      throw new ApiError({ code, reason: "InternalError", message: "not now" });
    },
  });
  const operator = stage.startOperator(client);
  for (const { happen } of story.slice(0, 2)) {
    await happen(stage.client);
    await stage.settle();
  }
  return {
    stage,
    trouble,
    async stop() {
      await operator.stop();
      stage.close();
    },
  };
}

async function join(stage: Stage, name: string): Promise<void> {
  const metadata = { name, labels: { "kubernetes.io/os": "linux" } };
  await stage.client.create(nodes, { apiVersion: "v1", kind: "Node", metadata });
}

const hasProfile = async (stage: Stage, name: string): Promise<boolean> =>
  (await stage.client.list(profileKind, { namespace })).items.some(({ metadata }) => metadata.name === name);

describe("an operator whose writes are refused for an hour", () => {
  it.each([500, 503, 403, 0])(
    "with %i tries again now and then, and is through half a minute after it",
    async (code) => {
      const { stage, trouble, stop } = await staged(code);
      trouble.refusing = true;
      await join(stage, "four");
      await stage.clock.advance(hourMs);
      expect(trouble.tries).toBeGreaterThan(60);
      expect(trouble.tries).toBeLessThan(200);
      expect(await hasProfile(stage, "four")).toBe(false);
      trouble.refusing = false;
      await stage.clock.advance(30_000);
      expect(await hasProfile(stage, "four")).toBe(true);
      await stop();
    },
  );

  it("with a conflict that its cache does not show tries no more often", async () => {
    const { stage, trouble, stop } = await staged(409);
    trouble.refusing = true;
    await join(stage, "four");
    await stage.clock.advance(hourMs);
    expect(trouble.tries).toBeLessThan(200);
    trouble.refusing = false;
    await stage.clock.advance(30_000);
    expect(await hasProfile(stage, "four")).toBe(true);
    await stop();
  });

  it("does not delay other work (W-5)", async () => {
    const { stage, trouble, stop } = await staged(500);
    trouble.refusing = true;
    await join(stage, "four");
    await stage.clock.advance(hourMs);
    trouble.refusing = false;
    await join(stage, "five");
    await stage.settle();
    expect(await hasProfile(stage, "four")).toBe(true);
    expect(await hasProfile(stage, "five")).toBe(true);
    await stop();
  });
});
