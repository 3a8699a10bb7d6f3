import { splitArguments } from "../../../language/tuned/boot-arguments.ts";

/** One entry of GRUB's menu. */
export interface BootEntry {
  readonly title: string;
  readonly id: string;
  /** Kernel and arguments, as in the entry. */
  readonly command: string;
}

const defaultEntry = "0";

/** `grub.cfg` as `update-grub` generates it, with the entries of `grub.d` that only print themselves. */
export function grubConfig(
  defaults: ReadonlyMap<string, string>,
  release: string,
  ownEntries: readonly string[],
): string {
  const setting = (name: string): string => defaults.get(name)?.trim() ?? "";
  const kernel = [`/boot/vmlinuz-${release}`, "root=/dev/vda1", "ro", setting("GRUB_CMDLINE_LINUX")];
  const usual = [...kernel, setting("GRUB_CMDLINE_LINUX_DEFAULT")].filter((word) => word !== "").join(" ");
  const recovery = [...kernel, "single"].filter((word) => word !== "").join(" ");
  const chosen = setting("GRUB_DEFAULT") || defaultEntry;
  return [
    "### BEGIN /etc/grub.d/00_header ###",
    "load_env",
    `set default="${chosen === "saved" ? "${saved_entry}" : chosen}"`,
    "### END /etc/grub.d/00_header ###",
    ...entryLines("Linux", `linux-${release}`, usual),
    ...entryLines("Linux (recovery mode)", `linux-${release}-recovery`, recovery),
    ...ownEntries.flatMap((text) => text.trimEnd().split("\n")),
    "if [ -f ${config_directory}/custom.cfg ]; then",
    "  source ${config_directory}/custom.cfg",
    "fi",
    "",
  ].join("\n");
}

function entryLines(title: string, id: string, command: string): string[] {
  return [`menuentry '${title}' --id '${id}' {`, `\tlinux\t${command}`, "\tinitrd\t/boot/initrd.img", "}"];
}

export interface GrubFiles {
  readonly config: string;
  /** `custom.cfg`, which is read after the generated entries. */
  readonly custom: string;
  /** GRUB's environment block. */
  readonly environment: string;
}

export interface BootChoice {
  /** Undefined where GRUB has no entry: the machine would stop at its prompt. */
  readonly entry: BootEntry | undefined;
  /** The environment block after the boot: `next_entry` counts once. */
  readonly environment: string;
}

/** What GRUB starts: `next_entry` once, else the default. An entry that does not exist means the first one. */
export function chooseEntry({ config, custom, environment }: GrubFiles): BootChoice {
  const variables = readEnvironment(environment);
  for (const [, name = "", value = ""] of config.matchAll(/^\s*set\s+(\w+)\s*=\s*"([^"]*)"/gm))
    variables.set(name, expand(value, variables));
  const menu = menuOf(`${config}\n${custom}`);
  const next = variables.get("next_entry") ?? "";
  const wanted = next === "" ? (variables.get("default") ?? defaultEntry) : next;
  const found = itemAt(menu, wanted.split(">")) ?? itemAt(menu, []);
  const entry = found && {
    title: found.title,
    id: found.id,
    command: expand(found.command ?? "", variables).trim(),
  };
  return { entry, environment: next === "" ? environment : setEnvironment(environment, "next_entry", undefined) };
}

/** What the kernel shows in /proc/cmdline. GRUB reads the quotes, and writes its own around every argument with a blank. */
export function commandLine(entry: BootEntry | undefined): string {
  const words = splitArguments(entry?.command ?? "").map((word) => word.replaceAll('"', ""));
  return `BOOT_IMAGE=${words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(" ")}`;
}

/** An entry or a submenu: each counts as one in the list that it is in. */
interface MenuItem {
  readonly title: string;
  readonly id: string;
  command?: string;
  /** Of a submenu. */
  readonly items?: MenuItem[];
}

function menuOf(text: string): MenuItem[] {
  const menu: MenuItem[] = [];
  /** Open braces, those of functions too. */
  const open: { item?: MenuItem }[] = [];
  for (const line of text.split("\n")) {
    const head = /^\s*(menuentry|submenu)\s+(['"])(.*?)\2(.*)$/.exec(line);
    if (head) {
      const id = /(?:--id|\$menuentry_id_option)[\s=]+(['"]?)([^'"\s]+)\1/.exec(head[4] ?? "");
      const item = { title: head[3] ?? "", id: id?.[2] ?? "", ...(head[1] === "submenu" ? { items: [] } : {}) };
      (open.findLast((one) => one.item?.items)?.item?.items ?? menu).push(item);
      open.push({ item });
    } else if (/\{\s*$/.test(line)) open.push({});
    else if (/^\s*\}/.test(line)) open.pop();
    const entry = open.at(-1)?.item;
    const linux = /^\s*linux(?:16|efi)?\s+(.*)$/.exec(line)?.[1];
    if (linux !== undefined && entry) entry.command ??= linux;
  }
  return menu;
}

/** `2`, an id, a title, or `SUBMENU>ENTRY` of these. A submenu by itself means its first entry. */
function itemAt(menu: readonly MenuItem[], [name, ...rest]: readonly string[]): MenuItem | undefined {
  const item =
    name === undefined
      ? menu[0]
      : menu.find(({ id, title }, index) => id === name || title === name || String(index) === name);
  return item?.items ? itemAt(item.items, rest) : item;
}

function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) =>
    (variables.get(braced ?? bare ?? "") ?? "").replaceAll(/\\(.)/g, "$1"),
  );
}

export function readEnvironment(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => !line.startsWith("#") && line.includes("="));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** `undefined` removes the variable. */
export function setEnvironment(text: string, name: string, value: string | undefined): string {
  const variables = readEnvironment(text);
  if (value === undefined) variables.delete(name);
  else variables.set(name, value);
  return `# GRUB Environment Block\n${[...variables].map(([key, its]) => `${key}=${its}\n`).join("")}`;
}
