import { expect, test } from "vitest";
import { emptyContents } from "../../../../domain/machine-config/machine-contents.ts";
import { splitArguments } from "../../../../language/tuned/boot-arguments.ts";
import { Crash, CrashingHost } from "../../../engine/testing/crashing-host.ts";
import { bootIdPath } from "../../../host/boot-id.ts";
import type { CommandResult } from "../../../host/host.ts";
import { MemoryBase } from "../../../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../../../host/memory-host.ts";
import { applyContents, releaseContents } from "../apply-contents.ts";

const folder = "/boot/loader/entries";
const older = "abc-5.14.0-70.conf";
const newest = "abc-5.14.0-362.conf";
const previous = "abc-0-attune-previous.conf";
const base = "root=UUID=aa ro console=tty0 console=ttyS0 quiet";
const entry = (options: string): string =>
  `title Linux (5.14)\nversion 5.14\nlinux /vmlinuz\ninitrd /initramfs.img\noptions ${options}\ngrub_class rhel\n`;

const optionsIn = (text: string): string[] => splitArguments(/^options (.*)$/m.exec(text)?.[1] ?? "");
const nameOf = (word: string): string => word.split("=", 1)[0] ?? "";
const exited = (stdout = "", code = 0): CommandResult => ({ type: "exited", code, stdout, stderr: "" });

/** As grubby edits entries: all of them, first what is to be removed, then all words that have the name of a new one. */
function edited(words: readonly string[], removed: readonly string[], added: readonly string[]): string[] {
  let left = [...words];
  for (const word of removed) {
    // One by its value; by its name all but the second of two that are side by side.
    const isGone = (other: string, index: number): boolean =>
      word.includes("=")
        ? index === left.indexOf(word)
        : nameOf(other) === word && nameOf(left[index - 1] ?? "") !== word;
    left = left.filter((other, index) => !isGone(other, index));
  }
  for (const name of added.map(nameOf))
    left = left.filter((other, index) => nameOf(other) !== name || nameOf(left[index - 1] ?? "") === name);
  return [...left, ...added];
}

const grubby: MemoryCommand = async (args, host) => {
  const option = (name: string): string[] =>
    splitArguments(args.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "");
  const textOf = async (name: string): Promise<string> => {
    const file = await host.read(`${folder}/${name}`);
    return file.type === "text" ? file.text : "";
  };
  if (args[0] === "--info=DEFAULT") {
    const [root = "", ...others] = optionsIn(await textOf(newest));
    const about = { kernel: "/vmlinuz", args: others.join(" "), root: root.slice(5), id: newest.slice(0, -5) };
    return exited(
      Object.entries(about)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join(""),
    );
  }
  if (args[0] !== "--update-kernel=ALL") return exited("", 1);
  for (const name of await host.list(folder)) {
    const text = await textOf(name);
    const options = edited(optionsIn(text), option("remove-args"), option("args"));
    await host.replace(`${folder}/${name}`, text.replace(/^options .*$/m, `options ${options.join(" ")}`), 0o644);
  }
  return exited();
};

function node(commandLine = base): MemoryHost {
  const files = { [`${folder}/${older}`]: entry(base), [`${folder}/${newest}`]: entry(base), [bootIdPath]: "boot-1\n" };
  const all = { ...files, "/proc/cmdline": `BOOT_IMAGE=(hd0,gpt2)/vmlinuz ${commandLine}\n` };
  return new MemoryHost(new MemoryBase(Object.entries(all)), [["grubby", grubby]]);
}

async function entries(host: Pick<MemoryHost, "list" | "read">): Promise<Record<string, string>> {
  const names = await host.list(folder);
  const files = await Promise.all(names.map((name) => host.read(`${folder}/${name}`)));
  return Object.fromEntries(
    names.map((name, index) => {
      const file = files[index];
      return [name, file?.type === "text" ? optionsIn(file.text).join(" ") : ""];
    }),
  );
}

const wanting = (...kernelArguments: string[]): typeof emptyContents => ({ ...emptyContents, kernelArguments });

