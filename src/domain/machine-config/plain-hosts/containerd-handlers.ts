import type { MachineContents, MachineFile } from "../machine-contents.ts";
import type { RuntimeFacts } from "./host-facts.ts";
import type { OnHost } from "./kubelet-on-host.ts";

/** Those of ContainerRuntimeConfigs. */
const runtimeConfigFiles = "/etc/crio/crio.conf.d/01-ctrcfg-";
export const crioFolder = "/etc/crio/crio.conf.d/";

/** The plug-in with the runtimes, by the format of containerd's configuration. */
const plugins: Readonly<Record<number, string>> = {
  1: "cri",
  2: '"io.containerd.grpc.v1.cri"',
  3: "'io.containerd.cri.v1.runtime'",
};

/**
 * RuntimeClasses name handlers that the contents define for CRI-O. containerd refuses pods of a handler that it does not
 * have: it gets one of each name that does what its default one does.
 */
export function containerdHandlers(contents: MachineContents, runtime: RuntimeFacts): OnHost {
  if (runtime.type !== "containerd") return { files: [], findings: [] };
  const ignored = contents.files.some(({ path }) => path.startsWith(runtimeConfigFiles))
    ? ["ContainerRuntimeConfigs have no effect: this node runs containerd, and they are for CRI-O"]
    : [];
  const handlers = crioHandlers(contents);
  if (handlers.names.length === 0) return { files: [], findings: ignored };
  const { config, madeFrom, format } = runtime;
  const text = config.text ?? (madeFrom === undefined ? `version = ${format}\n` : '{{ template "base" . }}\n');
  let tables = "";
  for (const name of handlers.names)
    if (!hasHandler(`${text}${tables}`, name, format))
      tables += handlerTables(`${madeFrom ?? text}${tables}`, name, format);
  const bytes = new TextEncoder().encode(`${text.endsWith("\n") || text === "" ? text : `${text}\n`}${tables}`);
  const files: MachineFile[] = tables === "" ? [] : [{ path: config.path, mode: config.mode, bytes }];
  const [first, ...others] = handlers.annotations;
  const annotations = others.length > 0 ? `annotations ${handlers.annotations.join(", ")}` : `annotation ${first}`;
  const findings = first === undefined ? [] : [`containerd does not honour the ${annotations} of pods`];
  return { files, findings: [...ignored, ...findings] };
}

/** Names of the handlers, and the annotations that pods of them may have. */
function crioHandlers({ files }: MachineContents): { readonly names: string[]; readonly annotations: string[] } {
  const texts = files
    .filter(({ path }) => path.startsWith(crioFolder))
    .map(({ bytes }) => new TextDecoder().decode(bytes));
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(/^\s*\[crio\.runtime\.runtimes\.["']?([A-Za-z0-9_-]+)["']?\]/gm), ([, name = ""]) => name),
  );
  const annotations = texts.flatMap((text) =>
    Array.from(text.matchAll(/^\s*allowed_annotations\s*=\s*\[([^\]]*)\]/gm), ([, list = ""]) =>
      Array.from(list.matchAll(/["']([^"']+)["']/g), ([, name = ""]) => name),
    ).flat(),
  );
  return { names: [...new Set(names)], annotations: [...new Set(annotations)] };
}

/** The tables of the default handler, under another name. */
function handlerTables(text: string, name: string, format: number): string {
  const original = /^\s*default_runtime_name\s*=\s*["']([^"']+)["']/m.exec(text)?.[1] ?? "runc";
  const copied = runtimeLines(text, format).flatMap(({ line, below, of }) => {
    if (of !== original) return [];
    return [below ? headerOf(pluginOf(text, format), [name, ...below.slice(1)]) : line.trim()];
  });
  // Any runtime in the file replaces the built-in list, without which containerd does not start its plug-in.
  const builtIn = [original, name].flatMap((one) => [
    headerOf(pluginOf(text, format), [one]),
    'runtime_type = "io.containerd.runc.v2"',
  ]);
  const lines = copied.length > 0 ? copied : builtIn;
  return `\n${lines.filter((line) => line !== "").join("\n")}\n`;
}

function hasHandler(text: string, name: string, format: number): boolean {
  return runtimeLines(text, format).some(({ of }) => of === name);
}

interface RuntimeLine {
  readonly line: string;
  /** The runtime that the line is about. */
  readonly of: string | undefined;
  /** Of a header: its keys below `runtimes`. */
  readonly below: readonly string[] | undefined;
}

function runtimeLines(text: string, format: number): RuntimeLine[] {
  const [plugin] = keysOf(pluginOf(text, format));
  const above = JSON.stringify(["plugins", plugin, "containerd", "runtimes"]);
  let of: string | undefined;
  return text.split("\n").map((line) => {
    const header = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line)?.[1];
    if (header === undefined) return { line, of, below: undefined };
    const keys = keysOf(header);
    const below = JSON.stringify(keys.slice(0, 4)) === above ? keys.slice(4) : undefined;
    of = below?.[0];
    return { line, of, below };
  });
}

function pluginOf(text: string, format: number): string {
  return plugins[formatOf(text, format)] ?? plugins[3]!;
}

function formatOf(text: string, otherwise: number): number {
  const stated = /^\s*version\s*=\s*([0-9]+)/m.exec(text)?.[1];
  // Without a line about it, a file that says anything is of the first format.
  return stated === undefined ? (text.trim() === "" ? otherwise : 1) : Number(stated);
}

function headerOf(plugin: string, keys: readonly string[]): string {
  return `[plugins.${plugin}.containerd.runtimes.${keys.join(".")}]`;
}

function keysOf(header: string): string[] {
  return Array.from(header.matchAll(/"([^"]*)"|'([^']*)'|([^.\s]+)/g), ([, a, b, c]) => a ?? b ?? c ?? "");
}
