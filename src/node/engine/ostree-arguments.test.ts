import { expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../host/memory-host.ts";
import { splitArguments } from "../../language/tuned/boot-arguments.ts";
import { editOstreeArguments } from "./ostree-arguments.ts";

/** As OSTree does, an argument whose name is there with other values only cannot be removed. */
function node(line: string, split: (line: string) => string[]): { host: MemoryHost; kargs: () => string } {
  let words = split(line);
  const program: MemoryCommand = ([, ...options]) => {
    const next = [...words];
    for (const option of options) {
      const [, how, word = ""] = /^--(append|delete-if-present)=(.*)$/.exec(option)!;
      const isNamed = next.some((other) => other.split("=")[0] === word.split("=")[0]);
      if (how === "append") next.push(word);
      else if (next.includes(word)) next.splice(next.indexOf(word), 1);
      else if (isNamed) return { type: "exited", code: 1, stdout: "", stderr: `error: No karg '${word}' found\n` };
    }
    words = split(next.join(" "));
    return { type: "exited", code: 0, stdout: `${words.join(" ")}\n`, stderr: "" };
  };
  return { host: new MemoryHost(new MemoryBase([]), [["rpm-ostree", program]]), kargs: () => words.join(" ") };
}

const edit = { remove: ['x="a b"', "y=1"], add: ["z"], keep: [] };

test.each([
  ["one", splitArguments],
  ["several, as OSTree 2022.7 does", (line: string) => line.split(/\s+/)],
])("an argument with a blank is removed where rpm-ostree takes it for %s", async (_, split) => {
  const { host, kargs } = node('ro x="a b" y=1', split);
  expect(await editOstreeArguments(edit, host)).toEqual({ type: "done" });
  expect(kargs()).toBe("ro z");
});

test("a failure that has nothing to do with blanks is reported", async () => {
  const failing: MemoryCommand = ([, ...options]) =>
    options.length > 0
      ? { type: "exited", code: 1, stdout: "", stderr: "error: Transaction in progress\n" }
      : { type: "exited", code: 0, stdout: "ro y=1\n", stderr: "" };
  const host = new MemoryHost(new MemoryBase([]), [["rpm-ostree", failing]]);
  expect(await editOstreeArguments(edit, host)).toMatchObject({
    type: "failed",
    message: "rpm-ostree kargs: exit code 1: error: Transaction in progress",
  });
});