test("arguments come after those of the node with the same name, and the booted entry stays, last in the menu", async () => {
  const host = node();
  const contents = wanting("hugepagesz=1G", "hugepages=2", "hugepagesz=2M", "hugepages=64", "console=ttyS1", "quiet");
  expect((await applyContents({ contents, config: "one", host })).problems).toEqual([]);
  const after =
    "root=UUID=aa ro console=tty0 console=ttyS0 quiet hugepagesz=1G hugepages=2 hugepagesz=2M hugepages=64 console=ttyS1 quiet";
  expect(await entries(host)).toEqual({ [older]: after, [newest]: after, [previous]: base });
  expect(await host.read(`${folder}/${previous}`)).toMatchObject({
    text: expect.stringMatching(/^title Linux \(5\.14\) \(before the last change of boot arguments\)\nversion 0\n/),
  });
  await applyContents({ contents, config: "one", host });
  expect(await entries(host)).toEqual({ [older]: after, [newest]: after, [previous]: base });
  await applyContents({ contents: wanting("console=ttyS1"), config: "two", host });
  expect((await entries(host))[newest]).toBe("root=UUID=aa ro console=tty0 console=ttyS0 quiet console=ttyS1");
  expect(await releaseContents(host)).toEqual([]);
  const released = "root=UUID=aa ro console=tty0 console=ttyS0 quiet";
  expect(await entries(host)).toEqual({ [older]: released, [newest]: released });
});

test("an agent that is killed at any change still keeps the booted entry", async () => {
  const contents = wanting("tsc=reliable", "tsc=reliable", "quiet");
  const after = `${base} tsc=reliable tsc=reliable quiet`;
  for (let change = 0, isOver = false; !isOver; change++)
    for (const when of ["before", "after"] as const) {
      const host = node();
      const crashing = new CrashingHost(host, change, when);
      isOver = await applyContents({ contents, config: "one", host: crashing }).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof Crash)) throw error;
          return false;
        },
      );
      expect((await applyContents({ contents, config: "one", host })).problems).toEqual([]);
      const all = { [older]: after, [newest]: after, [previous]: base };
      expect([change, when, await entries(host)]).toEqual([change, when, all]);
      expect(await releaseContents(host)).toEqual([]);
      expect(await entries(host)).toEqual({ [older]: base, [newest]: base });
    }
});

test("the booted entry is kept as the kernel got it, where GRUB has replaced a variable", async () => {
  const variable = `${base} $tuned_params`;
  const host = node(`${base} skew_tick=1`);
  for (const name of [older, newest]) await host.replace(`${folder}/${name}`, entry(variable), 0o644);
  await applyContents({ contents: wanting("a=1"), config: "one", host });
  expect(await entries(host)).toEqual({
    [older]: `${variable} a=1`,
    [newest]: `${variable} a=1`,
    [previous]: `${base} skew_tick=1`,
  });
});

test("where entries are no files, grubby adds the booted one after the update, with its root", async () => {
  const commands: string[] = [];
  const info = 'kernel=/boot/vmlinuz\nargs="ro quiet"\nroot=/dev/sda1\ninitrd=/boot/initrd\n';
  const program: MemoryCommand = (args) => {
    if (args[0] !== "--info=DEFAULT") commands.push(args.join(" "));
    return exited(info);
  };
  const files = { [bootIdPath]: "boot-1\n", "/proc/cmdline": "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet\n" };
  const host = new MemoryHost(new MemoryBase(Object.entries(files)), [["grubby", program]]);
  await applyContents({ contents: wanting("y=1", "ro"), config: "one", host });
  const title = "Before the last change of boot arguments";
  expect(commands).toEqual([
    `--remove-kernel=TITLE=${title}`,
    "--update-kernel=ALL --remove-args=ro --args=ro y=1 ro",
    `--add-kernel=/boot/vmlinuz --initrd=/boot/initrd --title=${title} --args=root=/dev/sda1 ro quiet`,
  ]);
  await releaseContents(host);
  expect(commands).toContain("--update-kernel=ALL --remove-args=y ro ro --args=ro");
  expect(commands.at(-1)).toBe(`--remove-kernel=TITLE=${title}`);
});

test.each(['x="a b"', "x=1&2", "x=$y", String.raw`x=1\2`])(
  "%s would break entries: nothing is changed",
  async (word) => {
    const host = node();
    expect((await applyContents({ contents: wanting(word), config: "one", host })).problems).toEqual([
      `kernelArguments: grubby cannot pass ${word} on: it has a blank, a dollar sign, an ampersand or a backslash`,
    ]);
    expect(await entries(host)).toEqual({ [older]: base, [newest]: base });
  },
);
