import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Architecture, debian } from "./contents.ts";
import { FileTree } from "./file-tree.ts";
import { readArchive } from "./read-archive.ts";

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly file: string;
  /** All fields, as dpkg stores them. */
  readonly control: string;
}

/** Not needed to run programs. Licences stay: `usr/share/doc/<name>/copyright`. */
const left = [
  /^usr\/share\/(?!doc\/|common-licenses)/,
  // Licences that no package of the image names.
  /^usr\/share\/common-licenses\/(AGPL|BSL|CC-BY|GFDL-1\.1|MPL|OFL)/,
  // A package may have a link to the documents of another one.
  /^usr\/share\/doc\/(?![^/]+(\/copyright)?$)/,
  /^usr\/lib\/(tmpfiles\.d|[^/]+\/(gconv|audit|libmvec\.so))/,
  // Libraries that no program of the image is linked with, and those of procps that need a megabyte of them: busybox has these.
  /^usr\/lib\/[^/]+\/lib(BrokenLocale|c_malloc_debug|memusage|nsl|nss_compat|nss_hesiod|pcprofile|thread_db)\.so/,
  /^usr\/lib\/[^/]+\/lib(form|menu|ncurses|panel|tic)w?\.so/,
  /^usr\/bin\/(bashbug|slabtop|tload|top|watch)$/,
  // About sessions of users, which a container has none of, and a second way to send signals.
  /^usr\/bin\/(clear_console|pidwait|pwdx|skill|snice|w)$/,
  /^var\/./,
  /^etc\/(?!os-release|debian_version)/,
];

/**
 * Downloads the packages and what they depend on, from the mirrors that this machine has. apt checks them against Debian's
 * signature. It works in `dir`, so that it neither reads nor changes what is installed here.
 */
export function downloadPackages(architecture: Architecture, dir: string): DebianPackage[] {
  for (const folder of ["lists/partial", "archives/partial"]) mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, "sources.list"), sources(mirrors()));
  writeFileSync(join(dir, "status"), "");
  const options = [
    `Dir::Etc::sourcelist=${dir}/sources.list`,
    "Dir::Etc::sourceparts=/dev/null",
    "Dir::Etc::preferences=/dev/null",
    "Dir::Etc::preferencesparts=/dev/null",
    `Dir::State::lists=${dir}/lists`,
    `Dir::State::status=${dir}/status`,
    `Dir::State::extended_states=${dir}/extended_states`,
    `Dir::Cache::archives=${dir}/archives`,
    "Dir::Cache::pkgcache=",
    "Dir::Cache::srcpkgcache=",
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    "APT::Install-Recommends=false",
    "APT::Sandbox::User=root",
    "Acquire::Languages=none",
    "Acquire::Retries=5",
  ].flatMap((option) => ["-o", option]);
  run("apt-get", [...options, "update", "--error-on=any"]);
  run("apt-get", [...options, "install", "--yes", "--download-only", "--no-install-recommends", ...debian.packages]);
  const archives = join(dir, "archives");
  return readdirSync(archives)
    .filter((name) => name.endsWith(".deb"))
    .sort()
    .map((name) => read(join(archives, name)))
    .filter(({ name }) => !debian.omitted.some((omitted) => omitted === name));
}

/** The files of all packages. */
export async function unpack(packages: readonly DebianPackage[]): Promise<FileTree> {
  const tree = new FileTree();
  for (const { file } of packages) await addFiles(file, tree);
  return tree;
}

async function addFiles(deb: string, tree: FileTree): Promise<void> {
  const child = spawn("dpkg-deb", ["--fsys-tarfile", deb], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  for await (const { header, bytes } of readArchive(child.stdout)) {
    const { type, name, linkname, mode = 0, mtime = new Date(0) } = header;
    const path = pathOf(name);
    if (path === "" || left.some((pattern) => pattern.test(path))) continue;
    const seconds = Math.floor(mtime.getTime() / 1000);
    if (type === "file")
      // No file changes the user that runs it.
      tree.add(path, { type, bytes, mode: mode & 0o755, mtime: seconds });
    else if (type === "directory") tree.add(path, { type, mode: mode & 0o1777, mtime: seconds });
    else if (type === "symlink") tree.add(path, { type, to: linkname ?? "", mtime: seconds });
    else throw new Error(`unpack ${deb}: ${name} is a ${type}`);
  }
  const status = await ended;
  if (status !== 0) throw new Error(`unpack ${deb}: dpkg-deb ended with ${status}`);
}

/** Some packages have files in /bin, which is a link to /usr/bin. */
function pathOf(name: string): string {
  const path = name.replace(/^\.\//, "").replace(/\/$/, "");
  return path.replace(/^(bin|sbin|lib|lib64)\//, "usr/$1/");
}

interface Mirrors {
  readonly main: string;
  readonly security: string | undefined;
}

function mirrors(): Mirrors {
  const uris = run("apt-get", ["indextargets", "--format", "$(REPO_URI)"])
    .split("\n")
    .map((uri) => uri.replace(/\/$/, ""));
  const main = uris.find((uri) => uri.endsWith("/debian"));
  if (!main) throw new Error("find a mirror of Debian: apt's sources on this machine name none");
  return { main, security: uris.find((uri) => uri.endsWith("/debian-security")) };
}

function sources({ main, security }: Mirrors): string {
  const { suite } = debian;
  const lines = [
    `${main} ${suite}`,
    `${main} ${suite}-updates`,
    ...(security ? [`${security} ${suite}-security`] : []),
  ];
  return lines.map((line) => `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${line} main\n`).join("");
}

function read(file: string): DebianPackage {
  const control = run("dpkg-deb", ["--field", file]);
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, "m").exec(control)?.[1] ?? "";
  return { name: field("Package"), version: field("Version"), architecture: field("Architecture"), file, control };
}

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
