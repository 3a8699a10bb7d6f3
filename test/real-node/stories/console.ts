import { join } from "node:path";
import { expect, test } from "vitest";
import type { ReadAnswer } from "../../../console/protocol/answers.ts";
import { node } from "../../../src/program/cli/testing/program.ts";
import { processesOf, readyPods } from "../harness/attune-pods.ts";
import { eventually } from "../harness/eventually.ts";
import { nodeName } from "../harness/machine.ts";
import { Service } from "../harness/service.ts";
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
  const { body: { key } } = await post("/api/session", { token: hash.slice(1) });
  console.log(JSON.stringify(await post("/api/" + name, JSON.parse(body), key)));
`;

export function consoleStory(stage: () => Stage): void {
  test("Read now reads the values of a real node in the pod of its agent, with the user's right to run programs", async () => {
    const { attune, cluster, figures } = stage();
    await setTo(stage(), "2501");
    const [pod] = await readyPods(cluster, "agent", 1);
    // The agent would set it back: frozen, it reports what the node had.
    const [agent] = processesOf(cluster, pod!);
    cluster.machine.run("kill", "-STOP", String(agent));
    cluster.machine.run("sh", "-c", "echo 1234 >/proc/sys/net/ipv4/tcp_fin_timeout");
    const words = ["console", "--kubeconfig", cluster.kubeconfig, "--dir", join(cluster.machine.dir, "console")];
    const running = new Service(cluster.machine, "attune-console", [node, attune.main, ...words]);
    await running.start();
    try {
      const link = await eventually(30, "the console prints its address", () => /http:\S+/.exec(running.tail())?.[0]);
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
      running.stop();
      running.signal("KILL");
      cluster.machine.run("kill", "-CONT", String(agent));
    }
  });
}
