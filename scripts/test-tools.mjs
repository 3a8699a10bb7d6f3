// Programs that tests start and that npm does not install. As root on Debian, missing ones are installed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const scripts = dirname(fileURLToPath(import.meta.url));
const cache = join(scripts, "../node_modules/.cache/attune-test-tools");

/** Older versions need OpenAPI v2 for validation; the embedded server describes kinds only in version 3. */
const oldestKubectl = 28;

/**
 * The found or installed programs, as environment variables for the tests, and what is missing with the reason.
 * `long`: also those of the long tests.
 */
export function prepareTools(long) {
  const missing = [];
  const env = {};
  const kubectl = findKubectl() ?? installKubectl();
  if (kubectl.path) env.ATTUNE_KUBECTL = kubectl.path;
  else missing.push({ files: /test\/conformance\/(?!python)/, reason: kubectl.reason });
  const python = findPythonClient() ?? installPythonClient();
  if (python.path) env.ATTUNE_PYTHON = python.path;
  else missing.push({ files: /test\/conformance\/python/, reason: python.reason });
  const tuned = findTuned() ?? installTuned();
  if (tuned.path) env.ATTUNE_TUNED = tuned.path;
  if (tuned.reason) missing.push({ files: /test\/(tuned-daemon|differential-tuned)\//, reason: tuned.reason });
  const containers = findContainers() ?? installContainers();
  if (containers.reason)
    missing.push({ files: /test\/(image\/image|scylla-agent\/container-runtime)/, reason: containers.reason });
  const chromium = findChromium() ?? installChromium();
  if (chromium.path) env.ATTUNE_CHROMIUM = chromium.path;
  else missing.push({ files: /test\/console\//, reason: chromium.reason });
  const terminal = findTerminal() ?? installTerminal();
  if (terminal.path) env.ATTUNE_TMUX = terminal.path;
  else missing.push({ files: /test\/newcomer\//, reason: terminal.reason });
  const emulator = long ? (findEmulator() ?? installEmulator()) : {};
  if (emulator.reason) missing.push({ files: /test\/real-machine\//, reason: emulator.reason });
  const node = nodeOfImage();
  if (node.path) env.ATTUNE_IMAGE_NODE = node.path;
  else missing.push({ reason: node.reason });
  return { env, missing };
}

function findKubectl() {
  for (const path of ["kubectl", join(cache, "usr/bin/kubectl")]) {
    const { status, stdout } = run(path, ["version", "--client", "-o", "json"]);
    if (status === 0 && minorOf(stdout) >= oldestKubectl) return { path };
  }
  return undefined;
}

function minorOf(text) {
  try {
    return Number.parseInt(JSON.parse(text).clientVersion.minor, 10);
  } catch {
    return 0;
  }
}

/** Debian's stable kubectl may be too old, so the newest of its mirror is unpacked into the cache, not installed. */
function installKubectl() {
  const refusal = cannotInstall();
  if (refusal) return { reason: `kubectl 1.${oldestKubectl} or newer is not on this machine, and ${refusal}` };
  console.log("set-up: kubectl is missing or old; unpacking Debian's newest for the tests");
  // Depending on the release, either package contains kubectl.
  for (const suite of ["trixie", "sid"])
    for (const name of ["kubectl", "kubernetes-client"]) {
      const found = unpackFrom(suite, name) && findKubectl();
      if (found) return found;
    }
  return { reason: "Debian's mirror has no kubectl that is new enough" };
}

function unpackFrom(suite, name) {
  const mirror = run("apt-get", ["indextargets", "--format", "$(REPO_URI)"])
    .stdout.split("\n")
    .find((uri) => uri.includes("/debian/") || uri.endsWith("/debian"));
  if (!mirror) return false;
  const apt = join(cache, "apt");
  for (const folder of ["lists/partial", "archives/partial"]) mkdirSync(join(apt, folder), { recursive: true });
  writeFileSync(join(apt, "sources.list"), `deb ${mirror} ${suite} main\n`);
  writeFileSync(join(apt, "status"), "");
  const options = [
    `Dir::Etc::sourcelist=${apt}/sources.list`,
    "Dir::Etc::sourceparts=-",
    `Dir::State::lists=${apt}/lists`,
    `Dir::State::status=${apt}/status`,
    `Dir::Cache::archives=${apt}/archives`,
    `Dir::Cache::pkgcache=`,
    `Dir::Cache::srcpkgcache=`,
    "APT::Sandbox::User=root",
  ].flatMap((option) => ["-o", option]);
  if (run("apt-get", [...options, "update"]).status !== 0) return false;
  if (run("apt-get", [...options, "download", name], cache).status !== 0) return false;
  for (const file of readdirSync(cache).filter((file) => file.endsWith(".deb"))) {
    run("dpkg", ["-x", join(cache, file), cache]);
    rmSync(join(cache, file));
  }
  return true;
}

/** Debian's package is for Debian's Python, even if another `python3` comes first on the path. */
function findPythonClient() {
  for (const path of ["/usr/bin/python3", "python3"])
    if (run(path, ["-c", "import kubernetes"]).status === 0) return { path };
  return undefined;
}

function installPythonClient() {
  const refusal = cannotInstall();
  if (refusal) return { reason: `python3-kubernetes is not on this machine, and ${refusal}` };
  console.log("set-up: installing python3-kubernetes with apt-get");
  run("apt-get", ["update"]);
  run("apt-get", ["install", "-y", "--no-install-recommends", "python3-kubernetes"]);
  return findPythonClient() ?? { reason: "apt-get could not install python3-kubernetes" };
}

/** TuneD runs in its own namespaces, where it cannot change this machine. */
function findTuned() {
  const path = "/usr/sbin/tuned";
  if (run(path, ["--version"]).status !== 0) return undefined;
  const separate = ["-m", "-n", "-p", "-f", "--mount-proc", "mount", "-t", "tmpfs", "none", "/mnt"];
  if (run("unshare", separate).status === 0) return { path };
  return { path, reason: "this machine allows no private mount, network and process namespaces for TuneD" };
}

function installTuned() {
  const refusal = cannotInstall();
  if (refusal) return { reason: `tuned is not on this machine, and ${refusal}` };
  console.log("set-up: installing tuned with apt-get");
  run("apt-get", ["update"]);
  run("apt-get", ["install", "-y", "--no-install-recommends", "tuned"]);
  return findTuned() ?? { reason: "apt-get could not install tuned" };
}

/** Where they are installed and still cannot run, the suite says why, and is skipped. */
function findContainers() {
  return ["containerd", "ctr", "runc"].every((program) => run(program, ["--version"]).status === 0) ? {} : undefined;
}

function installContainers() {
  const refusal = cannotInstall();
  if (refusal) return { reason: `containerd is not on this machine, and ${refusal}` };
  console.log("set-up: installing containerd and runc with apt-get");
  run("apt-get", ["update"]);
  run("apt-get", ["install", "-y", "--no-install-recommends", "containerd", "runc"]);
  return findContainers() ?? { reason: "apt-get could not install containerd and runc" };
}

/** Of the distribution: the browsers that Playwright downloads are builds of its own. */
function findChromium() {
  for (const path of ["chromium", "chromium-browser", "google-chrome"])
    if (run(path, ["--version"]).status === 0) return { path: run("sh", ["-c", `command -v ${path}`]).stdout.trim() };
  return undefined;
}

function installChromium() {
  const refusal = cannotInstall();
  if (refusal) return { reason: `chromium is not on this machine, and ${refusal}` };
  console.log("set-up: installing chromium with apt-get");
  run("apt-get", ["update"]);
  run("apt-get", ["install", "-y", "--no-install-recommends", "chromium"]);
  return findChromium() ?? { reason: "apt-get could not install chromium" };
}

/** A terminal that tests type into, and the shells that complete commands. */
function findTerminal() {
  const path = (program) => run("sh", ["-c", `command -v ${program}`]).stdout.trim();
  return ["tmux", "zsh", "fish"].every((program) => path(program) !== "") ? { path: path("tmux") } : undefined;
}

function installTerminal() {
  const refusal = cannotInstall();
  if (refusal) return { reason: `tmux, zsh or fish is not on this machine, and ${refusal}` };
  console.log("set-up: installing tmux, zsh and fish with apt-get");
  run("apt-get", ["update"]);
  run("apt-get", ["install", "-y", "--no-install-recommends", "tmux", "zsh", "fish"]);
  return findTerminal() ?? { reason: "apt-get could not install tmux, zsh and fish" };
}

/** Emulates a machine that boots, and makes its disk. */
function findEmulator() {
  const commands = ["qemu-system-x86_64", "qemu-img", "mmdebstrap", "mke2fs", "sfdisk"];
  return commands.every((command) => run("sh", ["-c", `command -v ${command}`]).status === 0) ? {} : undefined;
}

function installEmulator() {
  const refusal = cannotInstall();
  if (refusal) return { reason: `qemu-system-x86 is not on this machine, and ${refusal}` };
  console.log("set-up: installing qemu-system-x86 and mmdebstrap with apt-get");
  const packages = ["qemu-system-x86", "qemu-utils", "mmdebstrap", "e2fsprogs", "fdisk"];
  run("apt-get", ["update"]);
  run("apt-get", ["install", "-y", "--no-install-recommends", ...packages]);
  return findEmulator() ?? { reason: `apt-get could not install ${packages.join(", ")}` };
}

/** The image has a newer Node.js than the oldest that is supported: suites that start the program run on both. */
function nodeOfImage() {
  const path = join(cache, "image-node");
  mkdirSync(cache, { recursive: true });
  const { status, stderr } = run(process.execPath, [join(scripts, "image.mjs"), "--node", path]);
  if (status !== 0)
    return { reason: `programs on the Node.js of the image, which was not downloaded: ${stderr.trim()}` };
  const runs = run(path, ["--version"]).status === 0;
  return runs ? { path } : { reason: "programs on the Node.js of the image, which does not run on this machine" };
}

function cannotInstall() {
  if (!existsSync("/etc/debian_version")) return "this is not Debian";
  if (process.getuid?.() !== 0) return "only root can install it";
  return undefined;
}

function run(command, args, cwd) {
  if (cwd) mkdirSync(cwd, { recursive: true });
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    cwd,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return { status, stdout: stdout ?? "", stderr: stderr ?? "" };
}
