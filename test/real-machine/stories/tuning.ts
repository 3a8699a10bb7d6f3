import { expect, test } from "vitest";
import { kinds } from "../../../src/cluster/kube/kinds.ts";
import { type Profile, tunedKind, tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import { findCondition, isTrue } from "../../../src/language/object/condition.ts";
import { agentAnnotations } from "../../../src/domain/rollout/node-annotations.ts";
import { guestName, programFolder, swappiness } from "../harness/guest-files.ts";
import { differences, fileState } from "../harness/guest-state.ts";
import type { Stage } from "../harness/stage.ts";

/** For every node. */
export const tuned = (sections: string): object => ({
  apiVersion: "tuned.openshift.io/v1",
  kind: "Tuned",
  metadata: { name: "story", namespace: tuningNamespace },
  spec: {
    profile: [{ name: "story", data: `[main]\nsummary=a story\n${sections}` }],
    recommend: [{ profile: "story", priority: 5 }],
  },
});

export const hasApplied =
  (name: string) =>
  ({ status }: Profile): boolean =>
    status?.tunedProfile === name && isTrue(status.conditions, "Applied");

/** Tuning alone, without machine configuration. */
export function tuningStories(stage: () => Stage): void {
  test("a Tuned reaches the kernel without a boot; deleted, it leaves no trace", async () => {
    const { cluster, machine } = stage();
    // The Profile may still say what was applied before the power cut.
    const boot = machine.boots.at(-1)?.id;
    await cluster.until(
      kinds.node,
      guestName,
      (node) => boot !== undefined && node?.metadata.annotations?.[agentAnnotations.tunedBoot] === boot,
      { what: "the agent has tuned the guest since it booted" },
    );
    await cluster.profile(hasApplied("openshift-node"));
    const [value, files, boots] = [await machine.read(swappiness), await fileState(machine), machine.boots.length];
    await cluster.apply(tunedKind, tuned("[sysctl]\nvm.swappiness=7\n"));
    await cluster.profile(hasApplied("story"));
    expect(await machine.read(swappiness)).toBe("7");
    await cluster.client.delete(tunedKind, "story", { namespace: tuningNamespace });
    await cluster.profile(hasApplied("openshift-node"));
    expect(await machine.read(swappiness)).toBe(value);
    expect(differences(files, await fileState(machine))).toEqual([]);
    expect(machine.boots).toHaveLength(boots);
  });

  test("an agent with a name that the cluster does not have changes nothing", async () => {
    const { machine } = stage();
    const before = await fileState(machine);
    const node = `/usr/bin/node ${programFolder}/attune.cjs`;
    // The first line that it writes about the name ends the wait.
    const { stdout, stderr } = await machine.try(
      `systemctl stop attune-agent
      ${node} agent --node guesst --kubeconfig ${programFolder}/kubeconfig 2>&1 >/dev/null | grep --line-buffered -m1 guesst`,
    );
    expect(`${stdout}${stderr}`).toMatch(/there is no Node "guesst"|guesst/);
    expect(differences(before, await fileState(machine))).toEqual([]);
    await machine.run("systemctl start attune-agent");
  });

  test("with a read-only /etc everything else is tuned, and the status names the file", async () => {
    const { cluster, machine } = stage();
    await machine.run("mount --bind /etc /etc && mount -o remount,ro,bind /etc");
    await cluster.apply(tunedKind, tuned("[sysctl]\nvm.swappiness=9\n[systemd]\ncpu_affinity=0-3\n"));
    const { status } = await cluster.profile(({ status }) => status?.tunedProfile === "story");
    expect(await machine.read(swappiness)).toBe("9");
    expect(findCondition(status?.conditions, "Degraded")).toMatchObject({ status: "True" });
    expect(findCondition(status?.conditions, "Degraded")?.message).toMatch(
      /read-only file system, open '\/etc\/systemd\//,
    );
    await machine.run("umount /etc && systemctl restart attune-agent");
    await cluster.profile(({ status }) => findCondition(status?.conditions, "Degraded")?.status === "False");
    await cluster.client.delete(tunedKind, "story", { namespace: tuningNamespace });
    await cluster.profile(hasApplied("openshift-node"));
  });
}
