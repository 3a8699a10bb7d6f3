import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultImage, version } from "../../src/program/version.ts";
import { buildImage } from "./build-image.ts";
import { Containerd, whyNoContainers } from "./containerd.ts";
import { InstalledCluster } from "./installed-cluster.ts";

const root = new URL("../..", import.meta.url).pathname;
const minutes = 60_000;

const reason = whyNoContainers();
if (reason !== undefined) console.log(`not run: the image in containers (${reason})`);

describe.skipIf(reason !== undefined)("the image", () => {
  const dir = mkdtempSync(join(tmpdir(), "attune-image-"));
  const archive = join(dir, "image.tar");
  let containerd: Containerd;
  let cluster: InstalledCluster;
  let rootfs: string;
  let same: [string, string];

  beforeAll(async () => {
    const other = join(dir, "other.tar");
    await Promise.all([buildImage(archive), buildImage(other, { TZ: "Asia/Tokyo", LC_ALL: "C", TMPDIR: dir })]);
    same = [sumOf(archive), sumOf(other)];
    rmSync(other);
    containerd = await Containerd.start();
    expect(containerd.import(archive)).toEqual([defaultImage]);
    rootfs = containerd.unpack(defaultImage);
    cluster = await InstalledCluster.start(join(dir, "accounts"));
  }, 20 * minutes);
  afterAll(async () => {
    await containerd?.stop();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test("is the same when it is built again, with another time zone, language and folder", () => {
    const [first, second] = same;
    expect(second).toBe(first);
  });

  test("is small, and has no code that cannot run in it", () => {
    const page = join(rootfs, "attune/dist/console");
    const mebibytes = (...where: string[]): number => {
      const sizes = containerd
        .run("find", ...where, "-type", "f", "-printf", "%s\\n")
        .split("\n")
        .map(Number);
      return sizes.reduce((sum, size) => sum + size, 0) / 1024 / 1024;
    };
    expect(mebibytes(rootfs, "-not", "-path", `${page}/*`)).toBeLessThan(120);
    expect(mebibytes(page)).toBeLessThan(1);
    expect(containerd.run("find", join(rootfs, "attune"), "-name", "*.map", "-o", "-name", "lmdb*")).toBe("");
    for (const command of ["up", "apiserver --dir /tmp/state"])
      expect(() => containerd.run("chroot", rootfs, "attune", ...command.split(" "))).toThrow("images do not have it");
  });

  test("names its components with their licences, and says what it was built from", () => {
    const read = (path: string): string => containerd.run("cat", join(rootfs, path));
    const { packages } = JSON.parse(read("usr/share/attune/sbom.spdx.json")) as { packages: { name: string }[] };
    const names = packages.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["attune", "nodejs", "bash", "libstdc++6", "yaml", "re2js"]));
    const licences = containerd.run("find", "-L", join(rootfs, "usr/share/doc"), "-name", "copyright");
    for (const name of names) expect(licences).toContain(`/${name}/copyright`);

    const blob = (digest: string): string =>
      containerd.run("tar", "-xOf", archive, `blobs/${digest.replace(":", "/")}`);
    const digestIn = (text: string, what: "manifests" | "config"): string => {
      const found = (JSON.parse(text) as Record<string, { digest: string } | { digest: string }[]>)[what];
      return [found].flat()[0]?.digest ?? "";
    };
    const index = containerd.run("tar", "-xOf", archive, "index.json");
    const { config } = JSON.parse(blob(digestIn(blob(digestIn(index, "manifests")), "config"))) as {
      config: { User: string; Labels: Record<string, string> };
    };
    expect(config.User).toBe("65532:65532");
    expect(config.Labels).toMatchObject({
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.revision": expect.stringMatching(/^[0-9a-f]{40}/) as string,
    });
  });

  test("has the programs that people need in an agent, and none that changes its user", () => {
    const inside = (...argv: string[]): string => containerd.run("chroot", rootfs, ...argv);
    for (const program of ["sysctl", "ethtool", "ps", "top", "rmmod", "chroot", "attune"])
      inside("sh", "-c", `command -v ${program}`);
    expect(inside("/usr/sbin/chroot", "/", "/bin/echo", "there")).toBe("there\n");
    // As scripts of the Go operator's users do; busybox has neither this shell nor -lname.
    expect(inside("bash", "-c", "find /usr/bin -name sh -lname '*busybox' -printf %f")).toBe("sh");
    expect(inside("attune", "--version")).toBe(containerd.run(process.execPath, join(root, "bin/attune"), "--version"));
    expect(inside("node", "--version")).toMatch(/^v24\./);
    expect(containerd.run("find", rootfs, "-perm", "/6000")).toBe("");
    expect(containerd.run("find", rootfs, "-xtype", "l")).toBe("");
  });

  test(
    "runs operator and webhook as their user, and an agent that tunes a node whose /usr is read-only",
    async () => {
      const node = join(dir, "node");
      for (const [path, text] of Object.entries({
        "proc/sys/kernel/random/boot_id": "11111111-2222-3333-4444-555555555555",
        "proc/sys/vm/swappiness": "60",
        "etc/hostname": "n",
      })) {
        mkdirSync(dirname(join(node, path)), { recursive: true });
        writeFileSync(join(node, path), `${text}\n`);
      }
      mkdirSync(join(node, "var/lib/ocp-tuned/recommend.d"), { recursive: true });
      mkdirSync(join(node, "usr"));
      const system = `cp -a bin sbin lib* ${node} && cp -a usr/bin usr/sbin usr/lib* ${node}/usr`;
      containerd.run("sh", "-c", `cd ${rootfs} && ${system}`);

      await cluster.createNode("n");
      // A program of the node, which the agent starts with chroot.
      await cluster.createTuned(
        "fast",
        "[variables]\nwanted=${f:exec:/bin/echo:17}\n[sysctl]\nvm.swappiness=${wanted}\n",
      );
      const operator = containerd.start("operator", await cluster.operator(), {
        rootfs,
        binds: cluster.binds("operator"),
      });
      await operator.printed(/attune \S+ operator/, "stderr");
      const binds = [
        ...cluster.binds("agent"),
        { source: node, target: "/host" },
        { source: join(node, "usr"), target: "/host/usr", readOnly: true },
        { source: join(node, "var/lib/ocp-tuned/recommend.d"), target: "/etc/tuned/recommend.d", readOnly: true },
      ];
      const agent = containerd.start("agent", await cluster.agent("n"), { rootfs, binds });
      await agent.printed(/agent of node n/, "stderr");
      expect(await cluster.applied("n")).toBe("fast");
      expect(readFileSync(join(node, "proc/sys/vm/swappiness"), "utf8").trim()).toBe("17");

      const webhook = containerd.start("webhook", await cluster.webhook(), { rootfs, binds: cluster.binds("webhook") });
      await cluster.registered();
      for (const name of ["operator", "webhook"]) {
        const status = containerd.status(name);
        expect([name, /^Uid:\t(\d+)/m.exec(status)?.[1]]).toEqual([name, "65532"]);
        expect([name, /^CapEff:\t(\d+)/m.exec(status)?.[1]]).toEqual([name, "0000000000000000"]);
      }

      for (const [name, run] of Object.entries({ agent, operator, webhook })) {
        containerd.kill(name, "SIGTERM");
        const { code, stderr } = await run.ended;
        expect([name, code, stderr]).toEqual([name, 0, expect.not.stringMatching(/read-only file system|EROFS/i)]);
      }
      // An agent that is merely stopped leaves its node tuned.
      expect(readFileSync(join(node, "proc/sys/vm/swappiness"), "utf8").trim()).toBe("17");
    },
    5 * minutes,
  );
});

/** As `npm --prefix ROOT run image -- --output NAME` in another folder, which npm passes on as INIT_CWD. */
function sumOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
