import { describe } from "vitest";
import type { MachineConfig } from "../../src/domain/machine-config/api.ts";
import { changesBetween, isEmpty } from "../../src/domain/machine-config/cost/changes.ts";
import { emptyContents, type MachineContents } from "../../src/domain/machine-config/machine-contents.ts";
import { readContents } from "../../src/domain/machine-config/read-contents.ts";
import { serialQueue } from "../../src/node/host/serial-queue.ts";
import { bootIdPath } from "../../src/node/host/boot-id.ts";
import { MemoryBase } from "../../src/node/host/memory-base.ts";
import { MemoryHost } from "../../src/node/host/memory-host.ts";
import { applyContents, verifyContents } from "../../src/node/on-node/machine-config/apply-contents.ts";
import { defaultPolicy } from "../../src/domain/machine-config/cost/disruption-policy.ts";
import { filesInForce } from "../../src/node/engine/drift.ts";
import { machineConfigOwner } from "../../src/node/on-node/machine-config/place-step.ts";
import { NodeUpdater } from "../../src/node/on-node/machine-config/node-updater.ts";
import { agreesWithRecorded, casesOf } from "./parity.ts";

interface OnDisk {
  path: string;
  text?: string;
  mode?: string;
  link?: string;
}

type Ignition = NonNullable<MachineConfig["spec"]>["config"];

type Case = { id: string; expect: unknown } & (
  | { check: "apply"; before?: OnDisk[]; steps: { config: Ignition; edits?: OnDisk[] }[] }
  | { check: "verify" | "watched"; config: Ignition; disk: OnDisk[]; enabledUnits?: string[] }
  | { check: "forceFile"; old: MachineConfig["spec"]; new: MachineConfig["spec"] }
);

const cases = casesOf<Case>("on-node");
const unit = "[Unit]\nDescription=a\n[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n";
const file = (text: string): object => ({ mode: "0644", text });

describe("files and units on a node, by the recorded cases", () => {
  agreesWithRecorded(
    cases,
    {
      // machine-config W-1
      "apply-replace-foreign": [{ tree: { "/etc/a": file("mine") } }, { tree: { "/etc/a": file("admin") } }],
      "apply-unit-contents-gone": [
        { tree: { "/etc/systemd/system/a.service": file(unit) } },
        { tree: { "/etc/systemd/system/a.service.d/10-x.conf": file("[Service]\nNice=1\n") } },
      ],
      // machine-config W-15
      "apply-owner-unknown": [{ tree: {}, refused: true }],
      // machine-config W-7
      "apply-dropin-name-escape": [{ tree: {}, refused: true }],
      // machine-config W-10
      "verify-owner": { ok: false, kind: "file" },
      "verify-mask-no-contents": { ok: false, kind: "unit" },
      "verify-directory": { ok: false, kind: "file" },
      // machine-config W-12
      "watch-existing": {
        directories: ["/etc", "/etc/systemd/system", "/etc/systemd/system/a.service.d", "/etc/x"],
        files: ["/etc/a", "/etc/systemd/system/a.service", "/etc/systemd/system/a.service.d/10-x.conf", "/etc/x/b"],
      },
      "force-file": { actions: [], diff: [], forceFileLeft: false },
    },
    actual,
  );
});

function actual(recorded: Case): unknown {
  switch (recorded.check) {
    case "apply":
      return applied(recorded);
    case "verify":
      return verified(recorded);
    case "watched":
      return watched(recorded);
    case "forceFile":
      // There is no such file: a repair is asked for without a reboot.
      return isEmpty(changesBetween(contentsOf(recorded.old), contentsOf(recorded.new)))
        ? { actions: [], diff: [], forceFileLeft: false }
        : "differs";
  }
}

async function applied({ before = [], steps }: Extract<Case, { check: "apply" }>): Promise<unknown> {
  const host = await hostWith(before);
  const updater = new NodeUpdater({ host, exclusive: serialQueue() });
  const results: object[] = [];
  for (const [index, { config, edits = [] }] of steps.entries()) {
    await put(edits, host);
    const planned = await updater.plan({ name: `rendered-${index}`, spec: { config } }, defaultPolicy);
    const done = planned.type === "refused" ? planned : await updater.apply(planned);
    results.push({ tree: await treeOf(host), ...(done.type === "refused" ? { refused: true } : {}) });
    if (done.type === "reboot") {
      host.put(bootIdPath, `boot-${index + 2}\n`);
      await updater.verify((await updater.configs()).pending!);
    }
  }
  return results;
}

async function verified({
  config,
  disk,
  enabledUnits,
}: Extract<Case, { check: "verify" | "watched" }>): Promise<unknown> {
  const host = await hostWith(disk, enabledUnits);
  const { problems } = await verifyContents({ contents: contentsOf({ config }), config: "rendered", host });
  const [first] = problems;
  if (first === undefined) return { ok: true };
  return { ok: false, kind: first.startsWith("systemd") ? "unit" : "file" };
}

async function watched({ config, disk }: Extract<Case, { check: "verify" | "watched" }>): Promise<unknown> {
  const host = await hostWith(disk);
  await applyContents({ contents: contentsOf({ config }), config: "rendered", host });
  const files = (await filesInForce(host, machineConfigOwner)).toSorted();
  const directories = new Set(files.map((path) => path.slice(0, path.lastIndexOf("/"))));
  return { directories: [...directories].toSorted(), files };
}

function contentsOf(spec: MachineConfig["spec"]): MachineContents {
  const read = readContents(spec);
  return read.type === "contents" ? read.contents : emptyContents;
}

async function hostWith(disk: readonly OnDisk[], enabledUnits: readonly string[] = []): Promise<MemoryHost> {
  const enabled = new Set(enabledUnits);
  const host = new MemoryHost(new MemoryBase([[bootIdPath, "boot-1\n"]]), [
    [
      "systemctl",
      async ([verb = "", ...names], node) => {
        for (const name of names)
          if (verb === "enable") enabled.add(name);
          else if (verb === "disable") enabled.delete(name);
        if (verb !== "is-enabled") return { type: "exited", code: 0, stdout: "", stderr: "" };
        const isThere = (await node.stat(`/etc/systemd/system/${names[0]}`)).type !== "missing";
        const state = enabled.has(names[0] ?? "") ? "enabled" : isThere ? "disabled" : "not-found";
        return { type: "exited", code: state === "enabled" ? 0 : 1, stdout: `${state}\n`, stderr: "" };
      },
    ],
  ]);
  await put(disk, host);
  return host;
}

async function put(disk: readonly OnDisk[], host: MemoryHost): Promise<void> {
  for (const { path, text = "", mode = "0644", link } of disk)
    if (link === undefined) await host.replace(path, text, Number.parseInt(mode, 8));
    else await host.placeLink(path, { target: link });
}

/** Files and links below /etc and /var, but for Attune's own. */
async function treeOf(host: MemoryHost): Promise<Record<string, object>> {
  const tree: Record<string, object> = {};
  const folders = ["/etc", "/var"];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift())
    for (const name of await host.list(folder)) {
      const path = `${folder}/${name}`;
      if (path.startsWith("/var/lib")) continue;
      const stat = await host.stat(path);
      if (stat.type === "link") tree[path] = { link: stat.target };
      else if (stat.type === "directory") folders.push(path);
      else if (stat.type === "file") {
        const text = await host.read(path);
        tree[path] = { mode: stat.mode.toString(8).padStart(4, "0"), text: text.type === "text" ? text.text : "" };
      }
    }
  return tree;
}
