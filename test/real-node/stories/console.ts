import { join } from "node:path";
import { expect, test } from "vitest";
import type { ReadAnswer } from "../../../console/protocol/answers.ts";
import { node } from "../../../src/program/cli/testing/program.ts";
import { readyPods } from "../harness/attune-pods.ts";
import { nodeName } from "../harness/machine.ts";
import { setTo, sharedSysctl, type Stage } from "../harness/stage.ts";

/** Signs in with a link, and posts: the console listens on the loopback of the machine. */
const posting = `
  const [link, name, body] = process.argv.slice(1);
  const { origin, hash } = new URL(link);
  const post = (path, body, key) => fetch(origin + path, {
    method: "POST",
    headers: { origin, "content-type": "application/json", ...(key && { authorization: "Bearer " + key }) },
    body: JSON.stringify(body),
  }).then(async (response) => ({ status: response.status, body: await response.json() }));
  const { body: { key } } = await post("/api/session", { token: hash.replace(/^#t=/, "") });
  console.log(JSON.stringify(await post("/api/" + name, JSON.parse(body), key)));
`;

export function consoleStory(stage: () => Stage): void {
  test("Read now reads the values of a real node in the pod of its agent, with the user's right to run programs", async () => {
    const { attune, cluster, figures } = stage();
    await setTo(stage(), "2501");
    await readyPods(cluster, "agent", 1);
    // The agent looks again in ten minutes: until then what it reports is not what the node has.
    cluster.machine.run("sh", "-c", "echo 1234 >/proc/sys/net/ipv4/tcp_fin_timeout");
    const words = ["console", "--kubeconfig", cluster.kubeconfig, "--dir", join(cluster.machine.dir, "console")];
    const running = attune.start(words, {}, cluster.machine.enter);
    try {
      const [, link = ""] = await running.printed(/console +(\S+)/);
      const began = performance.now();
      const request = JSON.stringify({ node: nodeName });
      const told = cluster.machine.run(node, "--input-type=module", "-e", posting, link, "read", request);
      figures.addSeconds("Read now of the console, through the pod of the agent", began);
      const { status, body } = JSON.parse(told) as { status: number; body: ReadAnswer };
      expect([status, body]).toEqual([200, expect.objectContaining({ settings: expect.any(Array) as unknown })]);
      const found = new Map(body.settings.map((setting) => [setting.option, setting]));
      expect(found.get(sharedSysctl)).toMatchObject({ wanted: "2501", actual: "2501", state: "as wanted" });
      expect(found.get("net.ipv4.tcp_fin_timeout")).toMatchObject({ wanted: "25", actual: "1234", state: "different" });
    } finally {
      await running.stop("SIGTERM");
      cluster.machine.run("sh", "-c", "echo 25 >/proc/sys/net/ipv4/tcp_fin_timeout");
    }
  });
}
