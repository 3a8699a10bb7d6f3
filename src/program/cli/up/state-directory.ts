import { connect } from "node:net";
import { isAbsolute, join } from "node:path";
import { readKubeconfig } from "../../../cluster/kube/connect/kubeconfig.ts";
import type { Environment } from "../option/flag.ts";
import { shellWord } from "../terminal/terminal.ts";
import { examples } from "./examples.ts";

const modes = ["hosted", "standalone", "plain"];

/** A directory has the nodes that it was made with: those of another file would stay there, and be away. */
export const ofTopology = (mode: string): string => `${mode}-topology`;

/** What `attune up` may run: its default directories are named so. */
export const systemNames: readonly string[] = [...modes, ...modes.map(ofTopology), ...Object.keys(examples)];

/** Undefined without a home directory. Relative paths are ignored, as the XDG specification says. */
export function defaultStateDirectory(mode: string, env: Environment): string | undefined {
  const { XDG_STATE_HOME: state = "", HOME: home = "" } = env;
  if (isAbsolute(state)) return join(state, "attune", mode);
  return isAbsolute(home) ? join(home, ".local", "state", "attune", mode) : undefined;
}

/** The kubeconfigs of every `attune up` that runs with its default directory. */
export async function runningKubeconfigs(env: Environment): Promise<string[]> {
  const found = systemNames.map(async (name) => {
    const dir = defaultStateDirectory(name, env);
    return dir === undefined ? undefined : answering(join(dir, "kubeconfig"));
  });
  return (await Promise.all(found)).filter((path) => path !== undefined);
}

/** What makes every program of a shell use a kubeconfig. Every shell expands $HOME, and with it the line fits a terminal. */
export function exportLine(kubeconfig: string, { HOME: home = "" }: Environment): string {
  const rest = kubeconfig.slice(home.length);
  const isShort = isAbsolute(home) && kubeconfig.startsWith(`${home}/`) && shellWord(rest) === rest;
  return `export KUBECONFIG=${isShort ? `$HOME${rest}` : shellWord(kubeconfig)}`;
}

async function answering(path: string): Promise<string | undefined> {
  const { clusters } = await readKubeconfig([path], { skipMissing: true });
  const [entry] = clusters.values();
  const server = entry?.fields["server"];
  // The file stays when `up` stops.
  return typeof server === "string" && (await answers(new URL(server))) ? path : undefined;
}

function answers({ hostname, port }: URL): Promise<boolean> {
  const socket = connect({ host: hostname, port: Number(port), timeout: 1000 });
  return new Promise((resolve) => {
    const end = (does: boolean) => (): void => {
      socket.destroy();
      resolve(does);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });
}
