import { describe, expect, test } from "vitest";
import { tokenPath, type TokenFile } from "../../src/domain/rollout/first-boot/token-file.ts";
import { Crash, CrashingHost } from "../../src/node/engine/testing/crashing-host.ts";
import type { Fetched } from "../../src/node/on-node/first-boot/fetch-payload.ts";
import { type Config, diskOf, updateTo } from "../machine-config/testing/updated-machine.ts";
import { file, withFiles } from "../machine-config-rollout/rollout-cluster.ts";
import { bootFirst, bootFully, give, newMachine } from "./first-boot-cluster.ts";

const unit = "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n";
const config: Config = {
  name: "rendered-worker-1",
  spec: {
    kernelArguments: ["new=1"],
    config: {
      ignition: { version: "3.5.0" },
      storage: { files: [file("/etc/a", "1"), file("/etc/deep/b", "2", 0o600)] },
      systemd: { units: [{ name: "a.service", enabled: true, contents: unit }] },
    },
  },
};
const token: TokenFile = { server: "https://x", certificateAuthority: "x", node: "a", pool: "worker", token: "x" };

/** The operator: answers the first key again and again, and no other. */
function endpoint(answer: Fetched = { type: "config", config }): (file: TokenFile, key: string) => Promise<Fetched> {
  let claimed: string | undefined;
  return async (_file, key) => {
    claimed ??= key;
    return claimed === key ? answer : { type: "refused", why: "409: used by another client" };
  };
}

describe.each(["process killed", "power cut"] as const)("a first boot that is cut off (%s)", (how) => {
  test.each([
    ["a config", { type: "config", config } as const, 20],
    ["nothing to apply", { type: "nothing" } as const, 2],
  ])("at any write, with %s, is finished by the next start, with one restart", async (_, answer, least) => {
    const whole = newMachine();
    await give(whole, token);
    await bootFully(whole, { fetch: endpoint(answer) });
    const expected = await diskOf(whole);
    let points = 0;
    for (let crashed = true; crashed; points++) {
      const host = newMachine();
      await give(host, token);
      const fetch = endpoint(answer);
      // One count of writes over the boots that the first attempt takes.
      const through = new CrashingHost(host, points, "before");
      let boots = 0;
      try {
        while ((await bootFirst(through, { fetch })).type === "rebooting") {
          await host.boot();
          boots++;
        }
        crashed = false;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      const before = host.boots;
      if (how === "power cut") {
        host.stop("power cut");
        await host.boot();
      }
      const cut = host.boots - before;
      // As the condition of the unit says.
      const isDue = (await host.read(tokenPath)).type === "text";
      if (isDue) expect(await bootFully(host, { fetch }), `before change ${points}`).toMatchObject({ type: "done" });
      expect(await diskOf(host), `before change ${points}`).toEqual(expected);
      const restarts = host.boots - 1 - cut;
      expect(restarts, `restarts before change ${points}`).toBeLessThanOrEqual(answer.type === "config" ? 1 : 0);
      expect(boots).toBeLessThanOrEqual(1);
      // The agent that the operator tells this config has nothing to do.
      if (answer.type === "config") expect(await updateTo(config, host)).toBe(0);
    }
    expect(points).toBeGreaterThan(least);
  });
});

test("an image that has it all needs no restart", async () => {
  const host = newMachine();
  await host.replace("/etc/a", "1", 0o644);
  await give(host, token);
  const there = { name: "rendered-worker-2", spec: withFiles(file("/etc/a", "1")) ?? {} };
  const outcome = await bootFully(host, { fetch: endpoint({ type: "config", config: there }) });
  expect(outcome).toEqual({ type: "done", message: "the machine has rendered-worker-2" });
  expect(host.boots).toBe(1);
});

test("a machine that is a node already is left alone", async () => {
  const host = newMachine();
  await host.replace("/var/lib/kubelet/pki/kubelet-client-current.pem", "x");
  await give(host, token);
  const before = await diskOf(host);
  expect(await bootFirst(host, { fetch: endpoint() })).toMatchObject({ type: "done" });
  expect(await diskOf(host)).toEqual(before);
});

test.each([
  ["no token", undefined, {}, /first-boot.json does not exist; attune node-token issues one$/],
  ["a token that is cut off", "{", {}, /first-boot.json: not JSON$/],
  ["a token without a server", JSON.stringify({ ...token, server: "" }), {}, /lacks server$/],
  ["a server without TLS", JSON.stringify({ ...token, server: "http://x" }), {}, /not a https:\/\/ URL$/],
  ["a token of another node", JSON.stringify(token), { node: "b" }, /^the token is for node a, and this machine is b$/],
])("%s fails, and says why", async (_, text, more, why) => {
  const host = newMachine();
  if (text !== undefined) await host.replace(tokenPath, text);
  const outcome = await bootFirst(host, { fetch: endpoint(), ...more });
  expect(outcome).toMatchObject({ type: "failed", reason: expect.stringMatching(why) });
});

test("a config that cannot be applied fails twice, and a new rendering is tried", async () => {
  const host = newMachine();
  await give(host, token);
  const bad = {
    name: "rendered-worker-bad",
    spec: withFiles({ ...file("/etc/x", ""), user: { name: "nobody-here" } }) ?? {},
  };
  const fetch = endpoint({ type: "config", config: bad });
  for (let tries = 0; tries < 3; tries++)
    expect(await bootFirst(host, { fetch })).toMatchObject({
      type: "failed",
      reason: expect.stringContaining("nobody-here"),
    });
  expect(host.boots).toBe(1);
  expect(await bootFully(host, { fetch: endpoint() })).toMatchObject({ type: "done" });
});
