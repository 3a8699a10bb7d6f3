import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../src/embedded/apiserver/server.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRealServer } from "../servers/real-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";
import { comparable } from "./comparable.ts";
import { differences } from "./differences.ts";
import { access } from "./probes/access.ts";
import { apiServices } from "./probes/api-services.ts";
import { controllerKinds } from "./probes/controller-kinds.ts";
import { customKinds } from "./probes/custom-kinds.ts";
import { events } from "./probes/events.ts";
import { jobs } from "./probes/jobs.ts";
import { plainKinds } from "./probes/plain-kinds.ts";
import { podSecurity } from "./probes/pod-security.ts";
import { pods } from "./probes/pods.ts";
import { reads } from "./probes/reads.ts";
import { services } from "./probes/services.ts";
import { storage } from "./probes/volumes.ts";
import { writes } from "./probes/writes.ts";
import { runProbe, type Target } from "./run-probe.ts";

const assets = process.env.KUBEBUILDER_ASSETS;
const probes = [
  ...writes,
  ...reads,
  ...pods,
  ...podSecurity,
  ...customKinds,
  ...access,
  ...services,
  ...events,
  ...storage,
  ...apiServices,
  ...jobs,
  ...controllerKinds,
  ...plainKinds,
];

describe.skipIf(!assets)("the embedded server beside the real one", () => {
  let dir: string;
  let servers: Pick<ServerUnderTest, "url" | "authority" | "close">[] = [];
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "attune-differential-"));
    // Neither server has controllers, so the service accounts that pods need are not created.
    const alone = { housekeeping: false, disabledPlugins: ["ServiceAccount"] };
    servers = await Promise.all([
      startRealServer(assets as string, { alone: true }),
      startServer({ dir, storage: "memory", ...alone }),
    ]);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await rm(dir, { recursive: true, force: true });
  });

  it.each(probes)(
    "answers alike: $name",
    async (probe) => {
      const isCompared = (_: unknown, i: number): boolean => probe.steps[i]?.aside === undefined;
      const [real, embedded] = await Promise.all(
        servers.map(async (server) => comparable((await runProbe(targetOf(server), probe)).filter(isCompared))),
      );
      const found = probe.steps
        .filter(isCompared)
        .flatMap(({ send }, i) => differences(real?.[i], embedded?.[i]).map((text) => `${i}: ${send}: ${text}`));
      expect(found).toEqual([]);
    },
    60_000,
  );
});

function targetOf({ url, authority }: Pick<ServerUnderTest, "url" | "authority">): Target {
  return { url, caPem: authority.caPem, token: authority.adminToken };
}

if (!assets) console.log("skipped: comparison with a real server (KUBEBUILDER_ASSETS is not set)");
