import type { CommandResult } from "../../../node/host/host.ts";
import type { MemoryHost } from "../../../node/host/memory-host.ts";
import { type BootChoice, chooseEntry, grubConfig, readEnvironment, setEnvironment } from "./grub-config.ts";
import { readGrubDefaults } from "./grub-defaults.ts";

/** GRUB, as Debian has it. */
export const grubPaths = {
  defaults: "/etc/default/grub",
  defaultsFolder: "/etc/default/grub.d",
  scripts: "/etc/grub.d",
  config: "/boot/grub/grub.cfg",
  custom: "/boot/grub/custom.cfg",
  environment: "/boot/grub/grubenv",
} as const;

export const firstDefaults = 'GRUB_DEFAULT=0\nGRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX_DEFAULT=""\nGRUB_CMDLINE_LINUX=""\n';

/** `update-grub` */
export async function updateGrub(host: MemoryHost, release: string): Promise<CommandResult> {
  const defaults = [await text(host, grubPaths.defaults)];
  for (const name of await host.list(grubPaths.defaultsFolder))
    if (name.endsWith(".cfg")) defaults.push(await text(host, `${grubPaths.defaultsFolder}/${name}`));
  const own: string[] = [];
  for (const name of await host.list(grubPaths.scripts)) {
    const script = await text(host, `${grubPaths.scripts}/${name}`);
    // The common way to add entries: a script that prints its own lines from the third on.
    if (/^exec tail -n \+3 \$0/m.test(script)) own.push(script.split("\n").slice(2).join("\n"));
  }
  const outcome = await host.replace(grubPaths.config, grubConfig(readGrubDefaults(defaults), release, own));
  if (outcome.type === "failed") return { type: "exited", code: 1, stdout: "", stderr: `${outcome.message}\n` };
  return { type: "exited", code: 0, stdout: "", stderr: "Generating grub configuration file ...\ndone\n" };
}

/** `grub-reboot ENTRY` and `grub-set-default ENTRY` */
export async function rememberEntry(host: MemoryHost, variable: string, entry: string): Promise<CommandResult> {
  const environment = await text(host, grubPaths.environment);
  await host.replace(grubPaths.environment, setEnvironment(environment, variable, entry));
  return { type: "exited", code: 0, stdout: "", stderr: "" };
}

/** `grub-editenv FILE list|set NAME=VALUE…|unset NAME…` */
export async function editEnvironment(
  [file = "", verb = "", ...words]: readonly string[],
  host: MemoryHost,
): Promise<CommandResult> {
  const path = file === "-" ? grubPaths.environment : file;
  let environment = await text(host, path);
  const variables = [...readEnvironment(environment)].map(([name, value]) => `${name}=${value}\n`).join("");
  if (verb === "list") return { type: "exited", code: 0, stdout: variables, stderr: "" };
  if (verb !== "set" && verb !== "unset")
    return { type: "exited", code: 1, stdout: "", stderr: `grub-editenv: unknown command ${verb}\n` };
  for (const word of words) {
    const equals = word.indexOf("=");
    const name = equals < 0 ? word : word.slice(0, equals);
    environment = setEnvironment(environment, name, verb === "set" ? word.slice(equals + 1) : undefined);
  }
  await host.replace(path, environment);
  return { type: "exited", code: 0, stdout: "", stderr: "" };
}

/** The entry that the next boot starts. */
export async function bootChoice(host: MemoryHost): Promise<BootChoice> {
  return chooseEntry({
    config: await text(host, grubPaths.config),
    custom: await text(host, grubPaths.custom),
    environment: await text(host, grubPaths.environment),
  });
}

async function text(host: MemoryHost, path: string): Promise<string> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : "";
}
