import type { Host } from "../../../host/host.ts";

type Files = Pick<Host, "read" | "list">;

/** The plug-in with the runtimes, in each format. */
const runtimePlugin =
  /^\s*\[plugins\.["']?(?:io\.containerd\.grpc\.v1\.cri|io\.containerd\.cri\.v1\.runtime|cri)["']?[.\]]/m;

/**
 * The file that says which runtimes containerd has: `main`, or the last that it imports and that has the plug-in of runtimes.
 * containerd does not merge the two: such a file replaces all that those before it say of a plug-in.
 */
export async function runtimesFile(main: string, host: Files): Promise<string> {
  const text = await textOf(main, host);
  const imports = /^\s*imports\s*=\s*\[([^\]]*)\]/m.exec(text)?.[1] ?? "";
  let file = main;
  for (const [, pattern = ""] of imports.matchAll(/["']([^"']+)["']/g))
    for (const path of await matching(pattern.startsWith("/") ? pattern : `${folderOf(main)}/${pattern}`, host))
      if (runtimePlugin.test(await textOf(path, host))) file = path;
  return file;
}

/** In order of their names. Only the name may have wildcards: `/etc/containerd/conf.d/*.toml`. */
async function matching(pattern: string, host: Files): Promise<string[]> {
  const [folder, name] = [folderOf(pattern), pattern.slice(pattern.lastIndexOf("/") + 1)];
  const parts = name.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const wanted = new RegExp(`^${parts.join(".*")}$`);
  return (await host.list(folder)).filter((one) => wanted.test(one)).map((one) => `${folder}/${one}`);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

async function textOf(path: string, host: Files): Promise<string> {
  const found = await host.read(path);
  return found.type === "text" ? found.text : "";
}
