import { expect, test } from "vitest";
import { emptyContents } from "../../../../domain/machine-config/machine-contents.ts";
import { containerdHandlers } from "../../../../domain/machine-config/plain-hosts/containerd-handlers.ts";
import { Ledger } from "../../../engine/ledger.ts";
import { MemoryBase } from "../../../host/memory-base.ts";
import { MemoryHost } from "../../../host/memory-host.ts";
import { hostFacts } from "./host-facts.ts";

const main = "/etc/containerd/config.toml";
const imports = "version = 3\nimports = ['/etc/containerd/conf.d/*.toml', \"extra/a.toml\"]\n";
const runtimes = (name: string): string =>
  `version = 3\n[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.${name}]\n  runtime_type = 'x'\n`;
const crio = {
  path: "/etc/crio/crio.conf.d/99-runtimes.conf",
  mode: 0o644,
  bytes: new TextEncoder().encode("[crio.runtime.runtimes.high-performance]\n"),
};

/** A host with these files, and what a handler adds to them. */
async function handlerOn(files: Record<string, string>): Promise<[path: string, text: string][]> {
  const unit = "/usr/lib/systemd/system/containerd.service";
  const base = new MemoryBase([[unit, "[Service]\nExecStart=/usr/bin/containerd\n"], ...Object.entries(files)]);
  const { runtime } = await hostFacts(new MemoryHost(base), new Ledger());
  const { files: added } = containerdHandlers({ ...emptyContents, files: [crio] }, runtime);
  return added.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]);
}

test.each([
  ["its own file", { [main]: runtimes("runc") }, main],
  [
    "its own file, where no imported one has runtimes",
    { [main]: imports, "/etc/containerd/conf.d/a.toml": "version = 3\n" },
    main,
  ],
  [
    "an imported one that has runtimes",
    { [main]: imports, "/etc/containerd/conf.d/99-nvidia.toml": runtimes("runc") },
    "/etc/containerd/conf.d/99-nvidia.toml",
  ],
  [
    "the last of several",
    {
      [main]: imports,
      "/etc/containerd/conf.d/99-a.toml": runtimes("runc"),
      "/etc/containerd/conf.d/98-b.toml": runtimes("runc"),
    },
    "/etc/containerd/conf.d/99-a.toml",
  ],
  [
    "one beside its own",
    {
      [main]: imports,
      "/etc/containerd/extra/a.toml": runtimes("runc"),
      "/etc/containerd/conf.d/a.toml.off": runtimes("runc"),
    },
    "/etc/containerd/extra/a.toml",
  ],
])("a handler is added where containerd reads runtimes: %s", async (_, files, path) => {
  const [added] = await handlerOn(files);
  expect(added?.[0]).toBe(path);
  expect(added?.[1]).toContain("[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.high-performance]");
});

test.each(["k3s", "rke2"])(
  "on %s a handler is added to the template, and drop-ins are those of the distribution",
  async (name) => {
    const etc = `/var/lib/rancher/${name}/agent/etc`;
    const files: [string, string][] = [
      [`/usr/lib/systemd/system/${name}-agent.service`, `[Service]\nExecStart=/usr/local/bin/${name} agent\n`],
      [`${etc}/containerd/config.toml`, runtimes("runc")],
      [`${etc}/kubelet.conf.d/00-defaults.conf`, "kind: KubeletConfiguration\n"],
    ];
    const { kubelet, runtime } = await hostFacts(new MemoryHost(new MemoryBase(files)), new Ledger());
    expect(kubelet).toMatchObject({ service: `${name}-agent.service`, dropInFolder: `${etc}/kubelet.conf.d` });
    expect(runtime).toMatchObject({ type: "containerd", config: { path: `${etc}/containerd/config-v3.toml.tmpl` } });
    const { files: added } = containerdHandlers({ ...emptyContents, files: [crio] }, runtime);
    expect(new TextDecoder().decode(added[0]?.bytes)).toMatch(
      /^{{ template "base" \. }}\n[^]*runtimes\.high-performance\]/,
    );
  },
);
