import { expect, test } from "vitest";
import { agentDaemonSet } from "../../src/domain/scylla/config/agent-daemon-set.ts";
import { journalPath } from "../../src/node/engine/journal.ts";
import { config } from "./decide-input.ts";

interface Mount {
  readonly mountPath: string;
  readonly readOnly?: boolean;
}

const { template } = agentDaemonSet(config, { image: "attune:1", version: "1" })["spec"] as {
  template: { spec: { containers: { volumeMounts: Mount[] }[] } };
};

/** The mount that a path of the node is on, as the agent sees it. */
function mountOf(path: string): Mount | undefined {
  const seen = `/host${path}`;
  return template.spec.containers[0]?.volumeMounts
    .filter(({ mountPath }) => seen.startsWith(`${mountPath}/`))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length)[0];
}

test("an agent can write the originals of what the script of a Scylla image changes", () => {
  expect(mountOf(journalPath)?.readOnly ?? false).toBe(false);
});

test.each(["/etc/default/irqbalance", "/var/lib/kubelet/config.yaml", "/usr/bin/x"])(
  "and nothing else of the node's disk: %s",
  (path) => {
    expect(mountOf(path)?.readOnly).toBe(true);
  },
);
