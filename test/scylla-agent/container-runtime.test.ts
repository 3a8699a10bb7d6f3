import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LinuxHost } from "../../src/node/host/linux-host.ts";
import { cgroupCpus } from "../../src/node/scylla/cgroup-cpus.ts";
import { containerFacts } from "../../src/node/scylla/container-facts.ts";
import { CriRuntime } from "../../src/node/scylla/cri/cri-runtime.ts";
import { callGrpc } from "../../src/node/scylla/cri/grpc-call.ts";
import { fieldsOf, textField, textOf } from "../../src/node/scylla/cri/protobuf.ts";
import { Containerd, whyNoContainers } from "../image/containerd.ts";
import { podImage, writePodImage } from "./pod-image.ts";

const reason = whyNoContainers();
if (reason !== undefined) console.log(`not run: the client of container runtimes with containerd (${reason})`);

const podUid = "03840283-da85-4518-a860-2d1da454207c";
const cgroup = `/attune-cri-test-${process.pid}`;
const minutes = 60_000;

/** The kubelet's side of the Container Runtime Interface, as far as it takes to start a container. */
describe.skipIf(reason !== undefined)("the client of container runtimes, with containerd", () => {
  const dir = mkdtempSync(join(tmpdir(), "attune-cri-"));
  let containerd: Containerd;
  let runtime: CriRuntime;
  let sandbox: string;
  let id: string;

  beforeAll(async () => {
    containerd = await Containerd.start({ sandboxImage: podImage });
    expect(containerd.import(writePodImage(dir), "k8s.io")).toContain(podImage);
    runtime = new CriRuntime({ endpoints: ["unix:///x"], locate: async () => containerd.socketOutside });
    mkdirSync(join(dir, "data"));
    sandbox = await call("RunPodSandbox", message(1, sandboxConfig));
    id = await call(
      "CreateContainer",
      textField(1, sandbox),
      message(2, [
        message(1, [textField(1, "scylla")]),
        message(2, [textField(1, podImage)]),
        message(7, [textField(1, "/var/lib/scylla"), textField(2, join(dir, "data"))]),
        message(9, [textField(1, "io.kubernetes.pod.uid"), textField(2, podUid)]),
        // linux.resources.cpuset_cpus
        message(15, [message(1, [textField(6, "0")])]),
      ]),
      message(3, sandboxConfig),
    );
    await call("StartContainer", textField(1, id));
  }, 5 * minutes);
  afterAll(async () => {
    if (sandbox !== undefined) {
      await call("StopPodSandbox", textField(1, sandbox));
      await call("RemovePodSandbox", textField(1, sandbox));
    }
    await containerd?.stop();
    // runc removes the groups of containers, but not the one above them.
    for (const hierarchy of ["", ...readdirSync("/sys/fs/cgroup")]) {
      const folder = join("/sys/fs/cgroup", hierarchy, cgroup);
      if (existsSync(folder)) rmdirSync(folder);
    }
    rmSync(dir, { recursive: true, force: true });
  });

  /** Without a network of its own it needs no plugin for networks. */
  const sandboxConfig = [
    message(1, [textField(1, "scylla-0"), textField(2, podUid), textField(3, "db")]),
    // linux.security_context.namespace_options.network: NODE
    message(8, [textField(1, cgroup), message(2, [message(1, [Uint8Array.from([8, 2])])])]),
  ];

  async function call(name: string, ...request: Uint8Array[]): Promise<string> {
    const method = `/runtime.v1.RuntimeService/${name}`;
    const given = { socket: containerd.socketOutside, method, message: Buffer.concat(request), timeoutMs: minutes };
    const answer = await callGrpc(given);
    if (answer.type !== "message") throw new Error(`${name}: ${JSON.stringify(answer)}`);
    for (const { number, bytes } of fieldsOf(answer.bytes)) if (number === 1) return textOf(bytes);
    return "";
  }

  test("finds the CPU to which a container is pinned, its pod and where its data is", async () => {
    const found = await runtime.inspect(id);
    expect(found).toMatchObject({ type: "found", container: { cpus: "0", podUid } });
    expect(found.type === "found" && found.container.mounts).toContainEqual({
      containerPath: "/var/lib/scylla",
      hostPath: join(dir, "data"),
    });
    const host = new LinuxHost("/");
    const facts = await containerFacts({ host, runtime, podUid, containerId: `containerd://${id}` });
    expect(facts).toMatchObject({ type: "known", database: { cpus: [0], directory: join(dir, "data") } });
  });

  test("finds the same CPU in the cgroup of the container, by its id alone", async () => {
    const found = await runtime.inspect(id);
    const cgroupsPath = found.type === "found" ? found.container.cgroupsPath : undefined;
    const host = new LinuxHost("/");
    expect(await cgroupCpus({ host, podUid: "another", id, cgroupsPath })).toBe("0");
  });

  test("says so where the runtime has no such container, or another one", async () => {
    expect(await runtime.inspect("0".repeat(64))).toEqual({ type: "missing" });
    const host = new LinuxHost("/");
    expect(await containerFacts({ host, runtime, podUid: "another", containerId: `containerd://${id}` })).toEqual({
      type: "absent",
      reason: `container ${id} belongs to another pod`,
    });
  });

  test("finds a container of CRI-O's or cri-dockerd's scheme too: the id is what counts", async () => {
    const host = new LinuxHost("/");
    const facts = await containerFacts({ host, runtime, podUid, containerId: `cri-o://${id}` });
    expect(facts.type).toBe("known");
  });
});

function message(number: number, fields: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.concat(fields);
  const field = textField(number, "");
  // The last byte of an empty text is its length.
  const lengths: number[] = [];
  let rest = bytes.length;
  for (; rest >= 0x80; rest >>= 7) lengths.push((rest & 0x7f) | 0x80);
  return Buffer.concat([field.subarray(0, -1), Uint8Array.from([...lengths, rest]), bytes]);
}
