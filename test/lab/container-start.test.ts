import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { Pod } from "../../src/embedded/lab/kubelet/pod/pod-admission.ts";
import { LabCluster, namespace, phase, virtualNode } from "./lab-cluster.ts";

let cluster: LabCluster;
const mounts = {
  shared: "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n",
  private: "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
  slave: "22 1 8:1 / / rw master:1 - ext4 /dev/sda1 rw\n",
  "private-run": "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n23 22 0:20 / /run rw - tmpfs tmpfs rw\n",
};

beforeAll(async () => {
  cluster = await LabCluster.start();
  const nodes = Object.entries(mounts).map(([name, text]) => {
    const node = virtualNode(name);
    node.host.put("/proc/1/mountinfo", text);
    return node;
  });
  cluster.kubelets([...nodes, "systemd"]);
});
afterAll(async () => cluster?.close());

let count = 0;
const nextName = (): string => `p${count++}`;
const waiting = ({ status }: Pod): { reason?: string; message?: string } | undefined =>
  status?.containerStatuses?.[0]?.state?.waiting;
const imageUser = (user: string) => ({ annotations: { "lab.attune.dev/image-user": user } });

/** Runs a pod until it runs, or until its container is refused. */
async function outcome(spec: object, user?: string, node = "systemd"): Promise<string> {
  const name = nextName();
  await cluster.createPod({ name, node, ...(user === undefined ? {} : { metadata: imageUser(user) }), ...spec });
  const pod = await cluster.podThat(
    name,
    (one) => one.status?.phase === "Running" || waiting(one)?.message !== undefined,
  );
  const { reason, message = "" } = waiting(pod) ?? {};
  return reason === undefined ? "Running" : `${reason}: ${message.replaceAll(pod.metadata.uid ?? "", "UID")}`;
}

const container = (securityContext: object): object => ({ containers: [{ name: "c", image: "i", securityContext }] });
const podWide = (securityContext: object, own: object = {}): object => ({ securityContext, ...container(own) });
const config = (why: string, name: string): string =>
  `CreateContainerConfigError: ${why} (pod: "${name}_${namespace}(UID)", container: c)`;

describe("the user of a container", () => {
  test.each([
    ["an image without a user of its own", {}, undefined],
    ["an image with a number", { runAsNonRoot: true }, "1000"],
    ["a number of the container's", { runAsNonRoot: true, runAsUser: 65532 }, "root"],
    ["a number of the container's", { runAsNonRoot: true, runAsUser: 65532 }, "0"],
    ["root where it is allowed", {}, "0"],
    ["a name where it is allowed", {}, "node"],
    ["root where it is allowed in words", { runAsNonRoot: false, runAsUser: 0 }, "0"],
  ])("may be %s: %j, image of user %s", async (_, context, user) => {
    expect(await outcome(container(context), user)).toBe("Running");
    expect(await outcome(podWide(context), user)).toBe("Running");
  });

  test.each([
    [{ runAsNonRoot: true }, "0", "container has runAsNonRoot and image will run as root"],
    [
      { runAsNonRoot: true },
      "node",
      "container has runAsNonRoot and image has non-numeric user (node), cannot verify user is non-root",
    ],
    [
      { runAsNonRoot: true },
      "2147483648",
      "container has runAsNonRoot and image has an invalid user id (2147483648). (Must be 1-(2147483647)): must be between 0 and 2147483647, inclusive",
    ],
    [{ runAsNonRoot: true, runAsUser: 0 }, "1000", "container's runAsUser breaks non-root policy"],
  ])("is refused with %j and an image of user %s", async (context, user, why) => {
    expect(await outcome(container(context), user)).toBe(config(why, `p${count - 1}`));
    expect(await outcome(podWide(context), user)).toBe(config(why, `p${count - 1}`));
  });

  test("of a container wins over that of its pod", async () => {
    expect(await outcome(podWide({ runAsNonRoot: true }, { runAsNonRoot: false }), "0")).toBe("Running");
    expect(await outcome(podWide({ runAsUser: 0 }, { runAsNonRoot: true, runAsUser: 7 }), "0")).toBe("Running");
    const why = "container's runAsUser breaks non-root policy";
    expect(await outcome(podWide({ runAsNonRoot: true }, { runAsUser: 0 }))).toBe(config(why, `p${count - 1}`));
  });

  test("that was refused starts once the image allows it, with an event until then", async () => {
    const name = nextName();
    const spec = container({ runAsNonRoot: true });
    await cluster.createPod({ name, node: "systemd", metadata: imageUser("0"), ...spec });
    await cluster.podThat(name, (pod) => waiting(pod)?.reason === "CreateContainerConfigError");
    const event = await cluster.eventually(async () =>
      (await cluster.admin.list(kinds.event, { namespace })).items.find(
        ({ involvedObject, reason }) => involvedObject.name === name && reason === "Failed",
      ),
    );
    expect([event.type, event.message]).toEqual([
      "Warning",
      expect.stringContaining("Error: container has runAsNonRoot"),
    ]);
    const patch = { metadata: imageUser("1000") };
    await cluster.admin.patch(kinds.pod, name, { type: "merge", patch }, { namespace });
    await cluster.podThat(name, phase("Running"));
  });
});

describe("a volume of the node with mount propagation", () => {
  const volume = (path: string, mountPropagation?: string): object => ({
    volumes: [{ name: "v", hostPath: { path } }],
    containers: [
      { name: "c", image: "i", securityContext: { privileged: true }, volumeMounts: [mount(mountPropagation)] },
    ],
  });
  const mount = (mountPropagation?: string): object => ({
    name: "v",
    mountPath: "/host",
    ...(mountPropagation ? { mountPropagation } : {}),
  });
  const refused = (why: string): unknown =>
    expect.stringMatching(
      new RegExp(
        `^CreateContainerError: failed to generate container "[0-9a-f]+" spec: failed to generate spec: ${why}$`,
      ),
    );

  test.each([
    ["systemd", "/", "HostToContainer", "Running"],
    ["shared", "/", "Bidirectional", "Running"],
    ["private", "/", undefined, "Running"],
    ["private", "/", "None", "Running"],
    ["private", "/", "HostToContainer", refused('path "/" is mounted on "/" but it is not a shared or slave mount')],
    ["private", "/var", "Bidirectional", refused('path "/var" is mounted on "/" but it is not a shared mount')],
    ["slave", "/", "HostToContainer", "Running"],
    ["slave", "/", "Bidirectional", refused('path "/" is mounted on "/" but it is not a shared mount')],
    ["private-run", "/runs", "HostToContainer", "Running"],
    [
      "private-run",
      "/run/x",
      "HostToContainer",
      refused('path "/run/x" is mounted on "/run" but it is not a shared or slave mount'),
    ],
  ])("on a node whose mounts are %s: %s, %s", async (node, path, propagation, expected) => {
    expect(await outcome(volume(path, propagation), undefined, node)).toEqual(expected);
  });
});
